// SPDX-License-Identifier: GPL-2.0
#include <cli/command/debug/remote.h>

/* Selectors after rflags: cs, ss, ds, es, fs, gs. Components' are fixed. */
static const unsigned int selectors[] = { 0x33, 0x2b, 0, 0, 0, 0 };

static unsigned int size_of(unsigned int number)
{
	return number == TARGET_FLAGS ? 4 : 8;
}

/*
 * Reads all registers. Registers of a thread that waits in another component are 0. Returns whether
 * it has registers.
 */
static bool registers_get(struct remote *remote, unsigned int thread,
			  uint64_t value[TARGET_REGISTERS])
{
	const struct target *target = &remote->target;

	for (unsigned int what = 0; what < TARGET_REGISTERS / 3; what++) {
		value[what * 3] = value[what * 3 + 1] = value[what * 3 + 2] = 0;
		if (target->registers(target->to, thread, what, value + what * 3) < 0)
			return false;
	}
	return true;
}

static unsigned int thread_of(struct remote *remote)
{
	return remote->thread ? remote->thread : thread_first(remote);
}

void registers_read(struct remote *remote)
{
	uint64_t value[TARGET_REGISTERS] = { 0 };

	registers_get(remote, thread_of(remote), value);
	for (unsigned int n = 0; n < TARGET_REGISTERS; n++)
		reply_bytes(remote, value[n], size_of(n));
	for (unsigned int i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++)
		reply_bytes(remote, selectors[i], 4);
}

void registers_write(struct remote *remote, const char *at)
{
	const struct target *target = &remote->target;
	const unsigned int thread = thread_of(remote);
	uint64_t value[TARGET_REGISTERS], old[TARGET_REGISTERS] = { 0 };
	long status = registers_get(remote, thread, old) ? 0 : -1;

	for (unsigned int n = 0; n < TARGET_REGISTERS && !status; n++)
		if (!bytes_take(&at, size_of(n), &value[n]))
			status = -1;
	for (unsigned int n = 0; n < TARGET_REGISTERS && status >= 0; n++)
		if (value[n] != old[n])
			status = target->set(target->to, thread, n, value[n]);
	reply_status(remote, status);
}

void register_write(struct remote *remote, const char *at)
{
	const struct target *target = &remote->target;
	uint64_t number, value;

	if (!number_take(&at, &number) || number >= TARGET_REGISTERS || !char_take(&at, '=') ||
	    !bytes_take(&at, size_of((unsigned int)number), &value))
		reply_status(remote, -1);
	else
		reply_status(remote, target->set(target->to, thread_of(remote),
						 (unsigned int)number, value));
}

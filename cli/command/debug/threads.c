// SPDX-License-Identifier: GPL-2.0
#include <shared/image/fault.h>

#include <cli/command/debug/remote.h>

#define SIGNAL_INT 2
#define SIGNAL_ILL 4
#define SIGNAL_TRAP 5
#define SIGNAL_FPE 8
#define SIGNAL_BUS 10 /* gdb's own numbers of signals, of its <gdb/signals.def> */
#define SIGNAL_SEGV 11
#define SIGNAL_SYS 12

static unsigned int signal_of(uint64_t kind)
{
	static const struct {
		unsigned int kind, signal;
	} known[] = {
		{ 0, SIGNAL_FPE },	     { 1, SIGNAL_TRAP },  { 3, SIGNAL_TRAP },
		{ 6, SIGNAL_ILL },	     { 16, SIGNAL_FPE },  { 17, SIGNAL_BUS },
		{ 19, SIGNAL_FPE },	     { 256, SIGNAL_SYS }, { 257, SIGNAL_ILL },
		{ TARGET_HELD, SIGNAL_INT },
	};

	for (unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].kind == kind)
			return known[i].signal;
	return SIGNAL_SEGV;
}

bool thread_find(struct remote *remote, unsigned int id, struct target_thread *thread)
{
	const struct target *target = &remote->target;

	return id && id <= TARGET_THREADS_MAX &&
	       target->next(target->to, id - 1, thread) == (long)id;
}

unsigned int thread_first(struct remote *remote)
{
	const struct target *target = &remote->target;
	struct target_thread thread = { 0 };
	long id = target->next(target->to, 0, &thread);
	const long first = id;

	while (id > 0 && !thread.stopped)
		id = target->next(target->to, (unsigned int)id, &thread);
	return (unsigned int)(id > 0 ? id : first > 0 ? first : 1);
}

void threads_list(struct remote *remote)
{
	const struct target *target = &remote->target;
	struct target_thread thread;
	char comma = 'm';
	long id = 0;

	while ((id = target->next(target->to, (unsigned int)id, &thread)) > 0) {
		reply_text(remote, "%c%lx", comma, (unsigned long)id);
		comma = ',';
	}
	if (comma == 'm')
		reply_text(remote, "m1");
}

void thread_describe(struct remote *remote, const char *at)
{
	struct target_thread thread = { 0 };
	const char *text = "waits in another component";
	uint64_t id;

	if (!number_take(&at, &id) || !thread_find(remote, (unsigned int)id, &thread))
		text = "has ended";
	else if (thread.stopped && thread.kind == TARGET_HELD)
		text = "stopped";
	else if (thread.stopped)
		text = fault_words((uint32_t)thread.kind);
	for (; *text; text++)
		reply_bytes(remote, (unsigned char)*text, 1);
}

void thread_alive(struct remote *remote, const char *at)
{
	struct target_thread thread;
	uint64_t id;

	reply_status(remote, number_take(&at, &id) && thread_find(remote, (unsigned int)id, &thread)
				     ? 0
				     : -1);
}

void stop_report(struct remote *remote, unsigned int id)
{
	struct target_thread thread;

	if (!thread_find(remote, id, &thread) || !thread.stopped)
		thread.kind = TARGET_HELD;
	remote->thread = id;
	reply_clear(remote);
	reply_text(remote, "T%02xthread:%x;%s", signal_of(thread.kind), id,
		   thread.kind == 3 ? "swbreak:;" : "");
}

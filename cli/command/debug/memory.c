// SPDX-License-Identifier: GPL-2.0
#include <cli/command/debug/remote.h>

#define PAGE 4096
#define READ 24 /* bytes of one read; bytes after the first word are 0 if memory is missing there */

/* Reads ADDRESS,LENGTH. */
static bool range_take(const char **at, uint64_t *address, uint64_t *length)
{
	return number_take(at, address) && char_take(at, ',') && number_take(at, length);
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void memory_read(struct remote *remote, const char *at)
{
	const struct target *target = &remote->target;
	uint64_t address, left, word[READ / 8];

	if (!range_take(&at, &address, &left)) {
		reply_status(remote, -1);
		return;
	}
	for (left = min(left, PACKET_MAX / 2); left;) {
		const uint64_t from = address & ~7ul, skip = address & 7;
		const uint64_t count = min(left, min(READ, PAGE - from % PAGE) - skip);

		if (target->read(target->to, from, word) < 0)
			break;
		for (uint64_t i = skip; i < skip + count; i++)
			reply_bytes(remote, word[i / 8] >> 8 * (i % 8), 1);
		address += count;
		left -= count;
	}
	if (!remote->length && left)
		reply_status(remote, -1);
}

void memory_write(struct remote *remote, const char *at)
{
	const struct target *target = &remote->target;
	uint64_t address, length, byte;
	long status = range_take(&at, &address, &length) && char_take(&at, ':') ? 0 : -1;

	for (; status >= 0 && length; length--, address++)
		status = bytes_take(&at, 1, &byte)
				 ? target->write(target->to, address, (uint8_t)byte)
				 : -1;
	reply_status(remote, status);
}

/* Handles software breakpoints, 0,ADDRESS,KIND. The answer to other types is empty. */
void breakpoint_change(struct remote *remote, const char *at, bool insert)
{
	const struct target *target = &remote->target;
	uint64_t type, address;

	if (!number_take(&at, &type) || !char_take(&at, ',') || !number_take(&at, &address))
		reply_status(remote, -1);
	else if (type == 0)
		reply_status(remote, insert ? target->insert(target->to, address)
					    : target->remove(target->to, address));
}

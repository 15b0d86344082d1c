// SPDX-License-Identifier: BSD-2-Clause
/* Prints arguments of clone and clone3. */
#include <guest/put.h>
#include <runtime/memory.h>

#define SIGNAL_BITS 0xfful /* bits of clone's flags with the signal */

/* Fields of GUEST_STRUCT_clone_args in lib/guest/structs.toml. */
enum { CLONE_FLAGS, CLONE_PIDFD, CLONE_CHILD_TID, CLONE_PARENT_TID };

void put_cloneflags(struct guest_line *line, unsigned int set, word flags)
{
	word signal = flags & SIGNAL_BITS;

	if (flags != signal)
		put_flags(line, set, flags - signal);
	if (flags != signal && signal)
		text_add(&line->text, "|");
	if (signal || !flags)
		put_signal(line, signal, true);
}

/* Stores the addresses that Linux will write to, because the program can change the structure during the call. */
static void written_keep(struct guest_line *line, const unsigned char *copy)
{
	word flags = struct_load(GUEST_STRUCT_clone_args, CLONE_FLAGS, copy);

	if (flags & GUEST_CLONE_PIDFD)
		line->pidfd_at = struct_load(GUEST_STRUCT_clone_args, CLONE_PIDFD, copy);
	if (flags & GUEST_CLONE_PARENT_SETTID)
		line->thread_at = struct_load(GUEST_STRUCT_clone_args, CLONE_PARENT_TID, copy);
}

void put_clone_args(struct guest_line *line, word address, word size)
{
	unsigned char copy[GUEST_SIZE_clone_args];

	memset(copy, 0, sizeof(copy));
	if (!address || size < GUEST_CLONE_ARGS_SIZE_VER0 ||
	    !guest_read(line, copy, address, size < sizeof(copy) ? size : sizeof(copy))) {
		put_address(line, address);
		return;
	}
	written_keep(line, copy);
	put_fields(line, GUEST_STRUCT_clone_args, copy);
}

void put_clone_written(struct guest_line *line)
{
	if (line->result < 0 || !(line->pidfd_at || line->thread_at))
		return;
	text_add(&line->text, " => {");
	if (line->pidfd_at) {
		text_add(&line->text, "pidfd=");
		put_struct(line, GUEST_STRUCT_int, line->pidfd_at);
	}
	if (line->thread_at) {
		text_add(&line->text, line->pidfd_at ? ", parent_tid=" : "parent_tid=");
		put_struct(line, GUEST_STRUCT_int, line->thread_at);
	}
	text_add(&line->text, "}");
}

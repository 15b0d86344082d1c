// SPDX-License-Identifier: BSD-2-Clause
#include "sandbox.h"

#include <guest/calls.h>
#include <guest/numbers.h>

/* Returns whether the texts that lib/guest describes as paths are other texts in this call. */
static bool is_no_path(word number)
{
	return number == GUEST_CALL_add_key || number == GUEST_CALL_request_key ||
	       number == GUEST_CALL_fsopen || number == GUEST_CALL_fsconfig ||
	       number == GUEST_CALL_kexec_file_load;
}

static bool has_path(word number)
{
	const struct guest_call *call = guest_call_at((long)number);

	for (unsigned int i = 0; call && !is_no_path(number) && i < call->count; i++) {
		const struct guest_value *value = guest_call_argument(call, i);

		if (value->kind == GUEST_PATH && value->way == GUEST_IN)
			return true;
	}
	return false;
}

static uint8_t checks[NUMBERS]; /* enum check */

static enum check check_find(word number)
{
	switch (number) {
	case GUEST_CALL_connect:
	case GUEST_CALL_bind:
	case GUEST_CALL_sendto:
		return CHECK_ADDRESS;
	case GUEST_CALL_sendmsg:
		return CHECK_MESSAGE;
	case GUEST_CALL_socket:
		return CHECK_SOCKET;
	case GUEST_CALL_fchdir:
		return CHECK_FOLDER;
	case GUEST_CALL_mmap:
	case GUEST_CALL_munmap:
	case GUEST_CALL_mprotect:
	case GUEST_CALL_pkey_mprotect:
	case GUEST_CALL_mremap:
	case GUEST_CALL_madvise:
	case GUEST_CALL_remap_file_pages:
	case GUEST_CALL_mseal:
	case GUEST_CALL_shmat:
	case GUEST_CALL_prctl:
		return CHECK_RANGE;
	}
	return has_path(number) ? CHECK_PATHS : CHECK_NONE;
}

void checks_init(void)
{
	for (word n = 0; n < NUMBERS; n++)
		checks[n] = (uint8_t)check_find(n);
}

enum check check_of(word number)
{
	return number < NUMBERS ? checks[number] : CHECK_NONE;
}

static long arguments_check(struct call *call)
{
	switch (check_of(call->number)) {
	case CHECK_ADDRESS:
		return address_check(call);
	case CHECK_MESSAGE:
		return message_check(call);
	default:
		return paths_check(call);
	}
}

/* Checks a call whose arguments are in the guest's memory. */
static long copies_check(struct call *call)
{
	long error;

	if (!copy_begin(&call->copy, call->id))
		return -LINUX_ENOMEM;
	error = arguments_check(call);
	copy_end(&call->copy);
	return error ? error : arguments_set(call);
}

long call_check(struct call *call)
{
	switch (check_of(call->number)) {
	case CHECK_NONE:
		return 0;
	case CHECK_RANGE:
		return range_check(call);
	case CHECK_FOLDER:
		return folder_check();
	case CHECK_SOCKET:
		return socket_check(call);
	default:
		return copies_check(call);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/* Computes the sets of calls that are allowed, and of those that the executive must see. */
#include "sandbox.h"

#include <guest/calls.h>
#include <guest/numbers.h>
#include <runtime/memory.h>

#define CALL_NAME 64

/*
 * Calls that `default allow` does not allow, because with them a guest could reach files, addresses or processes
 * without a call that is checked: asynchronous calls, calls with several addresses, other names for files, files that
 * other processes open, the control of other processes, and the control of the machine. uselib() replaces mappings.
 * Calls that lib/guest does not know are not allowed either: newer calls, and those of the x32 ABI, which have numbers
 * of their own.
 */
static const uint16_t dangerous[] = {
	GUEST_CALL_io_uring_setup,
	GUEST_CALL_io_uring_enter,
	GUEST_CALL_io_uring_register,
	GUEST_CALL_sendmmsg,
	GUEST_CALL_open_by_handle_at,
	GUEST_CALL_fanotify_init,
	GUEST_CALL_uselib,
	GUEST_CALL_chroot,
	GUEST_CALL_pivot_root,
	GUEST_CALL_mount,
	GUEST_CALL_umount2,
	GUEST_CALL_move_mount,
	GUEST_CALL_open_tree,
	GUEST_CALL_fsopen,
	GUEST_CALL_fsconfig,
	GUEST_CALL_fsmount,
	GUEST_CALL_fspick,
	GUEST_CALL_mount_setattr,
	GUEST_CALL_setns,
	GUEST_CALL_unshare,
	GUEST_CALL_ptrace,
	GUEST_CALL_process_vm_readv,
	GUEST_CALL_process_vm_writev,
	GUEST_CALL_pidfd_getfd,
	GUEST_CALL_process_madvise,
	GUEST_CALL_userfaultfd,
	GUEST_CALL_bpf,
	GUEST_CALL_perf_event_open,
	GUEST_CALL_init_module,
	GUEST_CALL_finit_module,
	GUEST_CALL_delete_module,
	GUEST_CALL_kexec_load,
	GUEST_CALL_kexec_file_load,
	GUEST_CALL_reboot,
	GUEST_CALL_swapon,
	GUEST_CALL_swapoff,
	GUEST_CALL_acct,
	GUEST_CALL_iopl,
	GUEST_CALL_ioperm,
	GUEST_CALL_modify_ldt,
};

static bool is_dangerous(word number)
{
	for (unsigned int i = 0; i < array_size(dangerous); i++)
		if (dangerous[i] == number)
			return true;
	return false;
}

static const char *call_set(const struct span *word, unsigned int action)
{
	char name[CALL_NAME] = { 0 };
	long number = LIMPET_ENOENT;

	if (word->length < sizeof(name)) {
		memcpy(name, word->at, word->length);
		number = guest_call_number(name);
	}
	if (number < 0 || number >= NUMBERS - 1)
		return "names a call that does not exist";
	policy.action[number] = (uint8_t)action;
	return NULL;
}

const char *calls_read(struct words *words, unsigned int action)
{
	struct span word;
	const char *why = NULL;

	while (!why && word_next(words, &word))
		why = call_set(&word, action);
	return why;
}

void policy_finish(enum action otherwise)
{
	for (word n = 0; n < NUMBERS; n++) {
		if (policy.action[n] != ACTION_UNNAMED)
			continue;
		policy.action[n] = (uint8_t)otherwise;
		if (otherwise == ACTION_ALLOW && (is_dangerous(n) || !guest_call_at((long)n)))
			policy.action[n] = ACTION_DENY;
	}
}

/* The last bit is always set, so that 32-bit calls fail. */
void policy_filter(uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	for (unsigned int i = 0; i < LIMPET_GUEST_CALL_WORDS; i++)
		filter[i] = 0;
	for (word n = 0; n < NUMBERS; n++)
		if (policy.action[n] != ACTION_ALLOW || check_of(n) != CHECK_NONE)
			filter[n / 64] |= 1ul << n % 64;
	filter[LIMPET_GUEST_FILTER_REST / 64] |= 1ul << LIMPET_GUEST_FILTER_REST % 64;
}

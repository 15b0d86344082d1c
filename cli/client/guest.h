/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: guests, <limpet/guest.h>. A guest is a Linux thread whose system calls go to an executive, which is
 * a component of the running system. Every function returns 0 or more, or a negative errno. The functions do not print.
 *
 * `system` is the id of the executive's system, or LIMPET_SYSTEM_ANY: the only one. `component` is the executive's
 * index in its image, or LIMPET_GUEST_ANY. `flags` are LIMPET_GUEST_ALONE and LIMPET_GUEST_OPEN. A filter has a bit for
 * each system call that goes to the executive, and a word for exceptions.
 */
#ifndef CLIENT_GUEST_H
#define CLIENT_GUEST_H

#include <sys/types.h>

#include <limpet/guest.h>

/*
 * Opens the device of guests. Returns a descriptor that exec closes. -ENOENT: not attached, or attached in beneath
 * mode. -EACCES: not permitted.
 */
int limpet_guest_open(void);

/*
 * Makes the calling thread a guest. It stays a guest when it executes a program, with LIMPET_GUEST_ALONE only the first
 * time. -ENODEV: no system runs. -ENOENT: the system has no such executive. -ENOTUNIQ: several systems or executives
 * exist, and the call does not name one. -EBUSY: the thread is a guest already, or its process has guests of another
 * system. -EMFILE: LIMPET_GUESTS_MAX threads are guests. -EDQUOT: LIMPET_GUESTS_OF_USER guests count for this user, who
 * is not root. -ECANCELED: another process has released the thread meanwhile.
 */
int limpet_guest_enter(int fd, uint32_t system, uint32_t component, uint32_t flags,
		       const uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/*
 * Makes all threads of a process guests. Needs CAP_SYS_PTRACE. Returns the errors of limpet_guest_enter() and these:
 * -ESRCH: no such process. -EPERM: not permitted, or a thread of the kernel.
 */
int limpet_guest_attach(int fd, pid_t pid, uint32_t system, uint32_t component, uint32_t flags,
			const uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/* Makes all threads of a process ordinary threads. Needs CAP_SYS_PTRACE. */
int limpet_guest_release(int fd, pid_t pid);

/* Sets the filter of all threads of a process. Needs CAP_SYS_PTRACE. */
int limpet_guest_filter(int fd, pid_t pid, const uint64_t filter[LIMPET_GUEST_FILTER_WORDS]);

/*
 * Reads the guests with id `first` and higher ids, in order. Fills in at most `count` records of `list`, and returns
 * their number. 0: there are no more guests. -EPROTO: the module returned something else.
 */
int limpet_guest_list(int fd, uint32_t first, struct limpet_guest_info *list, uint32_t count);

#endif

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Checks calls with paths. lib/guest lists the arguments that are paths. This file lists the access of a call to them.
 * A call that is not listed counts as one that writes.
 */
#include "sandbox.h"

#include <guest/calls.h>
#include <guest/numbers.h>
#include <runtime/memory.h>

#define O_ACCMODE 3u
#define O_CREAT 0100u
#define O_TRUNC 01000u
#define O_PATH 010000000u
#define O_TMPFILE 020000000u
#define S_IFMT 0170000u
#define S_IFCHR 0020000u
#define S_IFBLK 0060000u
#define HOW_MIN 24 /* bytes of struct open_how */
#define HOW_MAX 64

static const uint16_t readers[] = {
	GUEST_CALL_stat,
	GUEST_CALL_lstat,
	GUEST_CALL_access,
	GUEST_CALL_chdir,
	GUEST_CALL_readlink,
	GUEST_CALL_statfs,
	GUEST_CALL_getxattr,
	GUEST_CALL_lgetxattr,
	GUEST_CALL_listxattr,
	GUEST_CALL_llistxattr,
	GUEST_CALL_newfstatat,
	GUEST_CALL_readlinkat,
	GUEST_CALL_faccessat,
	GUEST_CALL_faccessat2,
	GUEST_CALL_statx,
	GUEST_CALL_inotify_add_watch,
	GUEST_CALL_name_to_handle_at,
};

/*
 * Calls that remove or replace a name, or make a link. open(), mkdir() and mknod() are not in this list, because they
 * never replace a name.
 */
static const uint16_t namers[] = {
	GUEST_CALL_rename,   GUEST_CALL_renameat, GUEST_CALL_renameat2, GUEST_CALL_link,
	GUEST_CALL_linkat,   GUEST_CALL_symlink,  GUEST_CALL_symlinkat, GUEST_CALL_unlink,
	GUEST_CALL_unlinkat, GUEST_CALL_rmdir,
};

static uint8_t access_of[NUMBERS]; /* bits of enum access */

void access_init(void)
{
	memset(access_of, ACCESS_WRITE, sizeof(access_of));
	for (unsigned int i = 0; i < array_size(readers); i++)
		access_of[readers[i]] = ACCESS_READ;
	for (unsigned int i = 0; i < array_size(namers); i++)
		access_of[namers[i]] = ACCESS_WRITE | ACCESS_NAME;
	access_of[GUEST_CALL_execve] = ACCESS_EXECUTE;
	access_of[GUEST_CALL_execveat] = ACCESS_EXECUTE;
}

static unsigned int open_access(word flags)
{
	if (flags & O_PATH)
		return ACCESS_READ;
	return flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE) ? ACCESS_WRITE : ACCESS_READ;
}

/* Copies also the flags of openat2(), which are in memory. */
static long how_check(struct call *call, unsigned int *access)
{
	word how[HOW_MAX / sizeof(word)] = { 0 }, size = call->argument[3];

	if (size < HOW_MIN)
		return -LINUX_EINVAL;
	if (size > sizeof(how))
		return -LINUX_E2BIG;
	if (executive_read(how, call->argument[2], size) < 0)
		return -LINUX_EFAULT;
	*access = open_access(how[0]);
	return argument_copy(call, 2, how, size);
}

static long access_find(struct call *call, unsigned int *access)
{
	*access = access_of[call->number];
	if (call->number == GUEST_CALL_chdir)
		*access |= policy.relative;
	if (call->number == GUEST_CALL_open)
		*access = open_access(call->argument[1]);
	if (call->number == GUEST_CALL_openat)
		*access = open_access(call->argument[2]);
	return call->number == GUEST_CALL_openat2 ? how_check(call, access) : 0;
}

/* An empty path means a file descriptor, or Linux refuses it. */
long path_check(struct call *call, unsigned int access)
{
	if (!call->text[0])
		return access == ACCESS_READ ? 0 : REFUSED;
	path_normalise(call->text);
	return policy_path(call->text, access) ? 0 : REFUSED;
}

/* Returns whether a call without a path concerns the file descriptor in the argument before it. */
static bool may_lack_path(const struct call *call)
{
	const int folder = (int)call->argument[0];

	return call->number == GUEST_CALL_fanotify_mark ||
	       ((call->number == GUEST_CALL_utimensat || call->number == GUEST_CALL_futimesat) &&
		folder != GUEST_AT_FDCWD);
}

static long text_read(struct call *call, unsigned int n)
{
	long length = executive_read_text(call->text, sizeof(call->text), call->argument[n]);

	if (length == LIMPET_ERANGE)
		return -LINUX_ENAMETOOLONG;
	return length < 0 ? -LINUX_EFAULT : 0;
}

/*
 * Returns whether argument `n` is the target of a link. It is checked for write access, because the guest could write
 * through the link, and must not lead upwards.
 */
static bool is_target(const struct call *call, unsigned int n)
{
	return n == 0 &&
	       (call->number == GUEST_CALL_symlink || call->number == GUEST_CALL_symlinkat);
}

static bool has_parent(const char *path)
{
	for (const char *at = path; *at; at++)
		if ((at == path || at[-1] == '/') && at[0] == '.' && at[1] == '.' &&
		    (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static long target_check(struct call *call)
{
	if (call->text[0] == '/')
		return path_check(call, ACCESS_WRITE);
	return has_parent(call->text) ? REFUSED : 0;
}

/*
 * Returns whether the path is relative to a folder whose name the executive does not know, because a descriptor names
 * the folder. The guest may read the folder, since it has opened it, but perhaps not more.
 */
static bool is_below_descriptor(const struct call *call, const struct guest_call *known,
				unsigned int i)
{
	const struct guest_value *before = i ? guest_call_argument(known, i - 1) : NULL;

	return before && (before->kind == GUEST_DIRFD || before->kind == GUEST_FD) &&
	       call->text[0] && call->text[0] != '/' &&
	       (int)call->argument[before->at] != GUEST_AT_FDCWD;
}

/* The working folder stays one in which relative paths may have all accesses of the rule `relative`. */
long folder_check(void)
{
	return policy.relative & ~(unsigned int)ACCESS_READ ? REFUSED : 0;
}

/* Checks the value with index `i` of a call, which is a path. */
static long argument_check(struct call *call, const struct guest_call *known, unsigned int i,
			   unsigned int access)
{
	unsigned int n = guest_call_argument(known, i)->at;
	long error;

	if (!call->argument[n])
		return may_lack_path(call) ? 0 : -LINUX_EFAULT;
	error = text_read(call, n);
	if (error)
		return error;
	if (access & ~(unsigned int)ACCESS_READ && is_below_descriptor(call, known, i))
		return REFUSED;
	error = is_target(call, n) ? target_check(call) : path_check(call, access);
	return error ? error : argument_copy(call, n, call->text, strlen(call->text) + 1);
}

/* Returns whether the call makes a device node. The node could be for any device of the machine. */
static bool makes_device(const struct call *call)
{
	word mode = 0;

	if (call->number == GUEST_CALL_mknod)
		mode = call->argument[1];
	if (call->number == GUEST_CALL_mknodat)
		mode = call->argument[2];
	return (mode & S_IFMT) == S_IFCHR || (mode & S_IFMT) == S_IFBLK;
}

long paths_check(struct call *call)
{
	const struct guest_call *known = guest_call_at((long)call->number);
	unsigned int access;
	long error = access_find(call, &access);

	for (unsigned int i = 0; !error && i < known->count; i++) {
		const struct guest_value *value = guest_call_argument(known, i);

		if (value->kind == GUEST_PATH && value->way == GUEST_IN)
			error = argument_check(call, known, i, access);
	}
	return !error && makes_device(call) ? REFUSED : error;
}

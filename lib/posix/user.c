// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ids of the program's user, group and session. The program is one process without a parent, and the only one in its
 * session. It starts as user 0. It can become another user permanently, as in setuid() of POSIX.1-2017. It then loses
 * only the privileges that lib/posix checks.
 */
#include "call.h"
#include "posix.h"

static uint32_t user, group;

uint32_t user_effective(void)
{
	return user;
}

long call_getpid(void)
{
	return posix_pid();
}

long call_getppid(void)
{
	return 0;
}

long call_getuid(void)
{
	return user;
}

long call_geteuid(void)
{
	return user;
}

long call_getgid(void)
{
	return group;
}

long call_getegid(void)
{
	return group;
}

long call_getpgid(word pid)
{
	return pid && pid != posix_pid() ? -ESRCH : (long)posix_pid();
}

long call_getpgrp(void)
{
	return posix_pid();
}

long call_getsid(word pid)
{
	return call_getpgid(pid);
}

/* The real, effective and saved ids are always equal. The value -1 keeps an id. */
static long id_set(uint32_t *id, word wanted)
{
	if ((uint32_t)wanted == ~0u || (uint32_t)wanted == *id)
		return 0;
	if (user)
		return -EPERM;
	*id = (uint32_t)wanted;
	return 0;
}

long call_setuid(word id)
{
	return (uint32_t)id == ~0u ? -EINVAL : id_set(&user, id);
}

long call_setgid(word id)
{
	return (uint32_t)id == ~0u ? -EINVAL : id_set(&group, id);
}

long call_setreuid(word real, word effective)
{
	return id_set(&user, (uint32_t)effective == ~0u ? real : effective);
}

long call_setresuid(word real, word effective, word saved)
{
	(void)saved;
	return call_setreuid(real, effective);
}

/* The program leads its group and its session. */
long call_setpgid(word pid, word pgid)
{
	if (pid && pid != posix_pid())
		return -ESRCH;
	return pgid && pgid != posix_pid() ? -EPERM : 0;
}

long call_setsid(void)
{
	return -EPERM;
}

/* The program has no supplementary groups. */
long call_getgroups(word count, word to)
{
	(void)to;
	return (int)count < 0 ? -EINVAL : 0;
}

long call_setgroups(word count, word from)
{
	(void)from;
	if (user)
		return -EPERM;
	return count ? CALL_REFUSE(EINVAL, "there are no supplementary groups") : 0;
}

#define NICE_MAX 20 /* getpriority() returns 20 minus the nice value */

static int nice_value;

static long process_named(word which, word who)
{
	if (which > 2)
		return -EINVAL;
	return which < 2 && who && who != posix_pid() ? -ESRCH : 0;
}

/*
 * The nice value is stored and has no effect, because the system file sets the priorities. POSIX.1-2017, getpriority().
 */
long call_getpriority(word which, word who)
{
	const long status = process_named(which, who);

	return status ? status : NICE_MAX - nice_value;
}

long call_setpriority(word which, word who, word value)
{
	const long status = process_named(which, who);
	int wanted = (int)value;

	if (status)
		return status;
	wanted = wanted < -NICE_MAX ? -NICE_MAX : wanted >= NICE_MAX ? NICE_MAX - 1 : wanted;
	if (wanted < nice_value && user)
		return -EACCES;
	nice_value = wanted;
	return 0;
}

/* Fails, because a program never has child processes. POSIX.1-2017, wait(). */
long call_wait4(word pid, word status, word options, word usage)
{
	(void)pid;
	(void)status;
	(void)options;
	(void)usage;
	return -ECHILD;
}

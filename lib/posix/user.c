// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ids of the program's user, group and session. The program is one process without a parent, and the only one in its session.
 * It starts as user 0. It can become another user for good, as in setuid() of POSIX.1-2017, and then loses only the privileges
 * that lib/posix checks.
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

/* Fails, because a program never has child processes. POSIX.1-2017, wait(). */
long call_wait4(word pid, word status, word options, word usage)
{
	(void)pid;
	(void)status;
	(void)options;
	(void)usage;
	return -ECHILD;
}

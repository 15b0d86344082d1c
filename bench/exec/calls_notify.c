// SPDX-License-Identifier: GPL-2.0
/* A supervisor process on the same CPU receives each call by seccomp's user notification. */
#include <linux/filter.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.h"
#include "filter.h"

int filter_install(unsigned int action, unsigned int flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	long result;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		figure_die("PR_SET_NO_NEW_PRIVS");
	result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (result < 0)
		figure_die("seccomp");
	return (int)result;
}

/* Interrupts the supervisor if the child ends early. */
static void child_ended(int number)
{
	(void)number;
}

static void one_answer(const struct calls *calls, int listener)
{
	struct seccomp_notif call = { 0 };
	struct seccomp_notif_resp answer = { 0 };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		figure_die("SECCOMP_IOCTL_NOTIF_RECV");
	if (call.data.nr != SYS_getppid)
		calls_wrong(calls, "a notification of another call", call.data.nr);
	answer.id = call.id;
	if (calls->served)
		answer.val = CALLS_ANSWER;
	else
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer))
		figure_die("SECCOMP_IOCTL_NOTIF_SEND");
}

/* The child inherits the filter. The supervisor does not call getppid(). */
void calls_notify(struct calls *calls)
{
	const struct sigaction action = { .sa_handler = child_ended };
	int listener = filter_install(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
	pid_t child;

	if (sigaction(SIGCHLD, &action, NULL))
		figure_die("sigaction");
	child = fork();
	if (child < 0)
		figure_die("fork");
	if (!child) {
		calls_make(calls);
		exit(0);
	}
	for (unsigned long i = 0; i < calls->count + CALLS_WARM_UP; i++)
		one_answer(calls, listener);
	signal(SIGCHLD, SIG_DFL);
	calls_wait(calls, child);
}

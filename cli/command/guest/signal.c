// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <strings.h>

#include <cli/command/guest/guest.h>
#include <cli/common/text.h>

#define SIGNAL_MAX 64 /* Linux's real-time signals end here */

static const char *const names[] = {
	[SIGHUP] = "HUP",   [SIGINT] = "INT",	    [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",	    [SIGBUS] = "BUS",	[SIGFPE] = "FPE",
	[SIGKILL] = "KILL", [SIGUSR1] = "USR1",	    [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",	    [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
	[SIGCHLD] = "CHLD", [SIGCONT] = "CONT",	    [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
	[SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",	    [SIGURG] = "URG",	[SIGXCPU] = "XCPU",
	[SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
	[SIGIO] = "IO",	    [SIGPWR] = "PWR",	    [SIGSYS] = "SYS",
};

bool guest_signal_take(void *to, const char *text)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	int *signal = to;
	long number;

	if (text_number(text, 1, SIGNAL_MAX, &number)) {
		*signal = (int)number;
		return true;
	}
	for (unsigned int i = 1; i < sizeof(names) / sizeof(*names); i++) {
		*signal = (int)i;
		if (!strcasecmp(names[i], name))
			return true;
	}
	return false;
}

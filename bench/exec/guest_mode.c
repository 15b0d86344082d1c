// SPDX-License-Identifier: GPL-2.0
/*
 * Sets the mode of component exec.probe for guests that start later, and executes a command. Runs only as a guest of
 * that component.
 *
 *   guest_mode MODE COMMAND [ARGUMENT...]      MODE: a number of enum mode in the component's probe.h
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "../figure.h"

#define PROBE_MODE 500

int main(int argc, char **argv)
{
	if (argc < 3)
		figure_usage("guest_mode MODE COMMAND [ARGUMENT...]");
	if (syscall(PROBE_MODE, figure_number(argv[1]), 0) < 0)
		figure_die("setting the mode");
	execvp(argv[2], argv + 2);
	figure_die(argv[2]);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Opens the device, or runs a command, without the required rights:
 *
 *   denied user | capability | namespace [COMMAND...]
 *
 * Without a command: succeeds if the device cannot be opened, with EPERM.
 */
#include "../../lib/device.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define NOBODY 65534

static void drop_capability(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		die("capget: %s", strerror(errno));
	for (int i = 0; i < 2; i++)
		data[i].inheritable = 0;
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	data[0].permitted &= ~(1u << CAP_SYS_ADMIN);
	if (prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN) || syscall(SYS_capset, &header, data))
		die("capset: %s", strerror(errno));
}

static void become_unprivileged(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		die("setresuid: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	const char *who = argc > 1 ? argv[1] : "";

	if (!strcmp(who, "capability"))
		drop_capability();
	else
		become_unprivileged();
	if (!strcmp(who, "namespace") && unshare(CLONE_NEWUSER))
		die("unshare: %s", strerror(errno));
	if (argc > 2) {
		execvp(argv[2], argv + 2);
		die("%s: %s", argv[2], strerror(errno));
	}
	if (open(LIMPET_DEVICE, O_RDWR) >= 0)
		die("%s can be opened", LIMPET_DEVICE);
	if (errno != EPERM)
		die("%s: %s, not EPERM", LIMPET_DEVICE, strerror(errno));
	return 0;
}

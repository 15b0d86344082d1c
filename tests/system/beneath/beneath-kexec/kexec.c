// SPDX-License-Identifier: GPL-2.0
/* kexec KERNEL COMMAND-LINE: starts another Linux without an initrd. Returns only on failure. */
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failed(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	int kernel;

	if (argc != 3)
		return 2;
	kernel = open(argv[1], O_RDONLY);
	if (kernel < 0)
		return failed(argv[1]);
	if (syscall(SYS_kexec_file_load, kernel, -1, strlen(argv[2]) + 1, argv[2],
		    KEXEC_FILE_NO_INITRAMFS))
		return failed("kexec_file_load");
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	return failed("reboot");
}

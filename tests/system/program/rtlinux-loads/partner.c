// SPDX-License-Identifier: GPL-2.0
/*
 * The Linux partner of the module busy. Prints "ready" when the module has answered and its buffer
 * exists. Then it waits in read() until the system ends under its open files. Exits with 0, or
 * prints the error.
 */
#include "../../lib/device.h"
#include <cli/client/rtlinux/mbuff.h>

int main(void)
{
	const int commands = open("/dev/rtf0", O_WRONLY), answers = open("/dev/rtf1", O_RDONLY);
	const volatile char *area = mbuff_attach("area", 100);
	char bytes[3];
	ssize_t n;

	if (commands < 0 || answers < 0 || !area)
		die("open: %s", strerror(errno));
	if (write(commands, "abc", 3) != 3)
		die("write: %s", strerror(errno));
	for (n = 0; n < 3; n++)
		if (read(answers, bytes + n, 1) != 1)
			die("read: %s", strerror(errno));
	if (memcmp(bytes, "ABC", 3) != 0 || memcmp((const char *)area, "kept", 5) != 0)
		die("the module answers %.3s, and its buffer has %.4s", bytes, (const char *)area);
	printf("ready\n");
	fflush(stdout);
	n = read(answers, bytes, 1);
	if (n >= 0 || errno != EPIPE)
		die("read at the end of the system: %zd, %s", n, strerror(errno));
	while (write(commands, "a", 1) == 1) /* the FIFOs end one after the other */
		;
	if (errno != EPIPE)
		die("write at the end of the system: %s", strerror(errno));
	mbuff_detach("area", (void *)area);
	return 0;
}

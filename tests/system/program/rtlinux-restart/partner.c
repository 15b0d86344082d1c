// SPDX-License-Identifier: GPL-2.0
/* The Linux partner of the module steady: makes a request, and prints the answer and the number of periods. */
#include "../../lib/device.h"
#include <cli/client/rtlinux/mbuff.h>

int main(void)
{
	const int requests = open("/dev/rtf0", O_WRONLY), answers = open("/dev/rtf1", O_RDONLY);
	const volatile int *periods = mbuff_attach("area", 100);
	int answer;

	if (requests < 0 || answers < 0 || !periods)
		die("open: %s", strerror(errno));
	if (write(requests, "r", 1) != 1 ||
	    read(answers, &answer, sizeof(answer)) != sizeof(answer))
		die("request: %s", strerror(errno));
	printf("%d %d\n", answer, *periods);
	return 0;
}

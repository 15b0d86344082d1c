// SPDX-License-Identifier: GPL-2.0
/* Creates the queue that the programs of the public suite's folder mqueues open. The suite names it, and lacks it. */
#include <rtl.h>
#include <fcntl.h>
#include <mqueue.h>

int init_module(void)
{
	struct mq_attr form = { .mq_maxmsg = 10, .mq_msgsize = 100 };

	return mq_open("queue0", O_RDWR | O_CREAT, 0600, &form) < 0 ? -1 : 0;
}

void cleanup_module(void)
{
}

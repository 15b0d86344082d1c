// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that shares the buffer of the module faulty. It answers each byte in FIFO 1
 * with the buffer's text.
 */
#include <rtl.h>
#include <mbuff.h>
#include <rtl_fifo.h>
#include <string.h>

static char *area;

static int handler(unsigned int fifo)
{
	char byte;

	while (rtf_get(fifo, &byte, 1) == 1)
		rtf_put(2, area, 4);
	return 0;
}

int init_module(void)
{
	area = mbuff_alloc("area", 100);
	return !area || rtf_create(1, 64) || rtf_create(2, 64) || rtf_create_handler(1, handler)
		       ? -ENOMEM
		       : 0;
}

void cleanup_module(void)
{
}

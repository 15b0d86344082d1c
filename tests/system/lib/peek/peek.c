// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the physical memory that Linux's kernel can access:
 *
 *   insmod peek.ko at=ADDRESS pages=N
 *   /sys/module/peek/parameters/bytes     number of its bytes that are not 0
 *   /sys/module/peek/parameters/written   number of its pages that could be written
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <asm/asm.h>

static ulong at, pages;
module_param(at, ulong, 0444);
module_param(pages, ulong, 0444);
static ulong bytes, written;
module_param(bytes, ulong, 0444);
module_param(written, ulong, 0444);

/* Returns 0, or -1 if it faulted. */
static int write_byte(u8 *to, u8 value)
{
	int result = -1;

	asm volatile("1: movb %2, %1\n\txorl %0, %0\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : "+r"(result), "=m"(*to)
		     : "q"(value)
		     : "memory");
	return result;
}

static int __init peek_init(void)
{
	for (ulong n = 0; n < pages; n++) {
		u8 *page = phys_to_virt(at + n * PAGE_SIZE);

		for (unsigned int i = 0; i < PAGE_SIZE; i++)
			bytes += READ_ONCE(page[i]) != 0;
		written += !write_byte(page + n % PAGE_SIZE, 0xa5);
	}
	return 0;
}

static void __exit peek_exit(void)
{
}

module_init(peek_init);
module_exit(peek_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Reads and writes physical memory");

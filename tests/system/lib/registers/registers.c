// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes a device's registers in Linux's kernel, 32 bits each, by
 * /sys/module/registers/parameters:
 *
 *   echo ADDRESS >at
 *   cat value            prints the register
 *   echo NUMBER >value   writes it
 */
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>

static ulong at;
module_param(at, ulong, 0600);

static int value_get(char *text, const struct kernel_param *parameter)
{
	void __iomem *where = ioremap(at & PAGE_MASK, PAGE_SIZE);
	int length = where ? sprintf(text, "0x%08x\n", readl(where + (at & ~PAGE_MASK))) : -ENOMEM;

	if (where)
		iounmap(where);
	return length;
}

static int value_set(const char *text, const struct kernel_param *parameter)
{
	void __iomem *where;
	u32 value;
	int error = kstrtou32(text, 0, &value);

	if (error)
		return error;
	where = ioremap(at & PAGE_MASK, PAGE_SIZE);
	if (!where)
		return -ENOMEM;
	writel(value, where + (at & ~PAGE_MASK));
	iounmap(where);
	return 0;
}

static const struct kernel_param_ops value_ops = { .get = value_get, .set = value_set };
module_param_cb(value, &value_ops, NULL, 0600);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Reads and writes registers of devices");

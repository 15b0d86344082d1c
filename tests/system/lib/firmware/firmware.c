// SPDX-License-Identifier: GPL-2.0
/*
 * Makes CPU 0 take SMIs, for QEMU's machine `pc` in a counted run, with `-global hpet.msi=on`. The module replaces the
 * firmware's handler in the memory of system management mode by a loop. A timer of the HPET then raises the interrupts,
 * so that they hit CPU 0 in any code, and no software takes part.
 *
 *   insmod firmware.ko length=MICROSECONDS    the time of each SMI
 *   echo MICROSECONDS >every                  raises an SMI in each period of this time; 0 stops
 */
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pci.h>

#define BRIDGE PCI_VENDOR_ID_INTEL, 0x1237 /* i440FX */
#define SMRAM 0x72 /* register of the bridge: the memory is visible, or not */
#define SMRAM_OPEN 0x4a
#define SMRAM_CLOSED 0x0a
#define HANDLER 0xa8000 /* where SeaBIOS has moved CPU 0's handler */

#define HPET 0xfed00000
#define HPET_SIZE 1024
#define HPET_COUNTER 0xf0
#define HPET_TIMER 0x140 /* timer 2, which Linux does not use */
#define HPET_COMPARATOR (HPET_TIMER + 8)
#define HPET_MESSAGE (HPET_TIMER + 16)
#define HPET_ADDRESS (HPET_TIMER + 20)
#define HPET_CONFIG 0x414c	  /* messages, 32 bits, set the comparator, periodic, on */
#define HPET_US 100		  /* QEMU's counter has 100 MHz */
#define MESSAGE_SMI 0x200	  /* delivery mode SMI */
#define MESSAGE_CPU_0 0xfee00000u /* the local APIC with id 0 */

static void __iomem *hpet;
static unsigned int length = 100;
module_param(length, uint, 0400);

static void timer_stop(void)
{
	writel(0, hpet + HPET_TIMER);
}

static int every_set(const char *text, const struct kernel_param *parameter)
{
	unsigned int us;
	int error = kstrtouint(text, 0, &us);

	if (error)
		return error;
	timer_stop();
	if (!us)
		return 0;
	writel(MESSAGE_SMI, hpet + HPET_MESSAGE);
	writel(MESSAGE_CPU_0, hpet + HPET_ADDRESS);
	writel(HPET_CONFIG, hpet + HPET_TIMER);
	writel(readl(hpet + HPET_COUNTER) + us * HPET_US, hpet + HPET_COMPARATOR);
	writel(us * HPET_US, hpet + HPET_COMPARATOR);
	return 0;
}

static const struct kernel_param_ops every_ops = { .set = every_set };
module_param_cb(every, &every_ops, NULL, 0200);

/* Writes the handler. A counted run executes an instruction in a nanosecond, and a turn of the loop has two. */
static int handler_write(void)
{
	const u32 turns = length * 500;
	const u8 code[] = {
		0x66,
		0xb9,
		(u8)turns,
		(u8)(turns >> 8),
		(u8)(turns >> 16),
		(u8)(turns >> 24), /* mov ecx, turns */
		0x66,
		0x49, /* dec ecx */
		0x75,
		0xfc, /* jnz to the instruction before */
		0x0f,
		0xaa, /* rsm */
	};
	struct pci_dev *bridge = pci_get_device(BRIDGE, NULL);
	u8 __iomem *to = ioremap(HANDLER, sizeof(code));
	int error = bridge && to ? 0 : -ENODEV;

	if (!error) {
		pci_write_config_byte(bridge, SMRAM, SMRAM_OPEN);
		memcpy_toio(to, code, sizeof(code));
		pci_write_config_byte(bridge, SMRAM, SMRAM_CLOSED);
	}
	if (to)
		iounmap(to);
	pci_dev_put(bridge);
	return error;
}

static int __init firmware_start(void)
{
	int error;

	hpet = ioremap(HPET, HPET_SIZE);
	if (!hpet)
		return -ENOMEM;
	error = handler_write();
	if (error)
		iounmap(hpet);
	return error;
}
module_init(firmware_start);

static void __exit firmware_stop(void)
{
	timer_stop();
	iounmap(hpet);
}
module_exit(firmware_stop);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does what a machine's firmware does");

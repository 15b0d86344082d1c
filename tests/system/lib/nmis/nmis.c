// SPDX-License-Identifier: GPL-2.0
/*
 * Sends NMIs in a handler of NMIs:
 *
 *   insmod nmis.ko
 *   echo 100 >/sys/module/nmis/parameters/send   sends 100 NMIs, one after another, to the CPU that writes. The handler
 *                                                of each sends another one to the same CPU
 *   /sys/module/nmis/parameters/first            NMIs that were handled
 *   /sys/module/nmis/parameters/second           NMIs of handlers that were handled
 *   /sys/module/nmis/parameters/nested           handlers that were interrupted by an NMI
 *
 * A processor masks NMIs until the IRET of the handler. Each NMI writes its frame to the top of the same stack, so a
 * handler finds out by a change of that frame that it was interrupted.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#define FRAME_WORDS 5 /* SS, RSP, RFLAGS, CS, RIP at the lowest address */
#define LOOK_US 20    /* time that an NMI has to arrive */

static unsigned int first, second, nested;
module_param(first, uint, 0444);
module_param(second, uint, 0444);
module_param(nested, uint, 0444);

static int cpu = -1;  /* to which NMIs are sent, or -1 */
static bool in_first; /* the NMI of the writer is being handled, or the NMI of its handler is due */

static void nmi_send_here(void)
{
	native_apic_mem_write(APIC_ICR, APIC_DEST_SELF | APIC_DM_NMI);
}

static int nmi_seen(unsigned int type, struct pt_regs *regs)
{
	const volatile unsigned long *frame =
		(const unsigned long *)PAGE_ALIGN((unsigned long)regs) - FRAME_WORDS;
	unsigned long before;

	if (smp_processor_id() != cpu)
		return NMI_DONE;
	if (in_first) {
		second++;
		in_first = false;
		return NMI_HANDLED;
	}
	first++;
	in_first = true;
	before = *frame;
	nmi_send_here();
	udelay(LOOK_US);
	nested += *frame != before;
	return NMI_HANDLED;
}

static int send_set(const char *text, const struct kernel_param *param)
{
	unsigned int count;
	int error = kstrtouint(text, 0, &count);

	if (error)
		return error;
	cpu = get_cpu();
	while (count--) {
		nmi_send_here();
		udelay(LOOK_US);
	}
	cpu = -1;
	put_cpu();
	return 0;
}

static const struct kernel_param_ops send_ops = { .set = send_set };
module_param_cb(send, &send_ops, NULL, 0200);

static int __init nmis_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_seen, 0, "nmis");
}

static void __exit nmis_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "nmis");
}
module_init(nmis_init);
module_exit(nmis_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of Limpet: NMIs that arrive while Linux handles an NMI");

// SPDX-License-Identifier: GPL-2.0
#include <linux/entry-common.h>
#include <linux/smp.h>
#include <asm/fpu/api.h>

#include <host/linux/compat.h>
#include <host/linux/guest/work.h>

/* The interrupt arrives at the first instruction at user level, and Linux's work is done on the way back from it. */
void guest_work_keep(void)
{
	if (read_thread_flags() & EXIT_TO_USER_MODE_WORK)
		interrupt_cpu(smp_processor_id());
	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		linux_load_fpu();
}

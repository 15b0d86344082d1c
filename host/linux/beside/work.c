// SPDX-License-Identifier: GPL-2.0
#include <linux/entry-common.h>
#include <asm/fpu/api.h>

#include <host/linux/beside/work.h>

enum work work_check(void)
{
	const unsigned long work = read_thread_flags() &
				   (EXIT_TO_USER_MODE_WORK | _TIF_USER_RETURN_NOTIFY);

	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		linux_load_fpu();
	if (likely(!work))
		return WORK_NONE;
	return work & ~_TIF_NEED_RESCHED ? WORK_RETURN : WORK_SCHEDULE;
}

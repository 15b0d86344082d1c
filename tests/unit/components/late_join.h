/* SPDX-License-Identifier: BSD-2-Clause */
/* The work of a spare thread that ends after the time-out of thread 2's join, and before thread 2 continues. */
#ifndef LATE_JOIN_H
#define LATE_JOIN_H

#include <export/sched.h>

#include <sched/core.h>

#include "fake.h"

static void late_join_work(void)
{
	struct sched_work_results work;

	FAKE_CHECK(sched_serve_work(BADGE, &work) == LIMPET_OK);
	FAKE_CHECK(sched_serve_sleep_until(BADGE, 2000) == LIMPET_OK);
	fake_run_for(2000);
	FAKE_CHECK(sched_serve_yield(BADGE) == LIMPET_OK);
	FAKE_CHECK(sched.thread[2].state == STATE_READY);
	FAKE_CHECK(sched_serve_exit(BADGE, 5) == LIMPET_OK);
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
/* Functions of version 2 of the interface that this scheduler does not serve yet: refused as such. */
#include <limpet/error.h>

#include <export/sched.h>

long sched_serve_work(word badge, struct sched_work_results *out)
{
	(void)badge;
	(void)out;
	return LIMPET_ESTATE;
}

long sched_serve_create(word badge, word entry, word argument, word priority)
{
	(void)badge;
	(void)entry;
	(void)argument;
	(void)priority;
	return LIMPET_ESTATE;
}

long sched_serve_join(word badge, word thread, word deadline, struct sched_join_results *out)
{
	(void)badge;
	(void)thread;
	(void)deadline;
	(void)out;
	return LIMPET_ESTATE;
}

long sched_serve_detach(word badge, word thread)
{
	(void)badge;
	(void)thread;
	return LIMPET_ESTATE;
}

long sched_serve_priority(word badge, word thread, word priority)
{
	(void)badge;
	(void)thread;
	(void)priority;
	return LIMPET_ESTATE;
}

long sched_serve_suspend_for(word badge, word owner, word deadline)
{
	(void)badge;
	(void)owner;
	(void)deadline;
	return LIMPET_ESTATE;
}

long sched_serve_resume_best(word badge, word threads)
{
	(void)badge;
	(void)threads;
	return LIMPET_ESTATE;
}

long sched_serve_reserve(word badge, word thread, word budget, word period)
{
	(void)badge;
	(void)thread;
	(void)budget;
	(void)period;
	return LIMPET_ESTATE;
}

long sched_serve_account(word badge, word thread, struct sched_account_results *out)
{
	(void)badge;
	(void)thread;
	(void)out;
	return LIMPET_ESTATE;
}

long sched_serve_cpu(word badge, word thread)
{
	(void)badge;
	(void)thread;
	return LIMPET_ESTATE;
}

long sched_serve_set_cpu(word badge, word thread, word cpu)
{
	(void)badge;
	(void)thread;
	(void)cpu;
	return LIMPET_ESTATE;
}

long sched_serve_alarm(word badge, word deadline)
{
	(void)badge;
	(void)deadline;
	return LIMPET_ESTATE;
}

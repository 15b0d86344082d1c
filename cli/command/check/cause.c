// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the probable cause of a thread's worst job. The cause lies with the thread, another thread, or Linux: the one
 * that had the CPU for the largest part of the time from the job's release to its end. If it was Linux, the counters of
 * Linux and of the processor distinguish further.
 */
#include <inttypes.h>
#include <string.h>

#include <cli/command/check/cause_text.h>
#include <cli/command/check/hardware.h>
#include <cli/common/fault.h>

#define NARROW 5	/* less than 1 / NARROW of a period is a narrow margin */
#define STORM 8		/* number of interrupts within a job that is unusual */
#define STORM_RATE 5000 /* frequency of an interrupt that is unusual, per second */
#define THROTTLE_SLACK                                                                             \
	10 /* a time differs from the throttled time by at most 1 / THROTTLE_SLACK of it */
#define THROTTLE_TICK_US 10000 /* the longest tick of Linux, at which throttling starts */
#define TIMER "LOC "	       /* how the name of Linux's timer interrupt starts */
#define TIMER_PERIODS 4	       /* a timer interrupt takes less than this number of its periods */
#define STOPPER "migration/"   /* how the name of Linux's thread that stops a CPU starts */
#define NMI "NMI "	       /* how the name of this interrupt starts */

/* Returns the index of the component in which a thread of the CPU started, or SNAPSHOT_NONE. */
static unsigned int thread_home(const struct check *check, unsigned int cpu, unsigned int id)
{
	const struct limpet_stat *stat = &check->snapshot.stat;

	for (unsigned int i = 0; i < stat->threads; i++)
		if (stat->thread[i].cpu == cpu && stat->thread[i].id == id)
			return stat->thread[i].home;
	return SNAPSHOT_NONE;
}

/* --- Linux's part */

/*
 * Returns whether throttling explains Linux's longest time in the job. Throttling starts at a tick, after components
 * have run for their part of the throttling period. Therefore it can be shorter or longer than the rest of the period.
 * If the recorded events begin too late to show how long components ran, the time must be close to the rest of the
 * period.
 */
static bool throttled(const struct check *check, const struct machine *machine,
		      const struct check_thread *thread)
{
	const struct timeline_sum *sum = thread->sum;
	const int64_t us = (int64_t)(check_ns(check, sum->linux_until - sum->linux_from) / 1000);
	const int64_t rest = machine->throttle_us, slack = rest / THROTTLE_SLACK;
	const int64_t runtime = machine->throttle_period_us - rest;

	if (!rest)
		return false;
	if ((int64_t)(check_ns(check, thread->ran) / 1000) > runtime - runtime / 4)
		return us > rest / 2 && us < rest + slack + THROTTLE_TICK_US;
	return !thread->ran_known && us > rest - slack && us < rest + slack;
}

/*
 * Blames a thread of Linux if it ran for at least half of `ticks`, the time during which components did not have the
 * CPU. The longest such time without a break is `longest`. Returns false if no thread did.
 */
static bool task_blame(struct check *check, struct check_thread *thread, uint64_t ticks,
		       uint64_t longest)
{
	uint64_t ns;
	const struct machine_task *task =
		machine_longest(&check->before[thread->cpu], &check->after[thread->cpu], &ns);
	struct cause *cause = &thread->cause;
	const unsigned int linux_cpu = check->snapshot.info.cpu[thread->cpu];

	if (!task || ns < check_ns(check, ticks) / 2)
		return false;
	cause_set(
		cause, CAUSE_LINUX_TASK,
		"Linux had the CPU for up to %.1f µs at a time. Its thread %s (id %d, %s, priority "
		"%d) has a higher priority than the components and ran for %.1f ms on CPU %u meanwhile.",
		check_us(check, longest), task->name, task->id, task->policy, task->priority,
		(double)ns / 1e6, linux_cpu);
	if (!strncmp(task->name, STOPPER, strlen(STOPPER)))
		cause_remedy(cause,
			     "Linux stops a CPU with that thread when it patches its code, changes "
			     "its CPUs or moves a running thread. Do not load modules, start "
			     "traces or pin threads while the system runs.");
	else
		cause_remedy(cause,
			     "Give it another CPU (taskset), or a priority below %d (chrt); or "
			     "start the system with a higher --priority.",
			     check->priority[thread->cpu]);
	return true;
}

/*
 * Returns whether timer interrupts at this rate are too short for Linux's longest time in the job. Unlike those of a
 * device, they do not come directly after each other, and a system of components causes many of them.
 */
static bool timer_denied(const struct check *check, const struct check_thread *thread,
			 const struct machine_interrupt *busiest, double rate)
{
	const double longest = check_us(check, thread->sum->linux_longest) / 1e6;

	return !strncmp(busiest->name, TIMER, strlen(TIMER)) && longest * rate > TIMER_PERIODS;
}

static bool interrupts_blame(struct check *check, struct check_thread *thread, double us)
{
	uint64_t count;
	const struct machine_interrupt *busiest =
		machine_busiest(&check->before[thread->cpu], &check->after[thread->cpu], &count);
	const double rate = check->seconds > 0 ? (double)count / check->seconds : 0;
	struct cause *cause = &thread->cause;

	if (!busiest || (thread->sum->interrupts < STORM &&
			 (rate < STORM_RATE || timer_denied(check, thread, busiest, rate))))
		return false;
	if (!strncmp(busiest->name, NMI, strlen(NMI))) {
		hardware_nmi_set(cause, us, thread->change.nmis, rate);
		return true;
	}
	cause_set(cause, CAUSE_INTERRUPTS,
		  "Linux had the CPU for %.1f µs of that job, and %u interrupt%s took it from "
		  "components. The most frequent interrupt is %s: %.0f a second.",
		  us, thread->sum->interrupts, thread->sum->interrupts == 1 ? "" : "s",
		  busiest->name, rate);
	cause_remedy(cause,
		     "Move that interrupt to another CPU (/proc/irq/NUMBER/smp_affinity_list, "
		     "irqbalance), or find their source.");
	return true;
}

/* Blames Linux as a whole, because no counter shows a more specific cause. */
static void linux_blame(struct check *check, struct check_thread *thread, double us)
{
	struct cause *cause = &thread->cause;

	cause_set(cause, CAUSE_LINUX,
		  "Linux had the CPU for %.1f µs of that job, for at most %.1f µs at a time.", us,
		  check_us(check, thread->sum->linux_longest));
	if (check->snapshot.info.mode == LIMPET_MODE_BENEATH)
		cause_remedy(cause,
			     "Reduce Linux's share (--linux-share), or give the system a CPU "
			     "that Linux does not use.");
	else
		cause_remedy(cause,
			     "Isolate the CPU (isolcpus=, nohz_full=), use a PREEMPT_RT kernel, or "
			     "attach beneath, where the system does not wait for Linux.");
}

/* Blames a stop of the machine while Linux had the CPU for most of its time in the job without a break. */
static bool linux_stall_blame(struct check *check, struct check_thread *thread)
{
	const uint64_t longest = thread->sum->linux_longest;

	return longest >= timeline_linux(thread->sum) / 2 &&
	       hardware_stall_blame(check, thread, longest);
}

static void linux_judge(struct check *check, struct check_thread *thread)
{
	const struct timeline_sum *sum = thread->sum;
	const struct machine *before = &check->before[thread->cpu];
	const struct machine *after = &check->after[thread->cpu];
	struct cause *cause = &thread->cause;
	const double us = check_us(check, timeline_linux(sum));

	if (sum->linux[TIMELINE_SHARE] > timeline_linux(sum) / 2) {
		cause_set(
			cause, CAUSE_SHARE,
			"Linux's share of the CPU took %.1f µs of that job; it is %.1f %% of each CPU.",
			us, (double)check->snapshot.info.linux_share / 10);
		cause_remedy(cause, "Start the system with a smaller --linux-share, or make its "
				    "threads need less of the CPU.");
	} else if (throttled(check, after, thread)) {
		cause_set(
			cause, CAUSE_THROTTLING,
			"Linux kept the CPU for %.1f µs at a time, as its throttling of real-time "
			"threads does: %.1f ms of each %.1f ms.",
			check_us(check, sum->linux_until - sum->linux_from),
			(double)after->throttle_us / 1000,
			(double)after->throttle_period_us / 1000);
		cause_remedy(cause,
			     "Start the system with a --linux-share above %" PRId64
			     ", or switch throttling off (sysctl kernel.sched_rt_runtime_us=-1).",
			     after->throttle_us * 1000 / after->throttle_period_us);
	} else if (hardware_cpus_blame(thread, us) ||
		   task_blame(check, thread, timeline_linux(sum), sum->linux_longest) ||
		   hardware_smi_blame(check, thread) || linux_stall_blame(check, thread) ||
		   interrupts_blame(check, thread, us)) {
		return;
	} else if (before->steal_ms >= 0 && after->steal_ms > before->steal_ms) {
		cause_set(cause, CAUSE_STEAL,
			  "A hypervisor took %" PRId64
			  " ms from the CPU while the system was checked.",
			  after->steal_ms - before->steal_ms);
		cause_remedy(cause, "Give the virtual machine a processor of its own, or use a "
				    "machine without a hypervisor.");
	} else if (!hardware_idle_blame(check, thread, us)) {
		linux_blame(check, thread, us);
	}
}

/* --- The system's part */

static void other_judge(struct check *check, struct check_thread *thread, unsigned int other)
{
	const struct image *image = &check->snapshot.image;
	const unsigned int home = thread_home(check, thread->cpu, other);
	const char *name = image_component_name(image, home);
	const char *channel = thread->sum->woken[other] ? image_input_channel(image, home) : NULL;
	const double us = check_us(check, thread->sum->thread[other]);
	const struct check_thread *hwlat = check_hwlat(check, thread->cpu);
	struct cause *cause = &thread->cause;

	if (hwlat && hwlat->id == other &&
	    hardware_stall_blame(check, thread, thread->sum->thread[other]))
		return;
	if (channel) {
		cause_set(
			cause, CAUSE_CHANNEL,
			"Thread %u of component %s ran for %.1f µs of that job. %u event%s woke it, "
			"and Linux sends to its channel %s.",
			other, name, us, thread->sum->woken[other],
			thread->sum->woken[other] == 1 ? "" : "s", channel);
		cause_remedy(
			cause,
			"Give %s a budget (reserve) or a lower priority, let it do less for each "
			"message, or let Linux send fewer.",
			name);
	} else {
		cause_set(cause, CAUSE_THREAD,
			  "Thread %u of component %s ran for %.1f µs of that job.", other, name,
			  us);
		cause_remedy(cause,
			     "Give that thread a lower priority or a budget (reserve), or run "
			     "under deadlines (sched.edf).");
	}
}

static void own_judge(struct check *check, struct check_thread *thread)
{
	const uint64_t usual = check_quantile(&thread->before.run, &thread->now.run, 500);
	const double run = check_us(check, thread->now.run.max);
	const bool longer = thread->now.run.max > CAUSE_LONGER * usual;
	struct cause *cause = &thread->cause;

	if (thread->sum->faults[thread->id]) {
		cause_set(
			cause, CAUSE_FAULTS,
			"The thread had %u page faults or other exceptions in that job and ran for "
			"%.1f µs; half of its jobs run for at most %.1f µs.",
			thread->sum->faults[thread->id], run, check_us(check, usual));
		cause_remedy(cause,
			     "Touch all memory before the first period, or give the component "
			     "its memory in the system file.");
	} else if (longer && hardware_own_blame(check, thread)) {
		return;
	} else if (longer) {
		cause_set(
			cause, CAUSE_OWN,
			"The thread itself ran for %.1f µs in that job; half of its jobs run for at "
			"most %.1f µs. Neither Linux nor another thread had the CPU then.",
			run, check_us(check, usual));
		cause_remedy(
			cause, "Look for the longer way through its code (limpet trace).%s",
			check_hwlat(check, thread->cpu)
				? ""
				: " If its jobs are all alike, add component hwlat to the system "
				  "and check again: it sees when the machine stops.");
	} else {
		cause_set(cause, CAUSE_OWN,
			  "The thread itself runs for up to %.1f µs of its period of %.1f µs.", run,
			  check_us(check, thread->period));
		cause_remedy(cause, "Give it less to do, or a longer period.");
	}
}

/* Returns the other thread that ran longest in the worst job, or the checked thread if no other thread ran. */
static unsigned int other_find(const struct check_thread *thread)
{
	unsigned int other = thread->id;
	uint64_t longest = 0;

	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		if (id != thread->id && thread->sum->thread[id] > longest) {
			longest = thread->sum->thread[id];
			other = id;
		}
	return other;
}

static void budget_judge(struct check *check, struct check_thread *thread)
{
	cause_set(
		&thread->cause, CAUSE_BUDGET,
		"Its scheduler held the thread %" PRIu64
		" times because its budget or its slot was used up; its longest job ran for %.1f µs.",
		thread->now.held - thread->before.held, check_us(check, thread->now.run.max));
	cause_remedy(&thread->cause, "Reserve more than that, or make its jobs shorter.");
}

/* Finds out why the last job does not end: the thread runs, another thread runs, or the thread waits. */
static void stuck_judge(struct check *check, struct check_thread *thread)
{
	const struct timeline_sum *sum = thread->sum;
	const unsigned int other = other_find(thread);
	const uint64_t max = CHECK_STUCK * thread->period / 2;

	if (sum->whole && sum->thread[thread->id] > max) {
		cause_set(&thread->cause, CAUSE_OWN,
			  "Its last job does not end: the thread itself runs on.");
		cause_remedy(&thread->cause, "Look for a loop in its code that does not end.");
	} else if (sum->whole && other != thread->id && sum->thread[other] > max) {
		other_judge(check, thread, other);
	} else {
		cause_set(&thread->cause, CAUSE_STUCK,
			  "Its last job does not end: the thread is %s, in component %s.",
			  thread_state_word(thread->state),
			  image_component_name(&check->snapshot.image, thread->inside));
		cause_remedy(&thread->cause,
			     "Look at `limpet ps` and `limpet log`: its component may "
			     "have crashed, or the thread waits for another one.");
	}
}

/*
 * Returns the longest time that the thread itself can have run in its worst job. Before a late job begins, only the job
 * before it can run, for as long as it ended after the release.
 */
static uint64_t own_longest(const struct check *check, const struct check_thread *thread)
{
	const struct limpet_jobs *now = &thread->now;
	const uint64_t response = now->response.max;
	const uint64_t over = response > thread->period ? response - thread->period : 0;

	if (check_worst(check, thread) == &now->response)
		return now->run.max;
	return over < now->run.max ? over : now->run.max;
}

/*
 * Linux can have the CPU without an event while the host thread waits for a wake-up. The events then show that time as
 * the thread's own. Gives what exceeds the thread's longest run, which the kernel counts exactly, to Linux.
 */
static void unseen_move(const struct check *check, struct check_thread *thread)
{
	struct timeline_sum *sum = thread->sum;
	const uint64_t run = own_longest(check, thread);

	if (sum->thread[thread->id] <= 2 * run)
		return;
	sum->linux[TIMELINE_IDLE] += sum->thread[thread->id] - run;
	if (sum->thread[thread->id] - run > sum->linux_longest)
		sum->linux_longest = sum->thread[thread->id] - run;
	sum->thread[thread->id] = run;
}

/* Judges a job without its events. If it began late for most of its time, Linux is likely to have had the CPU. */
static void lost_judge(struct check *check, struct check_thread *thread)
{
	const uint64_t late = thread->now.late.max;

	if (late >= check_worst(check, thread)->max / 2 &&
	    (hardware_cpus_blame(thread, check_us(check, late)) ||
	     task_blame(check, thread, late, late)))
		return;
	cause_set(&thread->cause, CAUSE_UNKNOWN,
		  "The events of that job were lost, so what had the CPU is unknown.");
	cause_remedy(&thread->cause,
		     "Give the rings more space ([system] trace in the system file), or check "
		     "when the system does less.");
}

static void cause_judge(struct check *check, struct check_thread *thread)
{
	const struct timeline_sum *sum = thread->sum;
	const unsigned int other = other_find(thread);
	uint64_t own, others;

	if (!check_stuck(check, thread))
		unseen_move(check, thread);
	own = sum->thread[thread->id];
	others = sum->thread[other];
	if (check_stuck(check, thread)) {
		stuck_judge(check, thread);
	} else if (thread->now.held > thread->before.held) {
		budget_judge(check, thread);
	} else if (!sum->whole || thread->analyzed != check_worst(check, thread)->max) {
		lost_judge(check, thread);
	} else if (timeline_linux(sum) >= own && timeline_linux(sum) >= others) {
		linux_judge(check, thread);
	} else if (other != thread->id && others >= own) {
		other_judge(check, thread, other);
	} else {
		own_judge(check, thread);
	}
}

static enum check_verdict verdict_of(const struct check *check, const struct check_thread *thread)
{
	const struct limpet_jobs *now = &thread->now;

	if (check_stuck(check, thread))
		return CHECK_FAILED;
	if (!check_jobs(thread))
		return CHECK_IDLE;
	if (check_missed(thread) || now->response.max > thread->period ||
	    (check->late_ns && check_ns(check, now->late.max) > check->late_ns))
		return CHECK_FAILED;
	return thread->period - now->response.max < thread->period / NARROW ? CHECK_NARROW
									    : CHECK_REALTIME;
}

void check_judge(struct check *check)
{
	for (struct check_thread *thread = check->thread; thread < check->thread + check->threads;
	     thread++) {
		thread->verdict = verdict_of(check, thread);
		thread->cause.kind = CAUSE_NONE;
		if (thread->verdict == CHECK_NARROW || thread->verdict == CHECK_FAILED)
			cause_judge(check, thread);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Finds causes in the processor and the machine: SMIs, NMIs, heat, other frequencies, idle states, CPUs that go
 * offline, and stops of the machine that only the component hwlat sees. A counter that changed is not enough: the
 * change must be near the worst job, and large and frequent enough to explain the job.
 */
#include <inttypes.h>
#include <string.h>

#include <cli/command/check/cause_text.h>
#include <cli/command/check/hardware.h>

#define HWLAT "hwlat" /* image of the component that looks for stops of the machine */
#define HWLAT_MEETS 5 /* expected number of SMIs during hwlat's time that makes it a witness */
#define NMIS_MIN 8    /* number of NMIs near a job that is unusual */
/* Heat slows code at most by this factor: a quarter of the frequency, an eighth of the clocks. */
#define HEAT_SLOWER 32

/* Returns the median of a thread's run times. */
static uint64_t run_usual(const struct check_thread *thread)
{
	return check_quantile(&thread->before.run, &thread->now.run, 500);
}

/* Returns the number of jobs that ran unusually long. */
static uint64_t jobs_longer(const struct check_thread *thread)
{
	const uint64_t limit = CAUSE_LONGER * run_usual(thread);
	uint64_t jobs = 0;

	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++)
		if (limpet_job_floor(n) >= limit)
			jobs += thread->now.run.bucket[n] - thread->before.run.bucket[n];
	return jobs;
}

const struct check_thread *check_hwlat(const struct check *check, unsigned int cpu)
{
	for (unsigned int i = 0; i < check->threads; i++) {
		const struct check_thread *thread = &check->thread[i];

		if (thread->cpu == cpu && check_jobs(thread) &&
		    !strcmp(image_component_image(&check->snapshot.image, thread->home), HWLAT))
			return thread;
	}
	return NULL;
}

uint64_t check_gap(const struct check_thread *hwlat)
{
	const uint64_t usual = run_usual(hwlat);

	return hwlat->now.run.max > usual ? hwlat->now.run.max - usual : 0;
}

static int64_t smis_all(const struct check *check, unsigned int cpu)
{
	struct history_change whole;

	history_whole(&check->history[cpu], &whole);
	return whole.smis;
}

/*
 * Returns whether hwlat contradicts that an SMI stopped the CPU for `ticks`: so many SMIs came that hwlat must have met
 * several of them, and it saw only much shorter stops.
 */
static bool gap_denied(const struct check *check, unsigned int cpu, uint64_t ticks)
{
	const struct check_thread *hwlat = check_hwlat(check, cpu);

	return hwlat && check_gap(hwlat) < ticks / 2 &&
	       (uint64_t)smis_all(check, cpu) * run_usual(hwlat) > HWLAT_MEETS * hwlat->period;
}

static void smi_set(const struct check *check, struct check_thread *thread, uint64_t ticks)
{
	const int64_t near = thread->change.smis;

	cause_set(&thread->cause, CAUSE_SMI,
		  "Interrupts of the firmware (SMIs): %" PRId64 " in %.0f s, %" PRId64
		  " of them near that job, which lost up to %.1f µs.",
		  smis_all(check, thread->cpu), check->seconds, near, check_us(check, ticks));
	cause_remedy(&thread->cause, "Turn off legacy USB support and power management in the "
				     "firmware's settings.");
}

bool hardware_smi_blame(const struct check *check, struct check_thread *thread)
{
	const uint64_t longest = thread->sum->linux_longest;

	if (!thread->change.smis || longest < timeline_linux(thread->sum) / 2 ||
	    gap_denied(check, thread->cpu, longest))
		return false;
	smi_set(check, thread, longest);
	return true;
}

void hardware_nmi_set(struct cause *cause, double us, int64_t nmis, double rate)
{
	cause_set(cause, CAUSE_NMI,
		  "%" PRId64 " NMIs came near that job, %.0f a second. The job lost up to %.1f µs.",
		  nmis, rate, us);
	cause_remedy(cause, "Stop perf, and switch the NMI watchdog off (sysctl "
			    "kernel.nmi_watchdog=0).");
}

static void frequency_set(const struct check *check, struct check_thread *thread, uint64_t usual)
{
	const struct history_change *change = &thread->change;

	cause_set(
		&thread->cause, CAUSE_FREQUENCY,
		"The processor's frequency changed near that job, and is now %.0f of %.0f MHz. The "
		"job ran for %.1f µs; half of the thread's jobs run for at most %.1f µs.",
		(double)change->khz / 1000, (double)change->khz_max / 1000,
		check_us(check, thread->now.run.max), check_us(check, usual));
	cause_remedy(&thread->cause, "Keep the frequency constant (cpupower frequency-set "
				     "--governor performance).");
}

static void heat_set(const struct check *check, struct check_thread *thread, uint64_t usual)
{
	cause_set(&thread->cause, CAUSE_HEAT,
		  "The processor throttled itself %" PRId64
		  " time%s near that job because it was too hot. "
		  "The job ran for %.1f µs; half of the thread's jobs run for at most %.1f µs.",
		  thread->change.hot, thread->change.hot == 1 ? "" : "s",
		  check_us(check, thread->now.run.max), check_us(check, usual));
	cause_remedy(&thread->cause,
		     "Improve the cooling (fan, dust, temperature of the room), or lower "
		     "the load or the frequency (cpupower frequency-set --max).");
}

static void stall_set(const struct check *check, struct check_thread *thread, uint64_t gap)
{
	cause_set(
		&thread->cause, CAUSE_STALL,
		"The CPU stopped for up to %.1f µs. Component hwlat, which reads the time in a loop, "
		"saw this, and no software ran meanwhile.",
		check_us(check, gap));
	cause_remedy(&thread->cause,
		     "Turn off legacy USB support and power management in the firmware's settings. "
		     "In a virtual machine, give it a processor of its own.");
}

bool hardware_stall_blame(const struct check *check, struct check_thread *thread, uint64_t ticks)
{
	const struct check_thread *hwlat = check_hwlat(check, thread->cpu);

	if (!hwlat || check_gap(hwlat) < ticks / 2 || !jobs_longer(hwlat))
		return false;
	if (thread->change.smis)
		smi_set(check, thread, check_gap(hwlat));
	else
		stall_set(check, thread, check_gap(hwlat));
	return true;
}

bool hardware_own_blame(const struct check *check, struct check_thread *thread)
{
	const struct history_change *change = &thread->change;
	const uint64_t usual = run_usual(thread), jobs = jobs_longer(thread);
	const uint64_t more = thread->now.run.max - usual;
	struct history_change whole;

	history_whole(&check->history[thread->cpu], &whole);
	if (change->smis && (uint64_t)whole.smis >= jobs && !gap_denied(check, thread->cpu, more)) {
		smi_set(check, thread, more);
	} else if (change->nmis >= NMIS_MIN && (uint64_t)whole.nmis >= jobs) {
		hardware_nmi_set(&thread->cause, check_us(check, more), change->nmis,
				 (double)whole.nmis / check->seconds);
	} else if (change->hot && thread->now.run.max <= usual * HEAT_SLOWER) {
		heat_set(check, thread, usual);
	} else if (change->frequency &&
		   (double)thread->now.run.max <= (double)usual * change->slowest) {
		frequency_set(check, thread, usual);
	} else {
		return hardware_stall_blame(check, thread, more);
	}
	return true;
}

bool hardware_cpus_blame(struct check_thread *thread, double us)
{
	const struct history_change *change = &thread->change;

	if (!history_cpus_changed(change))
		return false;
	cause_set(
		&thread->cause, CAUSE_CPUS,
		"Linux had the CPU for %.1f µs of that job. Its CPUs changed from %s to %s near that "
		"job. Linux stops all CPUs when one goes offline.",
		us, change->before, change->after);
	cause_remedy(&thread->cause,
		     "Do not switch CPUs off or on (/sys/devices/system/cpu/cpu*/online) while the "
		     "system runs.");
	return true;
}

bool hardware_idle_blame(const struct check *check, struct check_thread *thread, double us)
{
	const struct timeline_sum *sum = thread->sum;
	const struct history_state *state = &thread->change.state;
	const double latency = (double)state->latency_us;

	if (check->snapshot.info.mode == LIMPET_MODE_BENEATH || !state->usage ||
	    sum->linux[TIMELINE_IDLE] <= timeline_linux(sum) / 2 || us < latency / 2 ||
	    us > latency * 2)
		return false;
	cause_set(&thread->cause, CAUSE_IDLE_STATE,
		  "The CPU was idle for Linux and began that job %.1f µs late. Its idle state %s, "
		  "entered %ld times near that job, takes %ld µs to leave.",
		  us, state->name, state->usage, state->latency_us);
	cause_remedy(&thread->cause,
		     "Forbid that idle state (cpupower idle-set --disable-by-latency "
		     "%ld).",
		     state->latency_us - 1);
	return true;
}

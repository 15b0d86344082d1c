// SPDX-License-Identifier: GPL-2.0
/* Tests what `limpet check` reads: the events, and the counters of Linux and of the hardware. */
#include <unistd.h>

#include "check_room.h"

static void test_timeline(void **state)
{
	(void)state;
	event(100, LIMPET_TRACE_PAUSE, 1, LIMPET_REASON_IDLE);
	event(200, LIMPET_TRACE_RESUME, 1, 0);
	event(210, LIMPET_TRACE_EVENT, CHECKED, 0);
	event(250, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(400, LIMPET_TRACE_PAUSE, CHECKED, 0);
	event(450, LIMPET_TRACE_RESUME, CHECKED, 0);
	event(460, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(500, LIMPET_TRACE_PAUSE, CHECKED, LIMPET_REASON_SHARE);
	timeline_take(&sum, &timeline, 150, 480);
	assert_true(sum.whole);
	assert_int_equal(sum.linux[TIMELINE_IDLE], 50);
	assert_int_equal(sum.linux[TIMELINE_INTERRUPT], 50);
	assert_int_equal(sum.linux[TIMELINE_SHARE], 0);
	assert_int_equal(sum.linux_longest, 50);
	assert_int_equal(sum.thread[1], 50);
	assert_int_equal(sum.thread[CHECKED], 180);
	assert_int_equal(sum.interrupts, 1);
	assert_int_equal(sum.woken[CHECKED], 1);
	assert_int_equal(sum.faults[CHECKED], 1);
	assert_int_equal(timeline_linux(&sum), 100);
	assert_int_equal(timeline_end(&timeline), 500);

	timeline_take(&sum, &timeline, 50, 480); /* before the first event */
	assert_false(sum.whole);
	timeline_take(&sum, &timeline, 450, 501); /* after the last */
	assert_false(sum.whole);
	timeline_put(&timeline, NULL, 0, 7); /* events were lost */
	timeline_take(&sum, &timeline, 150, 480);
	assert_false(sum.whole);
}

/* A copy starts with the event that shows the user of the CPU, even if later events do not show it. */
static void test_timeline_copy(void **state)
{
	struct limpet_trace_event *copy;
	size_t count;

	(void)state;
	event(100, LIMPET_TRACE_RESUME, 1, 0);
	event(200, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	event(300, LIMPET_TRACE_EVENT, OTHER, 0);
	event(400, LIMPET_TRACE_FAULT, CHECKED, 14);
	event(500, LIMPET_TRACE_PAUSE, CHECKED, 0);
	copy = timeline_copy(&timeline, 350, 500, &count);
	assert_non_null(copy);
	assert_int_equal(count, 3);
	assert_int_equal(copy[0].time, 200);
	assert_int_equal(copy[2].time, 400);
	free(copy);
	copy = timeline_copy(&timeline, 0, UINT64_MAX, &count);
	assert_int_equal(count, 5);
	free(copy);
	assert_null(timeline_copy(&timeline, 0, 100, &count));
	assert_int_equal(count, 0);
}

/* A full timeline drops its oldest events and keeps all others. */
static void test_timeline_full(void **state)
{
	(void)state;
	for (uint64_t time = 1; time <= TIMELINE_EVENTS + 1000; time++)
		event(time, LIMPET_TRACE_DISPATCH, CHECKED, 0);
	timeline_take(&sum, &timeline, 1001, TIMELINE_EVENTS + 1000);
	assert_true(sum.whole);
	assert_int_equal(sum.thread[CHECKED], TIMELINE_EVENTS - 1);
	timeline_take(&sum, &timeline, 1000, TIMELINE_EVENTS);
	assert_false(sum.whole);
}

/* Reads the made-up files of a Linux with two CPUs. */
static void test_machine(void **state)
{
	static struct machine now;

	(void)state;
	put("/proc/interrupts", "           CPU0       CPU1\n"
				"  1:          9         10   IO-APIC   1-edge      i8042\n"
				"LOC:        100        200   Local timer interrupts\n"
				"ERR:          0\n");
	put("/proc/stat", "cpu  1 2 3 4 5 6 7 100 0 0\ncpu0 1 2 3 4 5 6 7 40 0 0\n"
			  "cpu1 1 2 3 4 5 6 7 60 0 0\n");
	put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
	/* Fields 39 to 41: processor, priority, policy. */
	put("/proc/7/task/8/stat",
	    "8 (a (b) c) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1 1 1 1 1 1 "
	    "1 1 0 0 0 0 0 0 17 1 99 1 0 0 0\n");
	put("/proc/7/task/8/schedstat", "12345 6 7\n");
	put("/proc/7/task/9/stat",
	    "9 (low) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1 1 1 1 1 1 "
	    "1 1 0 0 0 0 0 0 17 1 10 1 0 0 0\n");
	put("/proc/7/task/9/schedstat", "5 6 7\n");
	machine_read(&now, root, 1, 90);
	assert_int_equal(now.interrupts, 2);
	assert_string_equal(now.interrupt[0].name, "1 (i8042)");
	assert_int_equal(now.interrupt[0].count, 10);
	assert_string_equal(now.interrupt[1].name, "LOC (Local timer interrupts)");
	assert_int_equal(now.interrupt[1].count, 200);
	assert_int_equal(now.tasks, 1);
	assert_string_equal(now.task[0].name, "a (b) c");
	assert_string_equal(now.task[0].policy, "SCHED_FIFO");
	assert_int_equal(now.task[0].priority, 99);
	assert_int_equal(now.task[0].ran_ns, 12345);
	assert_int_equal(now.steal_ms, 60 * 1000 / sysconf(_SC_CLK_TCK));
	assert_int_equal(now.throttle_us, 50000);
	assert_int_equal(now.throttle_period_us, 1000000);
	assert_int_equal(machine_priority(root, 7, 1), 99);
	assert_int_equal(machine_priority(root, 7, 0), 0);
	machine_read(&now, root, 5, 90); /* no such CPU */
	assert_int_equal(now.interrupts + now.tasks, 0);
}

/* Reads the hardware's counters from made-up files. The counter of SMIs is at offset 0x34 of the MSR file. */
static void test_history(void **state)
{
	static struct history now;
	struct history_change change;
	char path[128];
	uint64_t count = 77;
	FILE *file;

	(void)state;
	now.next = 0;
	history_read(&now, root, 2); /* no file exists */
	assert_int_equal(now.first.smis, -1);
	assert_int_equal(now.first.nmis, -1);
	assert_int_equal(now.first.transitions, -1);
	assert_int_equal(now.first.khz_max, -1);
	assert_int_equal(now.first.hot_core, -1);
	assert_int_equal(now.first.hot_package, -1);
	assert_int_equal(now.first.states, 0);
	assert_string_equal(now.first.online, "");
	history_whole(&now, &change);
	assert_int_equal(change.smis + change.nmis + change.hot, 0);
	assert_false(change.frequency || history_cpus_changed(&change));

	for (int i = 0; i < 2; i++, count++) {
		put("/dev/cpu/2/msr", "");
		snprintf(path, sizeof(path), "%s/dev/cpu/2/msr", root);
		file = fopen(path, "w");
		assert_non_null(file);
		fseek(file, 0x34, SEEK_SET);
		fwrite(&count, sizeof(count), 1, file);
		fclose(file);
		put("/proc/interrupts",
		    i ? "     CPU0  CPU2\n NMI: 1 25  Non-maskable interrupts\n"
		      : "     CPU0  CPU2\n NMI: 1 20  Non-maskable interrupts\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/stats/total_trans", i ? "12\n" : "11\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "800000\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_min_freq", "800000\n");
		put("/sys/devices/system/cpu/cpu2/cpufreq/cpuinfo_max_freq", "3200000\n");
		put("/sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count",
		    i ? "4\n" : "2\n");
		put("/sys/devices/system/cpu/cpu2/thermal_throttle/package_throttle_count",
		    i ? "9\n" : "6\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/name", "POLL\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/usage", "5\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state0/latency", "0\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/name", "C6\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/usage", i ? "9\n" : "6\n");
		put("/sys/devices/system/cpu/cpu2/cpuidle/state1/latency", "133\n");
		put("/sys/devices/system/cpu/online", i ? "0,2\n" : "0-2\n");
		if (!i)
			now.next = 0;
		history_read(&now, root, 2);
	}
	history_whole(&now, &change);
	assert_int_equal(change.smis, 1);
	assert_int_equal(change.nmis, 5);
	assert_true(change.frequency);
	assert_int_equal(change.hot, 3);
	assert_int_equal(change.slowest, 4);
	assert_int_equal(change.khz, 800000);
	assert_string_equal(change.state.name, "C6");
	assert_int_equal(change.state.usage, 3);
	assert_int_equal(change.state.latency_us, 133);
	assert_true(history_cpus_changed(&change));
	put("/sys/devices/system/cpu/cpu2/cpuidle/state0/name", ""); /* a broken file */
	put("/proc/interrupts", "     CPU0  CPU2\n NMI: 1\n");
	history_read(&now, root, 2);
	assert_int_equal(now.moment[2].nmis, -1);
}

/* The readings before and after a job are compared, or the closest ones. */
static void test_history_compare(void **state)
{
	struct history_change change;

	(void)state;
	history_compare(&history, 0, 1, &change);
	assert_int_equal(change.smis, 0);
	for (unsigned int i = 0; i < 4; i++)
		moment(100 + 100 * i)->smis = 10 + i * i;
	history_compare(&history, 250, 290, &change);
	assert_int_equal(change.smis, 3);
	history.moment[1].done = 260; /* an SMI delayed this reading, which counts the SMI */
	history_compare(&history, 250, 290, &change);
	assert_int_equal(change.smis, 4);
	history.moment[1].done = 200;
	history_compare(&history, 0, 1000, &change);
	assert_int_equal(change.smis, 9);
	for (unsigned int i = 0; i < HISTORY_MOMENTS; i++) { /* the first four are overwritten */
		history.moment[history.next % HISTORY_MOMENTS] = history.moment[3];
		history.moment[history.next++ % HISTORY_MOMENTS].ticks = 500 + i;
	}
	history_compare(&history, 0, 1000, &change);
	assert_int_equal(change.smis, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timeline), TEST(test_timeline_copy), TEST(test_timeline_full),
		TEST(test_machine),  TEST(test_history),       TEST(test_history_compare),
	};

	return tests_run("check_read", tests);
}

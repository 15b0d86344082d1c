// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the metrics of snapshots that the test makes, and that the check of metrics finds mistakes.
 */
#include "guest_image.h"
#include "test.h"
#include "stat_room.h"

#include <cli/common/prometheus.h>

#include "metrics_check.h"

static struct snapshot snapshot;

static char *printed(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	prometheus_print(out, &snapshot);
	fclose(out);
	return text;
}

static void assert_line(const char *text, const char *line)
{
	char whole[300];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	if (!strstr(text, whole))
		fail_msg("'%s' is no line of:\n%s", line, text);
}

/* Makes two CPUs, of which the second is Linux's fifth, and one component with one thread on each CPU. */
static void snapshot_small(void)
{
	snapshot.info = (struct limpet_ioc_info){
		.state = LIMPET_STATE_RUNNING,
		.cpus = 2,
		.uptime_ns = 2500000000,
		.region_size = 8 << 20,
		.linux_share = 100,
		.ticks_per_ms = 1000000,
	};
	stat_allocate(&snapshot.stat, 2, 2, 2);
	snapshot.stat.cpu[1].cpu = 1;
	snapshot.stat.cpu[1].linux_cpu = 5;
	snapshot.stat.cpu[1].frames_free = 3;
	snapshot.stat.component[0] = (struct limpet_stat_component){
		.index = 2, .entered = 12, .left = 10, .faults = 1, .epoch = 4, .closed = 1
	};
	snapshot.stat.component[1] =
		(struct limpet_stat_component){ .cpu = 1, .index = SNAPSHOT_NONE, .entered = 7 };
	snapshot.stat.thread[0] = (struct limpet_stat_thread){
		.id = 3, .home = 2, .state = LIMPET_THREAD_DEAD, .ticks = 1500000000, .misses = 6
	};
	snapshot.stat.thread[1] = (struct limpet_stat_thread){
		.cpu = 1, .id = 3, .state = LIMPET_THREAD_READY, .urgency = 9
	};
}

static void test_values(void **state)
{
	const char *wrong;
	char *text;

	(void)state;
	snapshot_small();
	text = printed();
	wrong = metrics_wrong(text);
	if (wrong)
		fail_msg("%s", wrong);
	assert_line(text, "limpet_up 1");
	assert_line(text, "limpet_uptime_seconds{id=\"0\"} 2.5");
	assert_line(text, "limpet_memory_bytes{id=\"0\"} 8388608");
	assert_line(text, "limpet_linux_share_ratio{id=\"0\"} 0.1");
	assert_line(text, "limpet_system_info{id=\"0\",system=\"?\",mode=\"beside\"} 1");
	assert_line(text, "# TYPE limpet_cpu_invocations_total counter");
	assert_line(text, "limpet_cpu_invocations_total{id=\"0\",cpu=\"0\",linux_cpu=\"0\"} 12");
	assert_line(text, "limpet_cpu_invocations_total{id=\"0\",cpu=\"1\",linux_cpu=\"5\"} 7");
	assert_line(text, "limpet_cpu_memory_free_bytes{id=\"0\",cpu=\"1\",linux_cpu=\"5\"} 12288");
	assert_line(text, "limpet_component_invocations_inside{id=\"0\",cpu=\"0\",component=\"?2\","
			  "image=\"?\"} 2");
	assert_line(
		text,
		"limpet_component_stops_total{id=\"0\",cpu=\"0\",component=\"?2\",image=\"?\"} 4");
	assert_line(text,
		    "limpet_component_stopped{id=\"0\",cpu=\"0\",component=\"?2\",image=\"?\"} 1");
	assert_line(
		text,
		"limpet_thread_cpu_seconds_total{id=\"0\",cpu=\"0\",thread=\"3\",component=\"?2\"} "
		"1.500000");
	assert_line(text, "limpet_thread_deadline_misses_total{id=\"0\",cpu=\"0\",thread=\"3\","
			  "component=\"?2\"} 6");
	assert_line(text,
		    "limpet_thread_alive{id=\"0\",cpu=\"0\",thread=\"3\",component=\"?2\"} 0");
	assert_line(text,
		    "limpet_thread_alive{id=\"0\",cpu=\"1\",thread=\"3\",component=\"?0\"} 1");
	assert_null(strstr(text, "4294967295"));
	free(text);
	snapshot.info.state = LIMPET_STATE_STOPPING;
	text = printed();
	assert_line(text, "limpet_up 0");
	free(text);
}

/* Only a component's own thread has the priority of the system file. */
static void test_priority(void **state)
{
	const char *wrong;
	char *text;

	(void)state;
	snapshot_small();
	guest_image.component[2].priority = 40;
	snapshot.image = (struct image){ (void *)&guest_image, sizeof(guest_image) };
	snapshot.stat.thread[1].cpu = 0;
	snapshot.stat.thread[1].home = 2;
	snapshot.stat.thread[1].id = 7; /* a spare thread, of the same component as thread 3 */
	snapshot_index(&snapshot);
	text = printed();
	wrong = metrics_wrong(text);
	if (wrong)
		fail_msg("%s", wrong);
	assert_line(text, "# TYPE limpet_thread_priority gauge");
	assert_line(
		text,
		"limpet_thread_priority{id=\"0\",cpu=\"0\",thread=\"3\",component=\"guard\"} 40");
	assert_null(strstr(text, "limpet_thread_priority{id=\"0\",cpu=\"0\",thread=\"7\""));
	assert_line(text,
		    "limpet_thread_urgency{id=\"0\",cpu=\"0\",thread=\"7\",component=\"guard\"} 9");
	free(text);
	snapshot.image = (struct image){ 0 };
}

/* Two systems with the same name use the same CPU. Each metric occurs once, with the samples of both. */
static void test_systems(void **state)
{
	struct snapshot both[2];
	const char *wrong;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	snapshot_small();
	both[0] = both[1] = snapshot;
	both[0].info.state = LIMPET_STATE_STOPPING;
	both[1].info.id = 3;
	both[1].info.uptime_ns = 500000000;
	assert_non_null(out);
	prometheus_print_all(out, both, 2);
	fclose(out);
	wrong = metrics_wrong(text);
	if (wrong)
		fail_msg("%s", wrong);
	assert_line(text, "limpet_up 1");
	assert_line(text, "limpet_system_info{id=\"3\",system=\"?\",mode=\"beside\"} 1");
	assert_line(text, "limpet_uptime_seconds{id=\"0\"} 2.5");
	assert_line(text, "limpet_uptime_seconds{id=\"3\"} 0.5");
	for (unsigned int n = 0; n < 2; n++) {
		char line[100];

		snprintf(line, sizeof(line),
			 "limpet_cpu_invocations_total{id=\"%u\",cpu=\"1\",linux_cpu=\"5\"} 7",
			 n * 3);
		assert_line(text, line);
		snprintf(line, sizeof(line),
			 "limpet_thread_alive{id=\"%u\",cpu=\"0\",thread=\"3\",component=\"?2\"} 0",
			 n * 3);
		assert_line(text, line);
	}
	free(text);
}

/* Makes an image with arbitrary names, and only the parts that this test needs. */
static void image_of(const char *name)
{
	struct limpet_image *header = calloc(1, sizeof(*header) + 200);

	assert_non_null(header);
	header->strings_at = sizeof(*header);
	header->strings = 200;
	snprintf((char *)(header + 1), 200, "%s", name);
	snapshot.image = (struct image){ .bytes = (unsigned char *)header };
}

static void test_labels(void **state)
{
	uint64_t seed = 42;
	char *text;

	(void)state;
	snapshot_small();
	image_of("a\\b\"c\nd\xe4\xc3\xa4");
	text = printed();
	assert_null(metrics_wrong(text));
	assert_line(
		text,
		"limpet_system_info{id=\"0\",system=\"a\\\\b\\\"c\\nd\xc3\xa4\xc3\xa4\",mode=\"beside\"} 1");
	free(text);
	image_close(&snapshot.image);
	for (int round = 0; round < 2000; round++) {
		char name[60];

		for (size_t i = 0; i < sizeof(name) - 1; i++)
			name[i] = (char)(test_random(&seed) >> 32);
		name[sizeof(name) - 1] = 0;
		image_of(name);
		text = printed();
		if (metrics_wrong(text))
			fail_msg("%s", metrics_wrong(text));
		free(text);
		image_close(&snapshot.image);
	}
}

/* Makes all metrics, with the maximum numbers. */
static void test_max(void **state)
{
	struct limpet_stat *stat = &snapshot.stat;
	const char *wrong;
	char *text;

	(void)state;
	snapshot_small();
	stat_allocate(stat, LIMPET_CPUS_MAX, COMPONENTS_MAX, THREADS_MAX);
	memset(stat->cpu, 0xff, stat->cpus * sizeof(*stat->cpu));
	memset(stat->component, 0xff, stat->components * sizeof(*stat->component));
	memset(stat->thread, 0xff, stat->threads * sizeof(*stat->thread));
	for (unsigned int i = 0; i < LIMPET_CPUS_MAX; i++)
		stat->cpu[i].cpu = i;
	for (unsigned int i = 0; i < stat->components; i++)
		stat->component[i].index = i;
	for (unsigned int i = 0; i < stat->threads; i++)
		stat->thread[i].id = i;
	text = printed();
	wrong = metrics_wrong(text);
	if (wrong)
		fail_msg("%s", wrong);
	free(text);
	snapshot.info.ticks_per_ms = 0;
	text = printed();
	assert_null(metrics_wrong(text));
	free(text);
}

static void test_none(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	prometheus_print_none(out, true);
	fclose(out);
	assert_null(metrics_wrong(text));
	assert_line(text, "limpet_attached 1");
	assert_line(text, "limpet_up 0");
	free(text);
}

#define HISTOGRAM "# HELP a_b x\n# TYPE a_b histogram\n"
#define BUCKET(bound, value) "a_b_bucket{c=\"1\",le=\"" bound "\"} " value "\n"
#define SUM "a_b_sum{c=\"1\"} 3\n"
#define COUNT(value) "a_b_count{c=\"1\"} " value "\n"

/* Two periodic threads have histograms. The third thread is not periodic. */
static void test_jobs(void **state)
{
	static struct limpet_jobs jobs[3];
	const char *wrong;
	char *text;

	(void)state;
	snapshot_small();
	stat_allocate(&snapshot.stat, 1, 0, 3);
	for (unsigned int i = 0; i < 3; i++)
		snapshot.stat.thread[i].id = i;
	jobs[0].period = jobs[2].period = 1000000;
	jobs[0].late.bucket[0] = 4;
	jobs[0].late.bucket[limpet_job_bucket(1000)] = 2;
	jobs[0].late.bucket[LIMPET_JOB_BUCKETS - 1] = 1;
	snapshot.stat.jobs = jobs;
	text = printed();
	snapshot.stat.jobs = NULL;
	wrong = metrics_wrong(text);
	if (wrong)
		fail_msg("%s", wrong);
	assert_line(text, "limpet_job_lateness_seconds_bucket{id=\"0\",cpu=\"0\",thread=\"0\","
			  "component=\"?0\",le=\"2.56e-07\"} 4");
	assert_line(text, "limpet_job_lateness_seconds_bucket{id=\"0\",cpu=\"0\",thread=\"0\","
			  "component=\"?0\",le=\"1.024e-06\"} 6");
	assert_line(text, "limpet_job_lateness_seconds_bucket{id=\"0\",cpu=\"0\",thread=\"0\","
			  "component=\"?0\",le=\"+Inf\"} 7");
	assert_line(text, "limpet_job_lateness_seconds_count{id=\"0\",cpu=\"0\",thread=\"0\","
			  "component=\"?0\"} 7");
	assert_null(strstr(text, "_seconds_count{id=\"0\",cpu=\"0\",thread=\"1\""));
	assert_non_null(
		strstr(text, "limpet_job_run_seconds_count{id=\"0\",cpu=\"0\",thread=\"2\""));
	free(text);
}

static void test_check(void **state)
{
	static const char *const right[] = {
		HISTOGRAM BUCKET("1", "2") BUCKET("+Inf", "2") SUM COUNT("2"),
		"# HELP a_total x\n# TYPE a_total counter\n",
		"# HELP a x\n# TYPE a gauge\na 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"\",c=\"\\\\ \\\" \\n }\"} -1.5e3\na{b=\"1\",c=\"\"} 0\n",
	};
	static const char *const wrong[] = {
		"",
		"a 1\n",
		"# HELP a x\n",
		"# TYPE a gauge\na 1\n",
		"# HELP a x\n# TYPE a gauge\na 1",
		"# HELP a x\n# TYPE a gauge\nb 1\n",
		"# HELP a x\n# TYPE a gauge\na 1\na 1\n",
		"# HELP a x\n# TYPE a counter\na 1\n",
		"# HELP a_total x\n# TYPE a_total gauge\n",
		"# HELP a_total x\n# TYPE a_total counter\na_total -1\n",
		"# HELP a_ms x\n# TYPE a_ms gauge\n",
		"# HELP a \n# TYPE a gauge\n",
		"# HELP 1a x\n# TYPE 1a gauge\n",
		"# HELP a x\n# TYPE a gauge\n# HELP a x\n# TYPE a gauge\n",
		"# HELP a x\n# TYPE a gauge\na one\n",
		"# HELP a x\n# TYPE a gauge\na 1 \n",
		"# HELP a x\n# TYPE a gauge\na  1\n",
		"# HELP a x\n# TYPE a gauge\na nan\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"\\x\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"1\"c=\"2\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"1\",b=\"2\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"1\"} 1\na{c=\"1\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{b=\"\xff\"} 1\n",
		"# HELP a x\n# TYPE a gauge\na{__b=\"\"} 1\n",
		"# HELP a x\n# TYPE a gauge\n\na 1\n",
		HISTOGRAM BUCKET("1", "2") SUM COUNT("2"),
		HISTOGRAM BUCKET("+Inf", "2") SUM COUNT("3"),
		HISTOGRAM BUCKET("1", "3") BUCKET("+Inf", "2") SUM COUNT("2"),
		HISTOGRAM BUCKET("2", "1") BUCKET("1", "2") BUCKET("+Inf", "2") SUM COUNT("2"),
		HISTOGRAM BUCKET("+Inf", "2") BUCKET("3", "2") SUM COUNT("2"),
		HISTOGRAM SUM COUNT("0"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		if (metrics_wrong(right[i]))
			fail_msg("%s", metrics_wrong(right[i]));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (!metrics_wrong(wrong[i]))
			fail_msg("this should be wrong: %s", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	 cmocka_unit_test(test_systems),
		cmocka_unit_test(test_priority), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_max),	 cmocka_unit_test(test_none),
		cmocka_unit_test(test_check),	 cmocka_unit_test(test_jobs),
	};

	return cmocka_run_group_tests_name("prometheus", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Tests which component is asked to finish, and when, with simulated components and a simulated clock. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>

#include <cli/common/finish.h>
#include <cli/common/rings.h>

#define COUNT 3
#define NEVER 1e9
#define STEP 0.005 /* seconds between two calls */

/* A component. Its index is that of its channel. */
static struct {
	struct limpet_stop words;
	double takes;	   /* seconds from the request until it has finished */
	double asked_at;   /* -1: it was not asked */
	double crashed_at; /* time of its crash */
	int error;	   /* of the open of its channel */
	bool open;
} made[COUNT];

static const char *const names[] = { "stop.one", "stop.two", "stop.three" };
static const struct limpet_image header = { .channels = COUNT + 1 }; /* the first is another one */
static struct limpet_image_channel channels[COUNT + 1];
static struct limpet_image_component component;
static double now;
static unsigned int lines;
static char last_line[256];

/* --- the system */

int __wrap_snapshot_read_from(struct snapshot *snapshot, int fd);
int __wrap_snapshot_read_from(struct snapshot *snapshot, int fd)
{
	(void)fd;
	memset(snapshot, 0, sizeof(*snapshot));
	return 0;
}

void __wrap_snapshot_release(struct snapshot *snapshot);
void __wrap_snapshot_release(struct snapshot *snapshot)
{
	(void)snapshot;
}

bool __wrap_snapshot_failed(const struct snapshot *snapshot, unsigned int cpu, unsigned int index);
bool __wrap_snapshot_failed(const struct snapshot *snapshot, unsigned int cpu, unsigned int index)
{
	(void)snapshot;
	(void)cpu;
	return now >= made[index].crashed_at;
}

const struct limpet_image *__wrap_image_header(const struct image *image);
const struct limpet_image *__wrap_image_header(const struct image *image)
{
	(void)image;
	return &header;
}

const struct limpet_image_channel *__wrap_image_channel(const struct image *image,
							unsigned int index);
const struct limpet_image_channel *__wrap_image_channel(const struct image *image,
							unsigned int index)
{
	(void)image;
	assert_true(index <= COUNT);
	return &channels[index];
}

const char *__wrap_image_string(const struct image *image, uint32_t at);
const char *__wrap_image_string(const struct image *image, uint32_t at)
{
	(void)image;
	return at ? names[at - 1] : "speed";
}

const struct limpet_image_component *__wrap_image_component(const struct image *image,
							    unsigned int index);
const struct limpet_image_component *__wrap_image_component(const struct image *image,
							    unsigned int index)
{
	(void)image;
	(void)index;
	return &component;
}

const char *__wrap_image_component_name(const struct image *image, unsigned int index);
const char *__wrap_image_component_name(const struct image *image, unsigned int index)
{
	(void)image;
	return names[index];
}

int __wrap_limpet_stat(int fd, struct limpet_stat *stat);
int __wrap_limpet_stat(int fd, struct limpet_stat *stat)
{
	(void)fd;
	(void)stat;
	return 0;
}

void __wrap_limpet_stat_free(struct limpet_stat *stat);
void __wrap_limpet_stat_free(struct limpet_stat *stat)
{
	(void)stat;
}

double __wrap_seconds_now(void);
double __wrap_seconds_now(void)
{
	return now;
}

/* --- channels, whose descriptor is the index of the component */

int __wrap_limpet_channel_open(struct limpet_channel *channel, const char *name);
int __wrap_limpet_channel_open(struct limpet_channel *channel, const char *name)
{
	int index = 0;

	while (strcmp(names[index], name) != 0)
		index++;
	if (made[index].error)
		return made[index].error;
	assert_false(made[index].open);
	made[index].open = true;
	channel->fd = index;
	return 0;
}

void __wrap_limpet_channel_close(struct limpet_channel *channel);
void __wrap_limpet_channel_close(struct limpet_channel *channel)
{
	assert_true(made[channel->fd].open);
	made[channel->fd].open = false;
}

void *__wrap_limpet_channel_memory(const struct limpet_channel *channel, size_t *size);
void *__wrap_limpet_channel_memory(const struct limpet_channel *channel, size_t *size)
{
	*size = 4096;
	assert_true(made[channel->fd].open);
	return &made[channel->fd].words;
}

int __wrap_limpet_channel_notify(struct limpet_channel *channel);
int __wrap_limpet_channel_notify(struct limpet_channel *channel)
{
	assert_int_equal(made[channel->fd].words.asked, 1);
	assert_true(made[channel->fd].asked_at < 0);
	made[channel->fd].asked_at = now;
	return 0;
}

int __wrap_limpet_channel_wait(struct limpet_channel *channel, unsigned int what, int timeout_ms);
int __wrap_limpet_channel_wait(struct limpet_channel *channel, unsigned int what, int timeout_ms)
{
	(void)channel;
	(void)what;
	assert_int_equal(timeout_ms, 0);
	return -EAGAIN;
}

/* --- tests */

static int system_make(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		memset(&made[i], 0, sizeof(made[i]));
		made[i].words.ready = 1;
		made[i].takes = 0.1;
		made[i].asked_at = -1;
		made[i].crashed_at = NEVER;
		channels[i + 1] = (struct limpet_image_channel){ .component = i, .name = i + 1 };
	}
	now = 1000;
	lines = 0;
	return 0;
}

static void say(void *to, const char *line)
{
	(void)to;
	lines++;
	snprintf(last_line, sizeof(last_line), "%s", line);
}

/* Runs a stop. Returns its time in seconds. Makes the times of the requests relative to its start. */
static double stop(long grace)
{
	struct finish finish = { .say = say };
	const double from = now;

	finish_begin(&finish, 7, grace);
	while (!finish_step(&finish)) {
		assert_true(finish.asked > 0 && finish.asked <= COUNT);
		now += STEP;
		for (unsigned int i = 0; i < COUNT; i++)
			if (made[i].asked_at >= 0 && now >= made[i].asked_at + made[i].takes)
				made[i].words.ready = 0;
	}
	finish_end(&finish);
	for (unsigned int i = 0; i < COUNT; i++) {
		assert_false(made[i].open);
		made[i].asked_at -= made[i].asked_at < 0 ? 0 : from;
	}
	return now - from;
}

/* Checks the times of the requests, from the last component to the first, within some steps. */
static void asked_check(double three, double two, double one)
{
	assert_float_equal(made[2].asked_at, three, 4 * STEP);
	assert_float_equal(made[1].asked_at, two, 4 * STEP);
	assert_float_equal(made[0].asked_at, one, 4 * STEP);
}

static void test_each_is_asked_after_the_previous_one(void **state)
{
	(void)state;
	assert_float_equal(stop(5), 0.3, 4 * STEP);
	asked_check(0, 0.1, 0.2);
	assert_int_equal(lines, 0);
}

static void test_component_that_hangs_leaves_time_to_the_others(void **state)
{
	(void)state;
	made[2].takes = NEVER;
	assert_float_equal(stop(6), 6, 4 * STEP);
	asked_check(0, 2, 2.1);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(last_line, "'stop.three' has not finished within 6 s"));
}

static void test_slow_component_can_finish_after_its_share(void **state)
{
	(void)state;
	made[2].takes = 5.5;
	made[1].takes = 2.5;
	assert_float_equal(stop(6), 5.5, 4 * STEP);
	asked_check(0, 2, 4);
	assert_int_equal(lines, 0);
}

static void test_all_hang(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < COUNT; i++)
		made[i].takes = NEVER;
	assert_float_equal(stop(3), 3, 4 * STEP);
	asked_check(0, 1, 2);
	assert_int_equal(lines, COUNT);
}

static void test_crashed_component_delays_no_other(void **state)
{
	(void)state;
	made[2].takes = NEVER;
	made[2].crashed_at = now + 0.5;
	assert_float_equal(stop(5), 0.7, 4 * STEP);
	asked_check(0, 0.5, 0.6);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(last_line, "'stop.three' crashed"));
}

static void test_share_of_components_that_are_not_asked(void **state)
{
	(void)state;
	made[2].takes = NEVER;
	made[1].words.ready = 0;
	assert_float_equal(stop(6), 6, 4 * STEP);
	asked_check(0, -1, 2);

	system_make(state);
	made[2].error = -ENXIO;
	made[1].error = -EBUSY;
	assert_float_equal(stop(6), 0.1, 4 * STEP);
	asked_check(-1, -1, 0);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(last_line, "'stop.two' is not asked"));
}

static void test_no_time(void **state)
{
	(void)state;
	assert_float_equal(stop(0), 0, STEP);
	asked_check(-1, -1, -1);
}

static void test_end_before_all_have_finished(void **state)
{
	struct finish finish = { .say = say };

	(void)state;
	finish_begin(&finish, 7, 3);
	assert_false(finish_step(&finish));
	now += 1.5;
	assert_false(finish_step(&finish));
	assert_int_equal(finish.asked, 2);
	finish_end(&finish);
	for (unsigned int i = 0; i < COUNT; i++)
		assert_false(made[i].open);
	assert_int_equal(lines, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_is_asked_after_the_previous_one, system_make),
		cmocka_unit_test_setup(test_component_that_hangs_leaves_time_to_the_others,
				       system_make),
		cmocka_unit_test_setup(test_slow_component_can_finish_after_its_share, system_make),
		cmocka_unit_test_setup(test_all_hang, system_make),
		cmocka_unit_test_setup(test_crashed_component_delays_no_other, system_make),
		cmocka_unit_test_setup(test_share_of_components_that_are_not_asked, system_make),
		cmocka_unit_test_setup(test_no_time, system_make),
		cmocka_unit_test_setup(test_end_before_all_have_finished, system_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

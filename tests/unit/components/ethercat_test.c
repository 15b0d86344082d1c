// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests component ethercat with simulated slaves: start, exchange, loss, wrong counters, invalid frames, failing
 * slaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <export/ethercat.h>
#include <import/sched.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "../../system/lib/ethercat_slaves.h"
#include "../sched_objects.h"
#include "ethercat.h"

#define TICKS 1000000u /* per ms, so a tick is a ns */
#define WIRE_NS 20000
#define FRAMES 64

extern struct limpet_info ethercat_info asm("__limpet_info");
struct limpet_info ethercat_info;

static struct sim_slave slaves[SIM_SLAVES];
static uint64_t now;
static char printed[16384];

/* Frames that have returned, with the time. */
static struct {
	uint8_t data[FRAME_MAX];
	uint32_t length;
	uint64_t at;
} came[FRAMES];
static unsigned int first, count, lose, sent;
static uint64_t delay; /* additional delay of the next frame */
static void (*spoil)(uint8_t *frame,
		     uint32_t *length); /* changes frames on the way; NULL: does not */
static long link_status;

/* --- functions that the component calls */

uint64_t limpet_time(void)
{
	return now;
}

unsigned int limpet_thread_id(void)
{
	return 3;
}

void limpet_print(const char *format, ...)
{
	size_t length = strlen(printed);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(printed + length, sizeof(printed) - length, format, arguments);
	va_end(arguments);
}

long sched_resume(word thread)
{
	return (long)thread;
}

long sched_priority(word thread, word priority)
{
	(void)thread;
	return (long)priority;
}

long sched_suspend_for(word owner, word deadline)
{
	assert_int_equal(owner, 0);
	if (deadline != LIMPET_NEVER) {
		now = deadline;
		return LIMPET_ETIME;
	}
	master_turn();
	return LIMPET_OK;
}

static void frame_return(const uint8_t *frame, uint32_t length, uint64_t at)
{
	unsigned int place = (first + count) % FRAMES;

	assert_in_range(count, 0, FRAMES - 1);
	memcpy(came[place].data, frame, length);
	came[place].length = length;
	came[place].at = at;
	count++;
}

long port_send(const void *frame, uint32_t length)
{
	uint8_t copy[FRAME_MAX];

	sent++;
	assert_in_range(length, 60, FRAME_MAX);
	if (link_status)
		return link_status;
	memcpy(copy, frame, length);
	assert_true(sim_frame(slaves, copy, length));
	if (lose) {
		lose--;
		return LIMPET_OK;
	}
	if (spoil)
		spoil(copy, &length);
	frame_return(copy, length, now + WIRE_NS + delay);
	delay = 0;
	return LIMPET_OK;
}

long port_receive(uint8_t frame[FRAME_MAX], uint64_t deadline)
{
	if (!count || came[first].at > deadline) {
		now = now < deadline ? deadline : now;
		return LIMPET_ETIME;
	}
	now = now < came[first].at ? came[first].at : now;
	memcpy(frame, came[first].data, came[first].length);
	count--;
	first = (first + 1) % FRAMES;
	return came[(first + FRAMES - 1) % FRAMES].length;
}

void port_sleep(uint64_t until)
{
	assert_in_range(until, now, now + TICKS);
	now = until;
}

/* --- the master's start */

static void arg(const char *name, const char *text)
{
	struct limpet_info_arg *a = &ethercat_info.arg[ethercat_info.args++];

	strcpy(a->name, name);
	strcpy(a->text, text);
}

static long begin(const char *drive, const char *inputs)
{
	memset(&ethercat_info, 0, sizeof(ethercat_info));
	ethercat_info.ticks_per_ms = TICKS;
	arg("slave-0", "2:44c2c52");
	arg("slave-1", drive);
	if (inputs)
		arg("slave-2", inputs);
	memset(&master, 0, sizeof(master));
	memset(&line, 0, sizeof(line));
	memset(&image, 0, sizeof(image));
	return master_setup(&ethercat_info);
}

#define DRIVE "1234:5678 out 2 1000 2 in 3 1100 4"
#define INPUTS "2:3f03052 in 0 1000 1"

static int setup(void **state)
{
	(void)state;
	sim_line(slaves);
	now = 1;
	printed[0] = 0;
	first = count = lose = sent = 0;
	delay = 0;
	spoil = NULL;
	link_status = LIMPET_OK;
	assert_int_equal(begin(DRIVE, INPUTS), LIMPET_OK);
	return 0;
}

static void turns(unsigned int number)
{
	for (unsigned int i = 0; i < number; i++)
		master_turn();
}

static long state_of(unsigned int slave)
{
	struct ethercat_slave_results out;

	return ethercat_serve_slave(1, slave, &out);
}

static bool all_in_op(void)
{
	return state_of(0) == AL_OP && state_of(1) == AL_OP && state_of(2) == AL_OP;
}

static void start(void)
{
	for (unsigned int i = 0; i < 1000 && !all_in_op(); i++)
		master_turn();
	assert_true(all_in_op());
	turns(3);
	assert_int_equal(line.lost + line.wrongs + line.invalid, 0);
}

static void printed_has(const char *text)
{
	if (!strstr(printed, text))
		fail_msg("'%s' is not in:\n%s", text, printed);
}

/* Outputs reach the slave, and inputs return in a later cycle. */
static void exchange_works(uint16_t value)
{
	struct ethercat_input_results in = { 0 };

	assert_int_equal(ethercat_serve_output(1, 1, 0, 2, value), LIMPET_OK);
	turns(3);
	assert_int_equal(sim_get16(slaves[1].memory + 0x1000), value);
	assert_int_equal(ethercat_serve_input(1, 1, 0, &in), 4);
	assert_int_equal(in.data, (uint32_t)~(value | (uint32_t)value << 16));
}

/* --- tests */

static void test_start(void **state)
{
	struct ethercat_slave_results out = { 0 };
	struct ethercat_input_results in = { 0 };
	word before;

	(void)state;
	start();
	printed_has("3 slaves answer\n");
	printed_has("slave 0 is in OP\n");
	printed_has("slave 2 is in OP\n");
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(slaves[i].memory[0x130], 8);
	assert_int_equal(sim_get16(slaves[2].memory + 0x10), STATION + 2);
	assert_int_equal(ethercat_serve_slave(1, 1, &out), AL_OP);
	assert_int_equal(out.vendor, 0x1234);
	assert_int_equal(out.product, 0x5678);
	assert_int_equal(out.code, 0);
	exchange_works(0x1234);
	exchange_works(0xfedc);
	assert_int_equal(ethercat_serve_input(1, 2, 0, &in), 1);
	before = in.data;
	turns(1);
	assert_int_equal(ethercat_serve_input(1, 2, 0, &in), 1);
	assert_int_equal((uint8_t)(in.data - before), 1);
	/* One frame is sent in each period. */
	sent = 0;
	before = now;
	turns(100);
	assert_int_equal(sent, 100);
	assert_int_equal((now - before + TICKS / 2) / TICKS, 100);
}

static void test_calls(void **state)
{
	struct ethercat_cycle_results cycle = { 0 };
	struct ethercat_input_results in = { 0 };
	struct ethercat_slave_results slave = { 0 };

	(void)state;
	start();
	assert_int_equal(ethercat_serve_output(1, 1, 0, 0, 0), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_output(1, 1, 0, 9, 0), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_output(1, 1, 1, 2, 0), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_output(1, 1, ~0ul, 1, 0), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_output(1, 2, 0, 1, 0), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_output(1, 3, 0, 1, 0), LIMPET_ENOENT);
	assert_int_equal(ethercat_serve_input(1, 1, 4, &in), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_input(1, 0, 0, &in), LIMPET_ERANGE);
	assert_int_equal(ethercat_serve_input(1, ~0ul, 0, &in), LIMPET_ENOENT);
	assert_int_equal(ethercat_serve_slave(1, 3, &slave), LIMPET_ENOENT);
	assert_int_equal(ethercat_serve_input(1, 1, 3, &in), 1);
	assert_int_equal(ethercat_serve_cycle(1, LIMPET_NEVER, &cycle), 1);
	assert_int_equal(cycle.cycles, image.cycles);
	assert_int_equal(ethercat_serve_cycle(1, now, &cycle), LIMPET_ETIME);
	lose = 1;
	assert_int_equal(ethercat_serve_cycle(1, LIMPET_NEVER, &cycle), 0);
}

static void test_lost_and_late_frames(void **state)
{
	(void)state;
	start();
	exchange_works(0x1111);
	lose = 5;
	turns(10);
	assert_int_equal(line.lost, 5);
	assert_int_equal(line.late, 0);
	printed_has("failed cycles: 1 frames lost");
	delay = 3 * TICKS / 2; /* it returns in the next period */
	turns(5);
	assert_int_equal(line.lost, 6);
	assert_int_equal(line.late, 1);
	exchange_works(0x2222);
	assert_int_equal(line.wrongs, 0);
	assert_true(all_in_op());
	/* The device is down for some time. */
	link_status = LIMPET_ESTATE;
	turns(10);
	assert_int_equal(line.lost, 16);
	link_status = LIMPET_OK;
	exchange_works(0x3333);
}

static void test_loss_during_the_start(void **state)
{
	(void)state;
	srand(1);
	for (unsigned int i = 0; i < 4000 && !all_in_op(); i++) {
		lose = rand() % 5 == 0;
		master_turn();
	}
	assert_true(all_in_op());
	exchange_works(0x1111);
}

static void test_slave_falls_back(void **state)
{
	(void)state;
	start();
	sim_fall(&slaves[1]);
	for (unsigned int i = 0; i < 1000 && !(i > 10 && all_in_op()); i++)
		master_turn();
	printed_has("slave 1 has fallen back to SAFE-OP: AL status code 1b, sync manager watchdog");
	assert_null(strstr(printed, "stays in"));
	assert_true(all_in_op());
	exchange_works(0x4321);
}

static void test_slave_goes_and_comes(void **state)
{
	struct ethercat_input_results in = { 0 }, later = { 0 };
	uint64_t wrongs;

	(void)state;
	start();
	exchange_works(0x5555);
	slaves[1].absent = true;
	turns(200);
	printed_has("slave 1 does not answer\n");
	printed_has("2 slaves answer, and the system file has 3\n");
	assert_int_equal(state_of(1), AL_ABSENT);
	assert_int_equal(state_of(2), AL_OP);
	assert_in_range(line.wrongs, 100, 1000);
	/* Inputs keep the values of the last good cycle. */
	ethercat_serve_input(1, 1, 0, &in);
	turns(5);
	ethercat_serve_input(1, 1, 0, &later);
	assert_int_equal(in.data, later.data);
	sim_power(&slaves[1]);
	slaves[1].absent = false;
	for (unsigned int i = 0; i < 1000 && !all_in_op(); i++)
		master_turn();
	assert_true(all_in_op());
	turns(5);
	wrongs = line.wrongs;
	exchange_works(0x6666);
	assert_int_equal(line.wrongs, wrongs);
	assert_int_equal(line.lost, 0);
}

static void test_other_slaves_than_configured(void **state)
{
	(void)state;
	assert_int_equal(begin("1234:5679 out 2 1000 2 in 3 1100 4", INPUTS), LIMPET_OK);
	turns(1000);
	printed_has("slave 1 is 1234:5678 in its EEPROM, and 1234:5679 in the system file");
	assert_null(strstr(strstr(printed, "slave 1 is 1234") + 1, "slave 1 is 1234")); /* once */
	assert_int_equal(state_of(0), AL_OP);
	assert_int_not_equal(state_of(1), AL_OP);
	/* The system file has fewer slaves than the line. */
	setup(state);
	assert_int_equal(begin(DRIVE, NULL), LIMPET_OK);
	turns(1000);
	printed_has("3 slaves answer, and the system file has 2");
	assert_int_equal(state_of(0), AL_ABSENT);
}

static void test_refused_states(void **state)
{
	(void)state;
	assert_int_equal(begin("1234:5678 out 2 1000 3 in 3 1100 4", INPUTS), LIMPET_OK);
	turns(1000);
	printed_has(
		"slave 1 stays in PRE-OP: AL status code 1d, invalid configuration of the outputs");
	setup(state);
	assert_int_equal(begin("1234:5678 out 2 1000 2 in 3 1108 4", INPUTS), LIMPET_OK);
	turns(1000);
	printed_has(
		"slave 1 stays in PRE-OP: AL status code 1e, invalid configuration of the inputs");
	assert_string_equal(code_text(0x8123), "a code of the vendor");
}

static void test_arguments(void **state)
{
	static const char *const wrong[] = {
		"1234",
		"1234:",
		"1234:5678 out",
		"1234:5678 out 8 1000 2",
		"1234:5678 out 2 10000 2",
		"1234:5678 out 2 1000 0",
		"1234:5678 out 2 1000 201",
		"1234:5678 in 2 1000 2 out 2 1000 2",
		"123456789:5678",
		"1234:5678 both 2 1000 2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (begin(wrong[i], NULL) != LIMPET_ERANGE)
			fail_msg("'%s' is accepted", wrong[i]);
	assert_int_equal(begin("1:2 out 2 1000 200", "1:2 in 0 1000 1"), LIMPET_EFULL);
	printed_has("all process data have more than 512 bytes");
}

/* --- frames that are changed on the way */

static void spoil_counter(uint8_t *frame, uint32_t *length)
{
	(void)length;
	if (frame[SIM_HEADERS] == COMMAND_LRW)
		frame[SIM_HEADERS + 10 + image.length]++;
}

static void spoil_short(uint8_t *frame, uint32_t *length)
{
	(void)frame;
	*length = 40;
}

static void spoil_runt(uint8_t *frame, uint32_t *length)
{
	(void)frame;
	*length = 15;
}

static void spoil_type(uint8_t *frame, uint32_t *length)
{
	(void)length;
	frame[13] = 0;
}

static void spoil_command(uint8_t *frame, uint32_t *length)
{
	(void)length;
	frame[SIM_HEADERS] = 4;
}

static void spoil_length(uint8_t *frame, uint32_t *length)
{
	(void)length;
	frame[SIM_HEADERS + 6] = 0xff;
	frame[SIM_HEADERS + 7] |= 7;
}

static void spoil_noise(uint8_t *frame, uint32_t *length)
{
	for (unsigned int i = 0; i < 3; i++)
		frame[(uint32_t)rand() % *length] = (uint8_t)rand();
	if (rand() % 4 == 0)
		*length = (uint32_t)rand() % *length;
}

static void test_spoiled_frames(void **state)
{
	static const struct {
		void (*spoil)(uint8_t *frame, uint32_t *length);
		bool wrong, invalid;
	} tries[] = {
		{ spoil_counter, true, false }, { spoil_short, false, true },
		{ spoil_runt, false, false },	{ spoil_type, false, false },
		{ spoil_command, false, true }, { spoil_length, false, true },
	};
	struct ethercat_input_results before = { 0 }, after = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		setup(state);
		start();
		ethercat_serve_input(1, 2, 0, &before);
		spoil = tries[i].spoil;
		turns(1);
		assert_int_equal(line.wrongs, tries[i].wrong);
		assert_int_equal(line.lost, !tries[i].wrong);
		assert_int_equal(line.invalid, tries[i].invalid);
		ethercat_serve_input(1, 2, 0, &after);
		assert_int_equal(before.data, after.data);
		spoil = NULL;
		exchange_works(0x7777);
	}
}

/* The master recovers from any content of frames, and does not read past their end. */
static void test_noise(void **state)
{
	(void)state;
	srand(2);
	start();
	for (unsigned int i = 0; i < 20000; i++) {
		spoil = rand() % 2 ? spoil_noise : NULL;
		master_turn();
		if (rand() % 10 == 0) {
			uint8_t frame[FRAME_MAX];
			uint32_t length = (uint32_t)rand() % FRAME_MAX;

			for (uint32_t b = 0; b < length; b++)
				frame[b] = (uint8_t)rand();
			frame_return(frame, length, now);
		}
	}
	spoil = NULL;
	for (unsigned int i = 0; i < 3; i++)
		sim_power(&slaves[i]);
	turns(5);
	for (unsigned int i = 0; i < 20000 && !all_in_op(); i++)
		master_turn();
	assert_true(all_in_op());
	exchange_works(0x8888);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_start, setup),
		cmocka_unit_test_setup(test_calls, setup),
		cmocka_unit_test_setup(test_lost_and_late_frames, setup),
		cmocka_unit_test_setup(test_loss_during_the_start, setup),
		cmocka_unit_test_setup(test_slave_falls_back, setup),
		cmocka_unit_test_setup(test_slave_goes_and_comes, setup),
		cmocka_unit_test_setup(test_other_slaves_than_configured, setup),
		cmocka_unit_test_setup(test_refused_states, setup),
		cmocka_unit_test_setup(test_arguments, setup),
		cmocka_unit_test_setup(test_spoiled_frames, setup),
		cmocka_unit_test_setup(test_noise, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

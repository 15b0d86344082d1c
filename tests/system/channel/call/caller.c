// SPDX-License-Identifier: GPL-2.0
/*
 * Calls components through channels, and prints the results.
 *
 *   caller words N       N calls of pong's call6, which must return the words
 *   caller refused       forbidden calls, of the right and of another interface
 *   caller late          a function that exceeds the time limit, then the next call
 *   caller hold          calls: "holds"; until the system ends: "lost"; until another one runs: "back"
 *   caller garbage N     N messages that are not requests, then one request
 *   caller leave N       N requests whose answers it does not read, then exits
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <host/pong.h>
#include <host/sched.h>

#define TIMEOUT 30000
#define LATE_MS 2500 /* the machine may pause for a second during a call */
#define RETRY_US 20000

static struct limpet_caller caller;

static void caller_begin(const char *channel, unsigned int timeout)
{
	int error = limpet_caller_open(&caller, channel, timeout);

	if (error) {
		printf("wrong: %s: %s\n", channel, strerror(-error));
		exit(1);
	}
}

static void wrong(const char *what, long status)
{
	printf("wrong: %s: %ld: %s\n", what, status, limpet_call_text(status));
	exit(1);
}

static void words(unsigned long count)
{
	uint64_t x, y, z;

	for (unsigned long i = 0; i < count; i++) {
		long status = pong_call6(&caller, i, 1, i * 3, ~i, 4, 5, &x, &y, &z);

		if (status != (long)(i + 1) || x != i * 3 || y != ~i || z != 9)
			wrong("words", status);
	}
	printf("right: %lu calls\n", count);
}

static void refused(void)
{
	const uint64_t in[6] = { 0 };
	uint64_t out[3], time;
	long status = pong_stamp(&caller, &time);

	if (status != LIMPET_CALL_FUNCTION)
		wrong("stamp", status);
	printf("refused: %s\n", limpet_call_text(status));
	status = limpet_call(&caller, HOST_SCHED_INTERFACE, PONG_ID_CALL0, in, out);
	if (status != LIMPET_CALL_INTERFACE)
		wrong("sched", status);
	printf("refused: %s\n", limpet_call_text(status));
	for (uint32_t function = 3; function < 200; function++)
		if (limpet_call(&caller, HOST_PONG_INTERFACE, function, in, out) !=
		    LIMPET_CALL_FUNCTION)
			wrong("function", function);
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Returns the ticks in `ms` milliseconds. */
static uint64_t ticks(unsigned int ms)
{
	uint64_t begin = now_us(), before = __rdtsc();

	usleep(20000);
	return (__rdtsc() - before) * 1000 / (now_us() - begin) * ms;
}

static void late(void)
{
	uint64_t length = ticks(LATE_MS);
	long status = sched_sleep_until(&caller, __rdtsc() + length);

	if (status != LIMPET_CALL_TIME)
		wrong("sleep", status);
	printf("late: %s\n", limpet_call_text(status));
	caller.timeout = TIMEOUT;
	status = sched_sleep_until(&caller, __rdtsc());
	if (status)
		wrong("the next", status);
	printf("right: the next\n");
}

static void hold(void)
{
	long status = pong_call0(&caller);

	if (!status)
		printf("holds\n");
	fflush(stdout);
	while (!status)
		status = pong_call0(&caller);
	if (status != LIMPET_CALL_LOST)
		wrong("hold", status);
	printf("lost: %s\n", limpet_call_text(status));
	fflush(stdout);
	while ((status = pong_call0(&caller)) == LIMPET_CALL_LOST)
		usleep(RETRY_US);
	if (status)
		wrong("back", status);
	printf("back\n");
}

static void garbage(unsigned long count)
{
	char bytes[512];

	srand(1);
	for (unsigned long i = 0; i < count; i++) {
		size_t length = (size_t)rand() % sizeof(bytes);

		for (size_t at = 0; at < length; at++)
			bytes[at] = (char)rand();
		if (limpet_channel_send(&caller.channel, bytes, length, TIMEOUT))
			wrong("garbage", 0);
		/* Reads some answers, so that the ring has space. */
		while (limpet_channel_receive(&caller.channel, bytes, sizeof(bytes), 0) >= 0)
			;
	}
	words(10);
}

static void leave(unsigned long count)
{
	const struct limpet_host_call call = { .id = 1, .interface = HOST_PONG_INTERFACE };

	for (unsigned long i = 0; i < count; i++)
		limpet_channel_send(&caller.channel, &call, sizeof(call), 0);
	printf("left\n");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	caller_begin(strcmp(what, "late") ? "pong" : "naps", strcmp(what, "late") ? TIMEOUT : 100);
	if (!strcmp(what, "words"))
		words(number);
	else if (!strcmp(what, "refused"))
		refused();
	else if (!strcmp(what, "late"))
		late();
	else if (!strcmp(what, "hold"))
		hold();
	else if (!strcmp(what, "garbage"))
		garbage(number);
	else if (!strcmp(what, "leave"))
		leave(number);
	else
		return 2;
	limpet_caller_close(&caller);
	return 0;
}

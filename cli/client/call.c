// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include <client/call.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000l + now.tv_nsec;
}

static int64_t now_ms(void)
{
	return now_ns() / 1000000;
}

/*
 * Answers to an earlier process can still arrive, so ids start above all ids that it can have used.
 */
int limpet_caller_open(struct limpet_caller *caller, const char *name, unsigned int timeout)
{
	*caller = (struct limpet_caller){ .timeout = timeout, .id = (uint64_t)now_ns() };
	if (!timeout || timeout > INT_MAX)
		return -EINVAL;
	if (strlen(name) >= sizeof(caller->name))
		return -ENOENT;
	strcpy(caller->name, name);
	return limpet_channel_open(&caller->channel, name);
}

void limpet_caller_close(struct limpet_caller *caller)
{
	if (!caller->lost)
		limpet_channel_close(&caller->channel);
}

/* The component may have restarted. */
static long caller_renew(struct limpet_caller *caller)
{
	if (caller->lost && limpet_channel_open(&caller->channel, caller->name))
		return LIMPET_CALL_LOST;
	caller->lost = false;
	return 0;
}

static long caller_lose(struct limpet_caller *caller)
{
	limpet_channel_close(&caller->channel);
	caller->lost = true;
	return LIMPET_CALL_LOST;
}

/*
 * Returns the remaining time in ms. The first call with `*deadline` 0 starts the time, so a call
 * that does not wait needs no clock, which can be a system call.
 */
static int64_t time_left(const struct limpet_caller *caller, int64_t *deadline)
{
	int64_t now = now_ms();

	if (!*deadline)
		*deadline = now + caller->timeout;
	return *deadline - now;
}

/* Waits for data or space. Returns 0 if the caller must check again, or a LIMPET_CALL_... */
static long wait_until(struct limpet_caller *caller, int64_t *deadline, uint32_t what)
{
	int64_t left = time_left(caller, deadline);
	int error;

	if (left <= 0)
		return LIMPET_CALL_TIME;
	error = limpet_channel_wait(&caller->channel, what, (int)left);
	if (!error || error == -EAGAIN || error == -EINTR)
		return 0;
	return caller_lose(caller);
}

static long outcome_status(const struct limpet_host_answer *answer)
{
	switch (answer->outcome) {
	case LIMPET_HOST_DONE:
		/* Only this file uses the numbers below. */
		return answer->status <= LIMPET_CALL_TIME ? LIMPET_CALL_BAD : answer->status;
	case LIMPET_HOST_INTERFACE:
		return LIMPET_CALL_INTERFACE;
	case LIMPET_HOST_FUNCTION:
		return LIMPET_CALL_FUNCTION;
	default:
		return LIMPET_CALL_BAD;
	}
}

/* Copies the oldest answer. Returns its length, or 0 without an answer. */
static uint64_t answer_take(struct limpet_caller *caller, struct limpet_host_answer *answer)
{
	uint64_t length;
	const void *at = limpet_channel_peek(&caller->channel, &length);

	if (!at)
		return 0;
	if (length == sizeof(*answer))
		memcpy(answer, at, sizeof(*answer));
	limpet_channel_release(&caller->channel);
	return length ? length : 1;
}

/*
 * Waits for space. Removes old answers meanwhile, because the component may wait for their space.
 */
static long space_wait(struct limpet_caller *caller, int64_t *deadline)
{
	struct limpet_host_answer old;

	if (!answer_take(caller, &old))
		return wait_until(caller, deadline, LIMPET_SLEEP_SPACE | LIMPET_SLEEP_DATA);
	return time_left(caller, deadline) > 0 ? 0 : LIMPET_CALL_TIME;
}

static long request_put(struct limpet_caller *caller, const struct limpet_host_call *call,
			int64_t *deadline)
{
	void *space;

	while (!(space = limpet_channel_reserve(&caller->channel, sizeof(*call)))) {
		long status = space_wait(caller, deadline);

		if (status)
			return status;
	}
	memcpy(space, call, sizeof(*call));
	limpet_channel_commit(&caller->channel, sizeof(*call));
	return 0;
}

/* Skips answers to abandoned requests. They are older, so they come first. */
static long answer_wait(struct limpet_caller *caller, struct limpet_host_answer *answer,
			int64_t *deadline)
{
	for (;;) {
		uint64_t length = answer_take(caller, answer);
		long status = length ? 0 : wait_until(caller, deadline, LIMPET_SLEEP_DATA);

		if (status)
			return status;
		if (length && (length != sizeof(*answer) || answer->id > caller->id))
			return LIMPET_CALL_BAD;
		if (length && answer->id == caller->id)
			return outcome_status(answer);
		if (length && time_left(caller, deadline) <= 0)
			return LIMPET_CALL_TIME;
	}
}

long limpet_call(struct limpet_caller *caller, uint32_t interface, uint32_t function,
		 const uint64_t in[LIMPET_HOST_CALL_WORDS], uint64_t out[LIMPET_HOST_ANSWER_WORDS])
{
	struct limpet_host_call call = { ++caller->id, interface, function, { 0 } };
	struct limpet_host_answer answer = { 0 };
	int64_t deadline = 0;
	long status;

	memcpy(call.word, in, sizeof(call.word));
	memset(out, 0, sizeof(answer.word));
	status = caller_renew(caller);
	if (!status)
		status = request_put(caller, &call, &deadline);
	if (!status)
		status = answer_wait(caller, &answer, &deadline);
	if (status >= 0)
		memcpy(out, answer.word, sizeof(answer.word));
	return status;
}

static const char *own_text(long status)
{
	switch (status) {
	case LIMPET_CALL_TIME:
		return "no answer in time, because the component is busy or waits. Look at limpet top, "
		       "or allow more time.";
	case LIMPET_CALL_LOST:
		return "the component crashed or was stopped, or its system ended. Look at limpet ps "
		       "and limpet crash, then call again.";
	case LIMPET_CALL_BAD:
		return "the answer is invalid, because the channel's owner is not component calls, or "
		       "is faulty. Correct the system file.";
	case LIMPET_CALL_INTERFACE:
		return "the component serves another interface, or another version of it. Build this "
		       "program with the system's <host/INTERFACE.h>.";
	case LIMPET_CALL_FUNCTION:
		return "Linux may not call this function. Add it to functions in the system file.";
	default:
		return "unknown status";
	}
}

const char *limpet_call_text(long status)
{
#define ERROR_CASE(name, number, text)                                                             \
	case -(number):                                                                            \
		return text;
	switch (status) {
		LIMPET_ERRORS(ERROR_CASE)
	default:
		return status >= 0 ? "done" : own_text(status);
	}
#undef ERROR_CASE
}

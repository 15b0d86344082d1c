// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/proxy/loop.h>

struct loop {
	struct serve *serve;
	int channel;
	struct serve_answer answer; /* `pending` bytes of it have not found room yet */
	size_t pending;
	char message[SERVE_MESSAGE + 8];
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000l + now.tv_nsec / 1000000;
}

/* Puts the answer into the channel if there is room. Returns 0 or a negative errno. */
static int answer_send(struct loop *l)
{
	if (!l->pending)
		return 0;
	if (write(l->channel, &l->answer, l->pending) < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	l->pending = 0;
	return 0;
}

/* Takes one request. 1: there was one; 0: there is none; or a negative errno. */
static int request_take(struct loop *l)
{
	ssize_t size = read(l->channel, l->message, sizeof(l->message));

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!size)
		return -EPIPE;
	l->pending = serve_request(l->serve, l->message, (size_t)size, now_ms(), &l->answer);
	return 1;
}

/* Until there is nothing to do, or no room for what there is to say. Returns 0 or a negative errno. */
static int work(struct loop *l)
{
	int status;

	do {
		status = answer_send(l);
		if (status || l->pending)
			return status;
		l->pending = serve_waiting(l->serve, now_ms(), &l->answer);
		status = l->pending ? 1 : request_take(l);
	} while (status > 0);
	return status;
}

static int timeout_ms(const struct loop *l)
{
	int64_t deadline = serve_deadline(l->serve), left = deadline - now_ms();

	return deadline == INT64_MAX || l->pending ? -1 : left < 0 ? 0 : (int)left;
}

static int wait_for_more(struct loop *l)
{
	struct pollfd list[1 + SERVE_WAITING];

	list[0] = (struct pollfd){ l->channel, l->pending ? POLLOUT : POLLIN, 0 };
	for (unsigned int i = 0; i < SERVE_WAITING; i++)
		list[1 + i] =
			(struct pollfd){ l->pending ? -1 : serve_wait_fd(l->serve, i), POLLIN, 0 };
	if (poll(list, 1 + SERVE_WAITING, timeout_ms(l)) < 0)
		return errno == EINTR ? 0 : -errno;
	return list[0].revents & POLLHUP ? -EPIPE : 0;
}

/* What was asked of a proxy before this one is nobody's any more. */
static int drain(struct loop *l)
{
	ssize_t size;

	do
		size = read(l->channel, l->message, sizeof(l->message));
	while (size > 0);
	if (!size)
		return -EPIPE;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int loop_serve(struct serve *s, int channel)
{
	struct loop l = { .serve = s, .channel = channel };
	int status = drain(&l);

	l.answer.head = (struct limpet_files_answer){ .what = LIMPET_FILES_BEGIN };
	l.pending = sizeof(l.answer.head);
	while (!status) {
		status = work(&l);
		if (!status)
			status = wait_for_more(&l);
	}
	serve_drop(s);
	return status == -EPIPE ? 0 : status;
}

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
	struct serve_answer answer; /* `pending` bytes of it are not sent yet */
	size_t pending;
	char message[SERVE_MESSAGE + 8];
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000l + now.tv_nsec / 1000000;
}

/* Sends the pending answer if the channel has space. Returns 0 or a negative errno. */
static int answer_send(struct loop *loop)
{
	if (!loop->pending)
		return 0;
	if (write(loop->channel, &loop->answer, loop->pending) < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	loop->pending = 0;
	return 0;
}

/* Reads and serves one request. Returns 1, 0 if there is no request, or a negative errno. */
static int request_take(struct loop *loop)
{
	ssize_t size = read(loop->channel, loop->message, sizeof(loop->message));

	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!size)
		return -EPIPE;
	loop->pending =
		serve_request(loop->serve, loop->message, (size_t)size, now_ms(), &loop->answer);
	return 1;
}

/* Serves requests until there are no more, or the channel has no space for an answer. Returns 0 or a negative errno. */
static int work(struct loop *loop)
{
	int status;

	do {
		status = answer_send(loop);
		if (status || loop->pending)
			return status;
		loop->pending = serve_waiting(loop->serve, now_ms(), &loop->answer);
		status = loop->pending ? 1 : request_take(loop);
	} while (status > 0);
	return status;
}

static int timeout_ms(const struct loop *loop)
{
	int64_t deadline = serve_deadline(loop->serve), left = deadline - now_ms();

	return deadline == INT64_MAX || loop->pending ? -1 : left < 0 ? 0 : (int)left;
}

static int wait_for_more(struct loop *loop)
{
	struct pollfd list[1 + SERVE_WAITING];

	list[0] = (struct pollfd){ loop->channel, loop->pending ? POLLOUT : POLLIN, 0 };
	for (unsigned int i = 0; i < SERVE_WAITING; i++)
		list[1 + i] = (struct pollfd){ loop->pending ? -1 : serve_wait_fd(loop->serve, i),
					       POLLIN, 0 };
	if (poll(list, 1 + SERVE_WAITING, timeout_ms(loop)) < 0)
		return errno == EINTR ? 0 : -errno;
	return list[0].revents & POLLHUP ? -EPIPE : 0;
}

/* Drops requests that an earlier proxy left unanswered. Their callers are gone. */
static int drain(struct loop *loop)
{
	ssize_t size;

	do
		size = read(loop->channel, loop->message, sizeof(loop->message));
	while (size > 0);
	if (!size)
		return -EPIPE;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int loop_serve(struct serve *server, int channel)
{
	struct loop loop = { .serve = server, .channel = channel };
	int status = drain(&loop);

	loop.answer.head = (struct limpet_files_answer){ .what = LIMPET_FILES_BEGIN };
	loop.pending = sizeof(loop.answer.head);
	while (!status) {
		status = work(&loop);
		if (!status)
			status = wait_for_more(&loop);
	}
	serve_drop(server);
	return status == -EPIPE ? 0 : status;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What `limpet tun` does with a channel, on plain memory: the component's end and the module's part are here.
 * Linked with --wrap=ioctl and --wrap=fdatasync.
 */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cli/tun/tun.h>

#define RING 4096u
#define STOPS 3u
#define LIFE ((STOPS + 1) << 16)
#define TUNSETCARRIER 0x400454e2u

static char memory[LIMPET_CHANNEL_PAGE + 2 * RING] __attribute__((aligned(4096)));
static struct limpet_end theirs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ended;
static unsigned int waits; /* of the thread that reads */
static int carrier, ups;

static struct limpet_end end_of(struct limpet_side *self, struct limpet_side *peer, char *out,
				const char *in)
{
	return (struct limpet_end){
		.self = self, .peer = peer, .out = out, .in = in, .out_size = RING, .in_size = RING
	};
}

/*
 * The order that only two processors bring: the component has begun, this side has seen that, and it is then
 * that the component sees this side. Nothing is new for who has seen its generation, no data has come: whoever
 * waits for these alone goes on sleeping. Here it hears that the system has ended, and the test goes on.
 */
static int wait_for(unsigned long what)
{
	if (!(what & LIMPET_SLEEP_DATA)) {
		while (!ended)
			pthread_cond_wait(&changed, &lock);
	} else if (!waits++) {
		assert_true(limpet_end_connected(&theirs));
		if (what & LIMPET_SLEEP_SPACE)
			return 0;
	}
	ended = true;
	pthread_cond_broadcast(&changed);
	errno = EPIPE;
	return -1;
}

static int answer(unsigned long request, void *argument)
{
	switch (request) {
	case LIMPET_NODE_WAIT:
		return wait_for((unsigned long)argument);
	case LIMPET_NODE_INFO:
		((struct limpet_node_info *)argument)->gone = ended;
		return 0;
	case TUNSETCARRIER:
		carrier = *(int *)argument;
		ups += carrier;
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	int result;

	(void)fd;
	pthread_mutex_lock(&lock); /* with which no thread may end */
	result = answer(request, argument);
	pthread_mutex_unlock(&lock);
	return result;
}

/* An event for the component, which looks by itself here. */
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
	(void)fd;
	return 0;
}

static void the_link_comes_up_before_data_do(void **state)
{
	struct limpet_channel_header *header = (void *)memory;
	char *rings = memory + LIMPET_CHANNEL_PAGE;
	struct limpet_channel ours = {
		.fd = -1,
		.memory = memory,
		.info = { .mode = LIMPET_CHANNEL_MESSAGES,
			  .to_linux = RING,
			  .to_component = RING,
			  .stops = STOPS },
		.end = end_of(&header->host, &header->component, rings + RING, rings),
	};
	int tap[2];

	(void)state;
	theirs = end_of(&header->component, &header->host, rings, rings + RING);
	limpet_end_adopt(&ours.end, LIMPET_MESSAGE_HEADER);
	limpet_end_begin(&theirs, LIFE);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, tap), 0);
	assert_int_equal(pump(&ours, tap[0]), 0);
	assert_int_equal(waits, 2);
	assert_int_equal(ups, 1);
	assert_int_equal(carrier, 0);
	close(tap[0]);
	close(tap[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_link_comes_up_before_data_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

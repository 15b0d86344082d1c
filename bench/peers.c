// SPDX-License-Identifier: GPL-2.0
/*
 * Measures round trips between two Linux processes on one CPU, user level to user level: one byte
 * (eventfd: eight) in each direction.
 *
 *   peers [ROUNDS [CPU [PEER]]]      PEER: pipe, futex, eventfd, unix; default: each in turn
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

#define WARM_UP 200

/* <linux/futex.h> is not on musl-gcc's path. */
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

/*
 * A way for two processes to communicate. `side` is 0 for the measuring process, 1 for the other
 * one.
 */
struct peer {
	const char *name;
	void (*open)(void);
	void (*send)(int side);
	void (*receive)(int side);
};

static int reads[2];  /* descriptor from which each side reads */
static int writes[2]; /* descriptor to which each side writes */
static size_t unit;   /* bytes of a message */

static void descriptor_send(int side)
{
	uint64_t message = 1;

	if (write(writes[side], &message, unit) != (ssize_t)unit)
		figure_die("write");
}

static void descriptor_receive(int side)
{
	uint64_t message;

	if (read(reads[side], &message, unit) != (ssize_t)unit)
		figure_die("read");
}

static void open_pipes(void)
{
	int there[2];
	int back[2];

	if (pipe(there) || pipe(back))
		figure_die("pipe");
	writes[0] = there[1];
	reads[1] = there[0];
	writes[1] = back[1];
	reads[0] = back[0];
	unit = 1;
}

static void open_eventfds(void)
{
	reads[1] = writes[0] = eventfd(0, 0);
	reads[0] = writes[1] = eventfd(0, 0);
	if (reads[0] < 0 || reads[1] < 0)
		figure_die("eventfd");
	unit = sizeof(uint64_t);
}

static void open_sockets(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, reads))
		figure_die("socketpair");
	memcpy(writes, reads, sizeof(writes));
	unit = 1;
}

static int *turn; /* shared: for each side, 1 when it has sent */

static void open_futex(void)
{
	turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turn == MAP_FAILED)
		figure_die("mmap");
}

static void futex_send(int side)
{
	__atomic_store_n(&turn[side], 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn[side], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_receive(int side)
{
	int *word = &turn[!side];

	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	__atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

static const struct peer peers[] = {
	{ "pipe", open_pipes, descriptor_send, descriptor_receive },
	{ "futex", open_futex, futex_send, futex_receive },
	{ "eventfd", open_eventfds, descriptor_send, descriptor_receive },
	{ "unix", open_sockets, descriptor_send, descriptor_receive },
};

/* Runs the other process, until it is killed. */
static void answer(const struct peer *peer)
{
	for (;;) {
		peer->receive(1);
		peer->send(1);
	}
}

static void measure(const struct peer *peer, unsigned long rounds)
{
	struct figure figure = { "table1", "rpc", peer->name };
	uint64_t *samples = figure_samples(rounds);
	pid_t other;

	peer->open();
	other = fork();
	if (other < 0)
		figure_die("fork");
	if (!other)
		answer(peer);
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		uint64_t start = figure_time();

		peer->send(0);
		peer->receive(0);
		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - start;
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	figure_print(&figure, samples, rounds);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? figure_number(argv[1]) : 2000;
	const char *only = argc > 3 ? argv[3] : NULL;

	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	for (size_t i = 0; i < sizeof(peers) / sizeof(*peers); i++)
		if (!only || !strcmp(only, peers[i].name))
			measure(&peers[i], rounds);
	return 0;
}

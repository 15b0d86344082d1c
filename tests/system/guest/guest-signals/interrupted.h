/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests calls that signals interrupt, as signal(7) describes them. A child makes each call three times: with a handler
 * without SA_RESTART, with a handler with SA_RESTART, and with SIGSTOP and SIGCONT. Its parent waits until the child
 * sleeps in the call, then sends the signals. A call that Linux restarts must still wait after three signals, and then
 * have its own result. The results must be the same for guests and for processes that are not guests.
 */
#ifndef TEST_INTERRUPTED_H
#define TEST_INTERRUPTED_H

#include "tests/system/lib/guest.h"

#include <sys/prctl.h>

#define SIGNALS_SENT 3
#define LIMIT 20.0
#define SHORT_MS 800 /* time limit of calls that end by it */
#define LONG_S 60    /* time limit of calls that must end before it */

struct interrupted {
	const char *name;
	/* Makes files and objects. Context: the parent, before the fork. NULL: does nothing. */
	void (*prepare)(void);
	/* Calls child_ready(), then makes the call. Returns its raw result, or `result` for a value that varies. */
	long (*call)(void);
	/* Lets the call end. Context: the parent, possibly several times. NULL: the call ends after SHORT_MS. */
	void (*finish)(void);
	long result;	/* of a call that was not interrupted */
	bool restarts;	/* a handler with SA_RESTART does not end it */
	bool stop_ends; /* SIGSTOP and SIGCONT end it with EINTR */
	void (*clean)(void);
};

enum disturbance { HANDLER, RESTART, STOP };

static const char *const disturbance_names[] = { "a handler", "SA_RESTART", "a stop" };

static struct {
	volatile int ready, done, hits;
	volatile long result;
	volatile double begin, end;
} *child;
static pid_t child_pid;
static int gate[2]; /* a pipe for each call: finish() usually writes to it */

static inline void child_handle(int signal)
{
	(void)signal;
	child->hits++;
}

static inline void child_ready(void)
{
	child->begin = seconds();
	child->ready = 1;
}

static inline void gate_open(void)
{
	if (write(gate[1], "x", 1) != 1)
		failed("write to the pipe: %s", strerror(errno));
}

/* Returns whether the condition becomes true within the limit. */
#define BECOMES(condition)                                                                         \
	({                                                                                         \
		const double end_ = seconds() + LIMIT;                                             \
		bool met_;                                                                         \
                                                                                                   \
		while (!(met_ = (condition)) && seconds() < end_)                                  \
			pause_us(500);                                                             \
		met_;                                                                              \
	})

static inline bool child_sleeps(void)
{
	return child->done || (child->ready && task_state(child_pid) == 'S');
}

static inline void child_start(const struct interrupted *test, enum disturbance by)
{
	const struct sigaction action = { .sa_handler = child_handle,
					  .sa_flags = by == RESTART ? SA_RESTART : 0 };

	memset((void *)child, 0, sizeof(*child));
	child_pid = fork();
	if (child_pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	child->result = test->call();
	child->end = seconds();
	child->done = 1;
	_exit(0);
}

static inline void child_stop(void)
{
	int status = 0;

	kill(child_pid, SIGSTOP);
	if (!BECOMES(child->done || waitpid(child_pid, &status, WNOHANG | WUNTRACED) == child_pid))
		failed("it does not stop");
	kill(child_pid, SIGCONT);
	BECOMES(child->done || task_state(child_pid) != 'T');
}

static inline void child_disturb(enum disturbance by)
{
	const int hits = child->hits;

	BECOMES(child_sleeps());
	if (child->done)
		return;
	if (by == STOP) {
		child_stop();
	} else {
		kill(child_pid, SIGUSR1);
		BECOMES(child->hits > hits || child->done);
	}
}

/* Interrupts the call, which must end with EINTR. A signal can come before the call, so more than one can be needed. */
static inline void child_interrupt(enum disturbance by)
{
	const double end = seconds() + LIMIT;

	while (!child->done && seconds() < end) {
		child_disturb(by);
		for (int i = 0; i < 100 && !child->done; i++)
			pause_us(500);
	}
}

/* Interrupts the call, which must continue, and lets it end. */
static inline void child_continue(const struct interrupted *test, enum disturbance by)
{
	const double end = seconds() + LIMIT;

	for (int i = 0; i < SIGNALS_SENT; i++)
		child_disturb(by);
	BECOMES(child_sleeps());
	pause_us(2000);
	if (child->done && test->finish)
		failed("%s ends it: %ld", disturbance_names[by], child->result);
	while (!child->done && seconds() < end) {
		if (test->finish)
			test->finish();
		for (int i = 0; i < 400 && !child->done; i++)
			pause_us(500);
	}
}

static inline void child_end(long wanted, bool timed, enum disturbance by)
{
	const double took = child->end - child->begin;
	int status;

	if (!child->done) {
		failed("%s: it does not end", disturbance_names[by]);
		kill(child_pid, SIGKILL);
	} else if (child->result != wanted) {
		failed("%s: the result is %ld, not %ld", disturbance_names[by], child->result,
		       wanted);
	} else if (timed && (took < SHORT_MS / 1000.0 - 0.001 || took > LIMIT / 2)) {
		failed("%s: it took %d ms", disturbance_names[by], (int)(took * 1000));
	}
	do
		status = child_wait(child_pid, LIMIT);
	while (status >= 0 && !WIFEXITED(status) && !WIFSIGNALED(status));
}

static inline void interrupted_by(const struct interrupted *test, enum disturbance by)
{
	const bool ends = by == STOP ? test->stop_ends : by == HANDLER || !test->restarts;

	EQUAL(pipe(gate), 0);
	if (test->prepare)
		test->prepare();
	child_start(test, by);
	if (ends)
		child_interrupt(by);
	else
		child_continue(test, by);
	child_end(ends ? -EINTR : test->result, !ends && !test->finish, by);
	if (by != STOP && !child->hits)
		failed("%s: it did not run", disturbance_names[by]);
	if (test->clean)
		test->clean();
	close(gate[0]);
	close(gate[1]);
}

static bool guest; /* the program is a guest of the probe */

/* Arguments: those of main(), the probe's mode, or `plain` for a process that is not a guest. */
static inline void interrupted_init(int argc, char **argv)
{
	guest = argc > 1 && strcmp(argv[1], "plain") != 0;
	if (guest)
		probe_mode(atol(argv[1]));
	child = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Tests all calls of a table, a section each. */
static inline void interrupted_all(const struct interrupted *tests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		section(tests[i].name);
		for (enum disturbance by = HANDLER; by <= STOP; by++)
			interrupted_by(&tests[i], by);
	}
}

static inline int interrupted_finish(void)
{
	if (guest)
		probe_check();
	return sections_finish();
}

/* --- what several programs use */

#define MASK_BYTES 8 /* Linux's set of signals */

static const struct timespec __attribute__((unused)) long_time = { LONG_S, 0 },
						     short_time = { 0, SHORT_MS * 1000000l };
static const sigset_t __attribute__((unused)) no_signals;

/* Blocks signals of the calling process. */
static inline void signal_block(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Sets O_NONBLOCK, writes until there is no space, and clears it. */
static inline void file_fill(int fd)
{
	static const char bytes[1024];
	const int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	while (write(fd, bytes, 1) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

/* Reads all that is there. */
static inline void file_drain(int fd)
{
	static char bytes[4096];
	const int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

#endif

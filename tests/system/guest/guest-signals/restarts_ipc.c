// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls of System V's queues and semaphores, which Linux never restarts after a handler, and of POSIX
 * queues, which it restarts. A stop ends only calls of semaphores. Argument: the probe's mode, or `plain` for a process
 * that is not a guest.
 */
#include "interrupted.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#define QUEUE "/restarts"
#define QUEUE_BYTES 8

static int object;

/* --- queues of System V */

static struct {
	long type;
	char text[1];
} message = { 1, "x" };

static void queue_make(void)
{
	object = msgget(IPC_PRIVATE, 0600);
	EXPECT(object >= 0);
}

static void queue_fill(void)
{
	queue_make();
	while (!msgsnd(object, &message, 1, IPC_NOWAIT))
		;
	EQUAL(errno, EAGAIN);
}

static void queue_remove(void)
{
	EQUAL(msgctl(object, IPC_RMID, NULL), 0);
}

static long call_msgrcv(void)
{
	child_ready();
	return raw6(SYS_msgrcv, object, (long)&message, 1, 0, 0, 0);
}

static long call_msgsnd(void)
{
	child_ready();
	return raw6(SYS_msgsnd, object, (long)&message, 1, 0, 0, 0);
}

static void other_msgsnd(void)
{
	EQUAL(msgsnd(object, &message, 1, IPC_NOWAIT), 0);
}

static void other_msgrcv(void)
{
	EQUAL(msgrcv(object, &message, 1, 0, IPC_NOWAIT), 1);
}

/* --- semaphores of System V */

static void semaphore_make(void)
{
	object = semget(IPC_PRIVATE, 1, 0600);
	EXPECT(object >= 0);
}

static void semaphore_remove(void)
{
	EQUAL(semctl(object, 0, IPC_RMID), 0);
}

static long call_semop(void)
{
	struct sembuf down = { 0, -1, 0 };

	child_ready();
	return raw(SYS_semop, object, (long)&down, 1);
}

static long semtimedop_until(const struct timespec *limit)
{
	struct sembuf down = { 0, -1, 0 };

	child_ready();
	return raw6(SYS_semtimedop, object, (long)&down, 1, (long)limit, 0, 0);
}

static long call_semtimedop(void)
{
	return semtimedop_until(&(const struct timespec){ LONG_S, 0 });
}

static long call_semtimedop_endless(void)
{
	return semtimedop_until(NULL);
}

static void other_semop(void)
{
	struct sembuf up = { 0, 1, 0 };

	EQUAL(semop(object, &up, 1), 0);
}

/* --- queues of POSIX */

static void mq_make(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = QUEUE_BYTES };

	mq_unlink(QUEUE);
	object = mq_open(QUEUE, O_RDWR | O_CREAT, 0600, &attributes);
	EXPECT(object >= 0);
}

static void mq_fill(void)
{
	mq_make();
	EQUAL(mq_send(object, "x", 1, 0), 0);
}

static void mq_remove(void)
{
	mq_close(object);
	mq_unlink(QUEUE);
}

static const struct timespec *far(void)
{
	static struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += LONG_S;
	return &time;
}

static long mq_receive_until(const struct timespec *limit)
{
	char text[QUEUE_BYTES];

	child_ready();
	return raw6(SYS_mq_timedreceive, object, (long)text, sizeof(text), 0, (long)limit, 0);
}

static long mq_send_until(const struct timespec *limit)
{
	child_ready();
	return raw6(SYS_mq_timedsend, object, (long)"y", 1, 0, (long)limit, 0);
}

static long call_mq_receive(void)
{
	return mq_receive_until(NULL);
}

static long call_mq_timedreceive(void)
{
	return mq_receive_until(far());
}

static long call_mq_send(void)
{
	return mq_send_until(NULL);
}

static long call_mq_timedsend(void)
{
	return mq_send_until(far());
}

static const struct timespec now = { 0, 0 };

static void other_mq_send(void)
{
	mq_timedsend(object, "x", 1, 0, &now);
}

static void other_mq_receive(void)
{
	char text[QUEUE_BYTES];

	mq_timedreceive(object, text, sizeof(text), NULL, &now);
}

static const struct interrupted tests[] = {
	{ "msgrcv", queue_make, call_msgrcv, other_msgsnd, 1, false, false, queue_remove },
	{ "msgsnd", queue_fill, call_msgsnd, other_msgrcv, 0, false, false, queue_remove },
	{ "semop", semaphore_make, call_semop, other_semop, 0, false, true, semaphore_remove },
	{ "semtimedop", semaphore_make, call_semtimedop, other_semop, 0, false, true,
	  semaphore_remove },
	{ "semtimedop without a limit", semaphore_make, call_semtimedop_endless, other_semop, 0,
	  false, true, semaphore_remove },
	{ "mq_receive", mq_make, call_mq_receive, other_mq_send, 1, true, false, mq_remove },
	{ "mq_timedreceive", mq_make, call_mq_timedreceive, other_mq_send, 1, true, false,
	  mq_remove },
	{ "mq_send", mq_fill, call_mq_send, other_mq_receive, 0, true, false, mq_remove },
	{ "mq_timedsend", mq_fill, call_mq_timedsend, other_mq_receive, 0, true, false, mq_remove },
};

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	return interrupted_finish();
}

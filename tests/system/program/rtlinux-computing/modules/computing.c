// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module whose threads compute while a thread of higher priority, the boss, deletes, cancels, suspends and
 * signals them. The boss sleeps to let the other threads run.
 */
#include <rtl.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#define BOSS 50
#define MIDDLE 20
#define WORKER 10
#define LINUX_FIFO 0
#define OWN_FIFO 1
#define BETWEEN_FIFO 40
#define HANDLER_FIFO 41
#define ROUNDS 40
#define LIMIT 3000000000LL

static int wrong;
static volatile unsigned long count, middle_count;
static volatile int leave, reached;
static hrtime_t limit; /* time at which the worker ends by itself */
static pthread_t worker;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

static void done(const char *part)
{
	rtl_printf("%s done, %d wrong\n", part, wrong);
}

static pthread_t made(void *(*entry)(void *), int priority)
{
	struct sched_param p;
	pthread_attr_t attr;
	pthread_t thread = 0;

	leave = reached = 0;
	limit = gethrtime() + LIMIT;
	p.sched_priority = priority;
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &p);
	expect(pthread_create(&thread, &attr, entry, 0) == 0, "pthread_create");
	return thread;
}

static long result(pthread_t thread)
{
	void *value = 0;

	expect(pthread_join(thread, &value) == 0, "pthread_join");
	return (long)value;
}

static int is_over(void)
{
	return leave || gethrtime() > limit;
}

static void *compute(void *arg)
{
	while (!is_over())
		count++;
	return arg;
}

/*
 * Returns whether a counter grows. Linux can take the CPU for some time, so a counter that grows is watched for longer.
 */
static int grows(volatile unsigned long *counter, int max_ms)
{
	unsigned long before = *counter;

	while (max_ms-- > 0 && *counter == before)
		usleep(1000);
	return *counter != before;
}

static int counts(void)
{
	return grows(&count, 200);
}

static int stays(volatile unsigned long *counter)
{
	return !grows(counter, 5);
}

/* --- deletion */

static void *compute_above(void *arg)
{
	while (!is_over())
		middle_count++;
	return arg;
}

static void deletion(void)
{
	pthread_t middle;

	worker = made(compute, WORKER);
	expect(counts(), "the worker computes");
	middle = made(compute_above, MIDDLE);
	expect(pthread_delete_np(worker) == 0, "pthread_delete_np");
	expect(middle_count == 0, "a deletion does not wait for a thread between the two");
	expect(pthread_kill(worker, 0) == ESRCH, "a deleted thread is not valid");
	expect(stays(&count), "a deleted thread does not compute");
	expect(middle_count != 0, "the thread between the two computes");
	leave = 1;
	expect(result(middle) == 0, "the thread between the two ends");
	done("deletion");
}

/* --- cancellation */

static int cleaned;

static void clean(void *arg)
{
	cleaned += (int)(long)arg;
}

static void *compute_async(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
	pthread_cleanup_push(clean, (void *)5);
	compute(arg);
	pthread_cleanup_pop(0);
	return arg;
}

static void *compute_deferred(void *arg)
{
	compute(arg);
	reached = 1;
	pthread_testcancel();
	reached = 2;
	return arg;
}

static void *compute_disabled(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
	compute(arg);
	reached = 1;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
	reached = 2;
	return arg;
}

/* Cancels a thread that must continue to compute until it reaches its cancellation point. */
static void cancelled_later(void *(*entry)(void *), const char *what)
{
	worker = made(entry, WORKER);
	expect(counts(), "the worker computes");
	expect(pthread_cancel(worker) == 0, "pthread_cancel");
	expect(counts(), what);
	leave = 1;
	expect(result(worker) == (long)PTHREAD_CANCELED && reached == 1, what);
}

static void cancellation(void)
{
	worker = made(compute_async, WORKER);
	expect(counts(), "the worker computes");
	expect(pthread_cancel(worker) == 0, "pthread_cancel");
	expect(stays(&count), "a cancelled thread does not compute");
	leave = 1;
	expect(result(worker) == (long)PTHREAD_CANCELED && cleaned == 5,
	       "asynchronous cancellation runs the cleanup handler");
	cancelled_later(compute_deferred, "deferred cancellation");
	cancelled_later(compute_disabled, "disabled cancellation");
	done("cancellation");
}

/* --- suspension */

/* All registers except rdi, which points to this structure. */
static struct registers {
	unsigned char first[512], last[512]; /* FXSAVE: floating point and vectors */
	unsigned long general_first[14], general_last[14];
	volatile unsigned long rounds;
	volatile int leave, flags_lost;
} __attribute__((aligned(16))) registers;

static const unsigned char vectors[16][16] __attribute__((used, aligned(16))) = {
	{ 1, 1 }, { 2, 2 },   { 3, 3 },	  { 4, 4 },   { 5, 5 },	  { 6, 6 },   { 7, 7 },	  { 8, 8 },
	{ 9, 9 }, { 10, 10 }, { 11, 11 }, { 12, 12 }, { 13, 13 }, { 14, 14 }, { 15, 15 }, { 16, 16 }
};
static const unsigned int modes[2] __attribute__((used)) = { 0x3f80, 0x77f }; /* rounding down */

/* void hold(struct registers *): computes with a value in each register and in the red zone until `leave` is set. */
void hold(struct registers *registers);
__asm__(".macro each_general to\n"
	"i = 0\n"
	".irp r, rax, rbx, rcx, rdx, rsi, rbp, r8, r9, r10, r11, r12, r13, r14, r15\n"
	"movq %\\r, \\to + i(%rdi)\n"
	"i = i + 8\n"
	".endr\n"
	".endm\n"
	".globl hold\n"
	"hold:\n"
	"push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"ldmxcsr modes(%rip)\n"
	"fldcw 4 + modes(%rip)\n"
	"fldpi\nfld1\n"
	"i = 0\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movaps vectors + i(%rip), %xmm\\n\n"
	"i = i + 16\n"
	".endr\n"
	"value = 0x11111111\n"
	".irp r, rax, rbx, rcx, rdx, rsi, rbp, r8, r9, r10, r11, r12, r13, r14, r15\n"
	"movabs $value * 0x100000001, %\\r\n"
	"value = value + 0x01020304\n"
	".endr\n"
	"fxsave64 (%rdi)\n"
	"each_general 1024\n"
	"movq %rax, -8(%rsp)\nmovq %rbx, -64(%rsp)\nmovq %rcx, -128(%rsp)\n"
	"1: incq 1248(%rdi)\n"
	"stc\n"
	".rept 50\nnop\n.endr\n"
	"jnc 2f\n"
	"cmpl $0, 1256(%rdi)\n"
	"je 1b\n"
	"cmpq %rax, -8(%rsp)\njne 2f\n"
	"cmpq %rbx, -64(%rsp)\njne 2f\n"
	"cmpq %rcx, -128(%rsp)\nje 3f\n"
	"2: movl $1, 1260(%rdi)\n"
	"3: fxsave64 512(%rdi)\n"
	"each_general 1136\n"
	"fninit\n"
	"pushq $0x1f80\nldmxcsr (%rsp)\npop %rax\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\n"
	"ret\n");

static void *compute_with_all(void *arg)
{
	memset(&registers, 0, sizeof(registers));
	hold(&registers);
	expect(!registers.flags_lost, "flags and red zone");
	expect(!memcmp(registers.general_first, registers.general_last,
		       sizeof(registers.general_first)),
	       "general registers");
	expect(!memcmp(registers.first, registers.last, 5) &&
		       !memcmp(registers.first + 24, registers.last + 24, 4),
	       "modes of floating point");
	expect(!memcmp(registers.first + 32, registers.last + 32, 416 - 32),
	       "registers of floating point and vectors");
	return arg;
}

static volatile int handled;
static volatile unsigned long handled_at;
static pthread_t handled_by;

static void handler(int signal)
{
	handled++;
	handled_at = count;
	handled_by = pthread_self();
	__asm__ volatile("fninit\n"
			 "fldz\n"
			 "pcmpeqb %%xmm0, %%xmm0\n"
			 "pcmpeqb %%xmm7, %%xmm7\n"
			 "pcmpeqb %%xmm15, %%xmm15\n"
			 "fstp %%st\n"
			 :
			 :
			 : "xmm0", "xmm7", "xmm15");
}

/* Suspends and wakes the worker. In every other round it also has a signal. */
static void suspend_once(int round)
{
	usleep(200 + 13 * round);
	expect(pthread_suspend_np(worker) == 0, "pthread_suspend_np");
	if (round & 1)
		pthread_kill(worker, RTL_SIGUSR1);
	expect(stays(&registers.rounds), "a suspended thread does not compute");
	expect(pthread_wakeup_np(worker) == 0, "pthread_wakeup_np");
	expect(grows(&registers.rounds, 200), "a thread that is woken computes");
	if (round % 3 == 0)
		pthread_kill(worker, RTL_SIGUSR1);
}

static void suspension(void)
{
	int round;

	worker = made(compute_with_all, WORKER);
	for (round = 0; round < ROUNDS; round++)
		suspend_once(round);
	registers.leave = 1;
	result(worker);
	expect(handled > ROUNDS / 2, "the handler runs between");
	worker = made(compute, WORKER);
	expect(pthread_suspend_np(worker) == 0 && pthread_wakeup_np(worker) == 0 && counts(),
	       "a wake-up before a suspended thread has run");
	expect(pthread_suspend_np(worker) == 0 && stays(&count), "a thread is suspended");
	expect(pthread_delete_np(worker) == 0, "a suspended thread is deleted");
	done("suspension");
}

/* --- signals */

static void *compute_blocked(void *arg)
{
	rtl_sigset_t set;

	rtl_sigemptyset(&set);
	rtl_sigaddset(&set, RTL_SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, 0);
	compute(arg);
	reached = handled;
	pthread_sigmask(SIG_UNBLOCK, &set, 0);
	return (void *)(long)handled;
}

static void *mask_interrupts(void *arg)
{
	static spinlock_t spin = SPIN_LOCK_UNLOCKED;
	unsigned long flags, inner;

	rtl_no_interrupts(flags);
	pthread_kill(pthread_self(), RTL_SIGUSR1);
	rtl_no_interrupts(inner);
	rtl_restore_interrupts(inner);
	expect(handled == 0, "no handler while interrupts are masked");
	rtl_restore_interrupts(flags);
	expect(handled == 1, "the handler runs when they are restored");
	pthread_spin_lock(&spin);
	pthread_kill(pthread_self(), RTL_SIGUSR1);
	expect(handled == 1, "no handler while a spin lock is held");
	pthread_spin_unlock(&spin);
	expect(handled == 2, "the handler runs at the unlock");
	return arg;
}

/* Computes. The handler is interrupted like other code. */
static void handler_that_computes(int signal)
{
	compute(0);
}

static void signals(void)
{
	struct sigaction action;
	unsigned long at;

	handled = 0;
	worker = made(compute, WORKER);
	expect(counts(), "the worker computes");
	at = count;
	expect(pthread_kill(worker, RTL_SIGUSR1) == 0, "pthread_kill");
	expect(counts(), "the worker computes after the handler");
	expect(handled == 1 && handled_by == worker, "the handler runs in its thread");
	expect(handled_at == at, "the handler runs before the thread computes on");
	expect(pthread_kill(worker, RTL_SIGUSR2) == 0 && counts() && handled == 1,
	       "a signal without handler");
	expect(pthread_delete_np(worker) == 0, "pthread_delete_np");

	handled = 0;
	worker = made(compute_blocked, WORKER);
	expect(counts(), "the worker computes");
	pthread_kill(worker, RTL_SIGUSR1);
	expect(counts(), "a thread that blocks the signal computes");
	leave = 1;
	expect(result(worker) == 1 && reached == 0,
	       "a blocked signal is handled when it is unblocked");

	handled = 0;
	result(made(mask_interrupts, WORKER));

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler_that_computes;
	sigaction(RTL_SIGUSR2, &action, 0);
	worker = made(compute, WORKER);
	usleep(500);
	pthread_kill(worker, RTL_SIGUSR2);
	expect(counts(), "the handler computes");
	expect(pthread_suspend_np(worker) == 0 && stays(&count), "a handler is suspended");
	expect(pthread_wakeup_np(worker) == 0 && counts(), "a handler is woken");
	expect(pthread_delete_np(worker) == 0 && stays(&count), "a thread in a handler is deleted");
	done("signals");
}

/* --- threads in the library */

static pthread_mutex_t ceiling;
static spinlock_t spin = SPIN_LOCK_UNLOCKED;
static sem_t sem;
static mqd_t queue;
static volatile unsigned long calls;

static void call_run(unsigned int which)
{
	struct sched_param p = { WORKER };
	char text[16];

	switch (which % 7) {
	case 0:
		pthread_mutex_lock(&ceiling);
		pthread_mutex_unlock(&ceiling);
		break;
	case 1:
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
		break;
	case 2:
		sem_post(&sem);
		sem_wait(&sem);
		break;
	case 3:
		pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
		break;
	case 4:
		rtf_put(OWN_FIFO, "abc", 3);
		rtf_put(BETWEEN_FIFO, "abc", 3);
		rtf_get(BETWEEN_FIFO, text, 3);
		break;
	case 5:
		mq_send(queue, text, sizeof(text), 1);
		mq_receive(queue, text, sizeof(text), 0);
		break;
	default:
		kfree(kmalloc(4096, GFP_KERNEL));
	}
}

static void *call_library(void *arg)
{
	while (!is_over())
		call_run(calls++);
	return arg;
}

/* Uses each lock that the worker has used. This never returns if a lock is still held. */
static void locks_are_free(void)
{
	struct sched_param p = { BOSS };
	struct mq_attr form;
	char text[16];

	expect(pthread_spin_trylock(&spin) == 0 && pthread_spin_unlock(&spin) == 0,
	       "the spin lock");
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
	expect(rtf_flush(OWN_FIFO) == 0, "the FIFO with Linux");
	expect(rtf_put(BETWEEN_FIFO, "abc", 3) == 3 && rtf_get(BETWEEN_FIFO, text, 3) == 3,
	       "the FIFO between threads");
	rtf_flush(BETWEEN_FIFO);
	expect(mq_getattr(queue, &form) == 0, "the queue");
	while (form.mq_curmsgs-- > 0)
		mq_receive(queue, text, sizeof(text), 0);
}

static void ceiling_init(void)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&kind, MIDDLE);
	pthread_mutex_init(&ceiling, &kind);
	sem_init(&sem, 0, 0);
}

static void interrupt_once(int round)
{
	usleep(100 + 17 * round % 400);
	pthread_kill(worker, RTL_SIGUSR1);
	usleep(50 + 31 * round % 300);
	pthread_suspend_np(worker);
	expect(!grows(&calls, 2), "a thread that calls the library is suspended");
	locks_are_free();
	pthread_wakeup_np(worker);
}

static void library(void)
{
	struct mq_attr form;
	int round;

	memset(&form, 0, sizeof(form));
	form.mq_maxmsg = 10;
	form.mq_msgsize = 16;
	queue = mq_open("/computing", O_RDWR | O_CREAT, 0600, &form);
	handled = 0;
	for (round = 0; round < 2 * ROUNDS; round++) {
		if (round % 4 == 0) {
			ceiling_init();
			worker = made(call_library, WORKER);
		}
		interrupt_once(round);
		if (round % 4 == 3) {
			usleep(50 + 23 * round % 500);
			expect(pthread_delete_np(worker) == 0, "pthread_delete_np");
			locks_are_free();
		}
	}
	expect(calls > ROUNDS, "the worker has called the library");
	expect(handled >= ROUNDS, "it has handled signals");
	done("library");
}

/* --- timers and notices */

static timer_t timer;

static void timer_start(long first_ns, long period_ns)
{
	struct itimerspec value;

	memset(&value, 0, sizeof(value));
	value.it_value.tv_nsec = first_ns;
	value.it_interval.tv_nsec = period_ns;
	expect(timer_settime(timer, 0, &value, 0) == 0, "timer_settime");
}

/* Is interrupted by its timer: with a period, once, and with a period of 1 ns, which leaves it time to compute. */
static void *compute_with_timer(void *arg)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigaction(RTL_SIGUSR1, &action, 0); /* makes this thread the owner */
	timer_start(1000000, 2000000);
	while (handled < 5 && !is_over())
		count++;
	reached = handled;
	timer_start(1000000, 0);
	while (handled < 6 && !is_over())
		count++;
	timer_start(1000, 1);
	while (handled < 20 && !is_over())
		count++;
	expect(timer_getoverrun(timer) > 1000, "overruns of a period of 1 ns");
	timer_start(0, 0);
	return arg;
}

/* Blocks the signal while the timer expires several times. */
static void *compute_overruns(void *arg)
{
	rtl_sigset_t set;
	hrtime_t end;

	rtl_sigemptyset(&set);
	rtl_sigaddset(&set, RTL_SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, 0);
	timer_start(1000000, 1000000);
	end = gethrtime() + 10500000;
	while (gethrtime() < end)
		count++;
	usleep(1000); /* an emulator's interrupt can be later than its clock. It is not later than this sleep's end. */
	timer_start(0, 0);
	expect(handled == 0, "no handler while the signal is blocked");
	pthread_sigmask(SIG_UNBLOCK, &set, 0);
	expect(handled == 1 && timer_getoverrun(timer) >= 9, "overruns of a blocked signal");
	return arg;
}

static void *compute_with_notice(void *arg)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = RTL_SIGUSR1;
	expect(mq_notify(queue, &event) == 0, "mq_notify");
	return compute(arg);
}

static void timers_and_notices(void)
{
	struct sigevent event;
	struct mq_attr form;
	char text[16];

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = RTL_SIGUSR1;
	expect(timer_create(CLOCK_REALTIME, &event, &timer) == 0, "timer_create");
	handled = 0;
	worker = made(compute_with_timer, WORKER);
	result(worker);
	/* one expiry more if Linux or the emulator takes the CPU for a period after the fifth */
	expect(reached >= 5 && handled >= 20, "a timer interrupts a thread that computes");
	expect(handled_by == worker, "its handler runs in that thread");
	handled = 0;
	worker = made(compute_overruns, WORKER);
	result(worker);
	expect(timer_delete(timer) == 0, "timer_delete");

	handled = 0;
	mq_getattr(queue, &form);
	expect(form.mq_curmsgs == 0, "the queue is empty");
	worker = made(compute_with_notice, WORKER);
	expect(counts(), "the worker computes");
	expect(mq_send(queue, text, sizeof(text), 1) == 0 && counts(), "a message for the worker");
	expect(handled == 1 && handled_by == worker, "a notice interrupts a thread that computes");
	expect(pthread_delete_np(worker) == 0, "pthread_delete_np");
	mq_receive(queue, text, sizeof(text), 0);
	done("timers and notices");
}

/* --- handlers of FIFOs */

static char order_of_boss;

/* Runs in the boss, which calls rtf_put(). */
static int own_handler(unsigned int fifo)
{
	const char order = order_of_boss;

	if (order == 's')
		return pthread_suspend_np(worker);
	return order == 'w' ? pthread_wakeup_np(worker) : pthread_delete_np(worker);
}

static void own_handler_run(char order)
{
	order_of_boss = order;
	expect(rtf_put(HANDLER_FIFO, &order, 1) == 1, "rtf_put");
}

static void handlers(void)
{
	expect(rtf_create_rt_handler(HANDLER_FIFO, own_handler) == 0, "rtf_create_rt_handler");
	worker = made(compute, WORKER);
	expect(counts(), "the worker computes");
	own_handler_run('s');
	expect(stays(&count), "a handler suspends the worker");
	own_handler_run('w');
	expect(counts(), "a handler wakes the worker");
	own_handler_run('d');
	expect(stays(&count) && pthread_kill(worker, 0) == ESRCH, "a handler deletes the worker");
	worker = made(compute, WORKER);
	done("handlers");
}

/* Runs in the Linux context, which masks the worker to preempt it while it computes. */
static int linux_handler(unsigned int fifo)
{
	unsigned long flags;
	char order = 0;

	rtf_get(fifo, &order, 1);
	rtl_no_interrupts(flags);
	limit = gethrtime() + LIMIT;
	if (order == 's') {
		pthread_wakeup_np(worker);
		expect(counts(), "the worker computes while the handler sleeps");
		pthread_suspend_np(worker);
		expect(stays(&count), "the FIFO handler suspends it");
	} else {
		pthread_wakeup_np(worker);
		expect(counts(), "the worker computes on");
		pthread_delete_np(worker);
		expect(stays(&count), "the FIFO handler deletes it");
	}
	rtl_restore_interrupts(flags);
	done(order == 's' ? "FIFO handler: suspension" : "FIFO handler: deletion");
	return 0;
}

static void *boss(void *arg)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	expect(sigaction(RTL_SIGUSR1, &action, 0) == 0, "sigaction");
	deletion();
	cancellation();
	suspension();
	signals();
	library();
	timers_and_notices();
	handlers();
	pthread_suspend_np(worker); /* lets the Linux context run */
	return arg;
}

int init_module(void)
{
	if (rtf_create(LINUX_FIFO, 64) || rtf_create_handler(LINUX_FIFO, linux_handler) ||
	    rtf_create(OWN_FIFO, 4096) || rtf_create(BETWEEN_FIFO, 4096) ||
	    rtf_create(HANDLER_FIFO, 64))
		return -1;
	made(boss, BOSS);
	return 0;
}

void cleanup_module(void)
{
}

// SPDX-License-Identifier: GPL-2.0
/*
 * An RTLinux module that drives a 16550 serial port in its loopback mode: each byte that it sends comes back with an
 * interrupt.
 */
#include <rtl.h>
#include <asm/io.h>
#include <errno.h>
#include <pthread.h>
#include <rtl_core.h>
#include <rtl_sched.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define BASE 0x2e8
#define IRQ 5
#define SIGNAL (RTL_SIGIRQMIN + IRQ)
#define ENABLE (BASE + 1) /* register that enables interrupts */
#define REASON (BASE + 2)
#define MODEM (BASE + 4)
#define LINE (BASE + 5)
#define BYTES 200
#define COMPUTED 50

static int wrong;
static volatile int handled, received;
static volatile unsigned long count;
static sem_t arrived;
static pthread_t worker;

static void expect(int holds, const char *what)
{
	if (!holds) {
		wrong++;
		rtl_printf("wrong: %s\n", what);
	}
}

static unsigned int handler(unsigned int irq, struct pt_regs *regs)
{
	expect(irq == IRQ, "the number of the interrupt");
	while (inb(LINE) & 1)
		received = inb(BASE);
	handled++;
	sem_post(&arrived);
	rtl_hard_enable_irq(irq);
	return 0;
}

static int arrives(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	return sem_timedwait(&arrived, &until) == 0;
}

/* Waits for each byte. Runs in a task's thread of the highest priority. */
static void bytes_pass(void)
{
	int i;

	for (i = 0; i < BYTES && !wrong; i++) {
		outb(i, BASE);
		expect(arrives(), "an interrupt for each byte");
		expect(received == (i & 0xff), "the byte");
		expect(handled == i + 1, "one interrupt for each byte");
	}
}

/* Computes without waiting, while the handler interrupts this thread. */
static void *compute(void *arg)
{
	int before;

	while (handled < BYTES + COMPUTED && !wrong) {
		hrtime_t end = gethrtime() + 5000000000LL;

		before = handled;
		outb(before, BASE);
		while (handled == before && gethrtime() < end)
			count++;
		expect(handled == before + 1, "an interrupt while the thread computes");
	}
	return arg;
}

static volatile int signalled, last_signal;

/* A handler of sigaction(). The line of this port is edge-triggered. */
static void on_signal(int signal)
{
	last_signal = signal;
	while (inb(LINE) & 1)
		received = inb(BASE);
	signalled++;
	sem_post(&arrived);
	rtl_hard_enable_irq(IRQ);
}

/* Sends a byte. A byte that is left would keep the line active, so that this one raises no interrupt. */
static void byte_send(int byte)
{
	inb(BASE);
	outb(byte, BASE);
}

/* Returns whether the handler of sigaction() runs for a byte. */
static int signals(int byte)
{
	const int before = signalled;

	byte_send(byte);
	return arrives() && signalled == before + 1 && received == byte;
}

/* Returns whether no handler runs for a byte. */
static int silent(int byte)
{
	const int before = signalled;

	byte_send(byte);
	usleep(2000);
	return signalled == before;
}

static void signals_pass(void)
{
	struct sigaction action, old;

	action.sa_handler = on_signal;
	action.sa_flags = 0;
	action.sa_mask = 0;
	expect(sigaction(SIGNAL, &action, 0) == -1 && errno == EBUSY,
	       "sigaction of a line that has a handler");
	expect(rtl_free_irq(IRQ) == 0 && sigaction(SIGNAL, &action, &old) == 0 &&
		       old.sa_handler == SIG_DFL,
	       "sigaction");
	expect(rtl_request_irq(IRQ, handler) == -EBUSY, "a line that sigaction has");
	expect(signals(11) && signals(12) && last_signal == SIGNAL, "the handler of sigaction");
	action.sa_handler = SIG_IGN;
	expect(sigaction(SIGNAL, &action, &old) == 0 && old.sa_handler == on_signal && silent(13),
	       "SIG_IGN frees the line");
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONESHOT;
	expect(sigaction(SIGNAL, &action, 0) == 0 && signals(14) && silent(15),
	       "SA_ONESHOT frees the line");
	action.sa_flags = SA_IRQ;
	expect(sigaction(IRQ, &action, 0) == 0 && signals(16) && last_signal == IRQ, "SA_IRQ");
	action.sa_handler = SIG_DFL;
	expect(sigaction(SIGNAL, &action, 0) == 0 && silent(17), "SIG_DFL frees the line");
	action.sa_handler = on_signal;
	expect(sigaction(RTL_SIGIRQMIN + 7, &action, 0) == -1 && errno == EBUSY,
	       "sigaction of a line that is not the module's");
}

static void foreign_ports(void)
{
	unsigned char bytes[2] = { 1, 2 };

	expect(inb(0x80) == 0xff, "a port that is not the module's");
	outb(0, 0x80);
	expect(inw(0x82) == 0xffff && inl(0x84) == 0xffffffff, "wider ports");
	outw(0, 0x82);
	outl(0, 0x84);
	insb(0x88, bytes, 2);
	expect(bytes[0] == 0xff && bytes[1] == 0xff, "insb");
	outsb(0x88, bytes, 2);
}

static void *boss(void *arg)
{
	outb(0x03, BASE + 3); /* 8 bits */
	outb_p(0x18, MODEM);  /* loopback, interrupts */
	inb(BASE);
	inb(REASON);
	outb(0x01, ENABLE); /* enables interrupts of received bytes */
	bytes_pass();
	pthread_create(&worker, 0, compute, 0);
	pthread_join(worker, 0);
	foreign_ports();
	expect(rtl_free_irq(IRQ) == 0 && rtl_free_irq(IRQ) == -EINVAL, "rtl_free_irq");
	outb(1, BASE);
	usleep(2000);
	expect(handled == BYTES + COMPUTED, "no handler after rtl_free_irq");
	expect(rtl_request_irq(IRQ, handler) == 0, "the interrupt is requested again");
	inb(BASE);
	outb(2, BASE);
	expect(arrives() && received == 2, "an interrupt after that");
	signals_pass();
	outb(0, ENABLE);
	rtl_printf("all done, %d wrong\n", wrong);
	return arg;
}

int init_module(void)
{
	struct sched_param p;
	pthread_attr_t attr;
	pthread_t thread;

	sem_init(&arrived, 0, 0);
	expect(rtl_request_irq(IRQ, handler) == 0, "rtl_request_irq");
	expect(rtl_request_irq(IRQ, handler) == -EBUSY, "an interrupt that has a handler");
	expect(rtl_request_irq(7, handler) == -EBUSY, "an interrupt that is not the module's");
	expect(rtl_request_irq(100000, handler) == -EINVAL, "a number that is too large");
	p.sched_priority = 20;
	pthread_attr_init(&attr);
	pthread_attr_setschedparam(&attr, &p);
	return pthread_create(&thread, &attr, boss, 0);
}

void cleanup_module(void)
{
	rtl_free_irq(IRQ);
}

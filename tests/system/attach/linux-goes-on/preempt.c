// SPDX-License-Identifier: GPL-2.0
/*
 * A periodic SCHED_FIFO thread on the CPU of the host thread, with a higher priority. It must meet its deadlines,
 * within the limits of the machine. No component may run while it computes.
 *
 *   preempt ROUNDS CPU PRIORITY
 */
#include "../../lib/device.h"

#include <sched.h>

#define PERIOD_US 4000
#define SPIN_US 1000

static uint64_t calls(int fd)
{
	struct limpet_ioc_stat stat = { 0 };

	if (ioctl(fd, LIMPET_IOC_STAT, &stat))
		die("LIMPET_IOC_STAT: %s", strerror(errno));
	return stat.cpu.calls;
}

static void spin(long us)
{
	double end = seconds() + (double)us / 1e6;

	while (seconds() < end)
		;
}

int main(int argc, char **argv)
{
	unsigned long rounds = strtoul(argv[1], NULL, 0);
	struct sched_param parameters = { .sched_priority = atoi(argc > 3 ? argv[3] : "0") };
	double begin, took;
	int fd = device_open();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(atoi(argv[2]), &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &parameters))
		die("sched_setscheduler: %s", strerror(errno));
	begin = seconds();
	for (unsigned long i = 0; i < rounds; i++) {
		uint64_t before = calls(fd);

		spin(SPIN_US);
		if (calls(fd) != before)
			die("round %lu: components ran meanwhile", i);
		pause_us(PERIOD_US - SPIN_US);
	}
	took = seconds() - begin;
	if (took > (double)rounds * PERIOD_US / 1e6 * 20)
		die("%lu rounds of %d us took %.3f s", rounds, PERIOD_US, took);
	return 0;
}

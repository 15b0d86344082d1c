// SPDX-License-Identifier: GPL-2.0
/*
 * twice IMAGE ROUNDS: in each round, two threads load the image by the same open file at the same time. Passes if
 * exactly one request of each round succeeds, and the other one is refused with the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limpet/device.h>

#define REASON "This file has loaded a system already. Open another file."

struct request {
	pthread_t thread;
	struct limpet_ioc_load load;
	int error;
};

static int device;
static pthread_barrier_t both;

static void *load(void *of)
{
	struct request *request = of;

	pthread_barrier_wait(&both);
	request->error = ioctl(device, LIMPET_IOC_LOAD, &request->load) ? errno : 0;
	return NULL;
}

static int is_refused(struct request *request)
{
	request->load.error[sizeof(request->load.error) - 1] = 0;
	return request->error == EBUSY && !strcmp(request->load.error, REASON);
}

/* Returns whether one request succeeded and the other one was refused. */
static int round_run(const struct limpet_ioc_load *wanted)
{
	struct request request[2] = { { .load = *wanted }, { .load = *wanted } };

	device = open(LIMPET_DEVICE, O_RDWR);
	if (device < 0)
		return 0;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&request[i].thread, NULL, load, &request[i]))
			exit(2);
	for (int i = 0; i < 2; i++)
		pthread_join(request[i].thread, NULL);
	close(device);
	if ((!request[0].error && is_refused(&request[1])) ||
	    (!request[1].error && is_refused(&request[0])))
		return 1;
	for (int i = 0; i < 2; i++)
		fprintf(stderr, "error %d: %s\n", request[i].error, request[i].load.error);
	return 0;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 2 ? atoi(argv[2]) : 0;
	const int image = open(argc > 1 ? argv[1] : "", O_RDONLY);
	struct limpet_ioc_load wanted = { .cpus = 1 };
	struct stat stat;

	if (rounds < 1 || fstat(image, &stat))
		return 2;
	wanted.size = (uint64_t)stat.st_size;
	wanted.image =
		(uintptr_t)mmap(NULL, wanted.size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, image, 0);
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < rounds; i++)
		if (!round_run(&wanted)) {
			fprintf(stderr, "in round %d of %d\n", i + 1, rounds);
			return 1;
		}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * load IMAGE: loads an image without the command's checks. Prints the module's message to stderr,
 * with exit code 1.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <limpet/device.h>

int main(int argc, char **argv)
{
	int image = open(argc == 2 ? argv[1] : "", O_RDONLY), device = open(LIMPET_DEVICE, O_RDWR);
	struct limpet_ioc_load load = { .cpus = 1 };
	struct stat stat;

	if (device < 0 || fstat(image, &stat))
		return 2;
	load.size = (uint64_t)stat.st_size;
	load.image = (uintptr_t)mmap(NULL, load.size, PROT_READ, MAP_PRIVATE, image, 0);
	if (!ioctl(device, LIMPET_IOC_LOAD, &load))
		return 0;
	load.error[sizeof(load.error) - 1] = 0;
	fprintf(stderr, "%s\n", load.error);
	return 1;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * load IMAGE [NAME=NUMBER...]: loads an image without the command's checks, with other numbers of the request: cpus,
 * linux_share (per mille), early_us, size (bytes). Prints the module's message to stderr, with exit code 1.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <limpet/device.h>

static void number_set(struct limpet_ioc_load *load, const char *word)
{
	const char *value = strchr(word, '=');
	uint32_t number = value ? (uint32_t)strtoul(value + 1, NULL, 10) : 0;

	if (!strncmp(word, "cpus=", 5))
		load->cpus = number;
	else if (!strncmp(word, "linux_share=", 12))
		load->linux_share = number;
	else if (!strncmp(word, "early_us=", 9))
		load->early_us = number;
	else if (!strncmp(word, "size=", 5))
		load->size = number;
	else
		exit(2);
}

int main(int argc, char **argv)
{
	int image = open(argc > 1 ? argv[1] : "", O_RDONLY), device = open(LIMPET_DEVICE, O_RDWR);
	struct limpet_ioc_load load = { .cpus = 1 };
	struct stat stat;

	if (device < 0 || fstat(image, &stat))
		return 2;
	load.size = (uint64_t)stat.st_size;
	load.image = (uintptr_t)mmap(NULL, load.size, PROT_READ, MAP_PRIVATE, image, 0);
	for (int i = 2; i < argc; i++)
		number_set(&load, argv[i]);
	if (!ioctl(device, LIMPET_IOC_LOAD, &load))
		return 0;
	load.error[sizeof(load.error) - 1] = 0;
	fprintf(stderr, "%s\n", load.error);
	return 1;
}

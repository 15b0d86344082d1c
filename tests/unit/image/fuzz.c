// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz IMAGE SEED COUNT: makes COUNT damaged copies of a good image. Every second copy gets a
 * correct checksum, so that the later checks are reached. Each copy is refused with one precise
 * line, or is accepted and then read completely by walk(). Prints the counts, and each reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <image/check.h>

#include "walk.h"

#define REASONS 192

static uint64_t state;
static struct {
	char line[160];
	unsigned long count;
} seen[REASONS];

static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static uint64_t odd_value(void)
{
	static const uint64_t values[] = {
		0,
		1,
		2,
		7,
		8,
		63,
		64,
		4095,
		4096,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x1000000000,
		0x7ffffffff000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xfffffffffffff000,
		0xffffffffffffffff,
	};

	return pick(4) ? values[pick(sizeof(values) / sizeof(values[0]))] : pick(~0ul);
}

static void set(unsigned char *image, uint64_t at, uint64_t width, uint64_t value)
{
	memcpy(image + at, &value, width);
}

/* Changes one place. Most places are in header, records and strings. */
static void damage(unsigned char *image, uint64_t size, uint64_t records)
{
	uint64_t range = records < size && pick(10) ? records : size;
	uint64_t width = pick(2) ? 4 : 8;
	uint64_t at = pick(range - 8) / width * width;
	uint64_t value;

	memcpy(&value, image + at, sizeof(value));
	switch (pick(6)) {
	case 0:
		image[at + pick(8)] ^= (unsigned char)(1 << pick(8));
		break;
	case 1:
		image[at + pick(8)] = (unsigned char)pick(256);
		break;
	case 2:
		set(image, at, width, odd_value());
		break;
	case 3:
		set(image, at, width, value + pick(9) - 4);
		break;
	case 4:
		set(image, at, width, value + (pick(2) ? 4096 : -4096ul));
		break;
	default:
		memmove(image + at, image + pick(range - 8) / width * width, width);
	}
}

static uint64_t damaged_size(uint64_t size)
{
	switch (pick(40)) {
	case 0:
		return pick(size);
	case 1:
		return pick(size / 4096) * 4096;
	case 2:
		return size + 4096 * (1 + pick(3));
	default:
		return size;
	}
}

static void count(const struct limpet_image_error *error)
{
	char line[160];
	int i = 0;

	if (!error->field || !error->reason || !*error->field || !*error->reason ||
	    strchr(error->reason, '\n') || error->index >= 1u << 16)
		abort();
	snprintf(line, sizeof(line), "%s: %s", error->field, error->reason);
	while (i < REASONS - 1 && seen[i].count && strcmp(seen[i].line, line))
		i++;
	strcpy(seen[i].line, line);
	seen[i].count++;
}

static int one(const unsigned char *good, uint64_t good_size, uint64_t records, int corrected)
{
	uint64_t size = damaged_size(good_size);
	/*
	 * Allocates exactly the size of the image, so that the sanitizer detects a read beyond it.
	 */
	unsigned char *image = malloc(size ? size : 1);
	struct limpet_image_error error = { NULL, NULL, 0 };
	int accepted;

	memset(image, 0, size);
	memcpy(image, good, size < good_size ? size : good_size);
	for (uint64_t i = 0, n = 1 + pick(3); i < n && size > 16; i++)
		damage(image, size, records);
	if (corrected)
		correct(image, size, pick(8) != 0);
	accepted = !limpet_image_check(image, size, &error);
	if (accepted)
		walk(image);
	else
		count(&error);
	free(image);
	return accepted;
}

int main(int argc, char **argv)
{
	static unsigned char good[1 << 20];
	FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
	uint64_t size = file ? fread(good, 1, sizeof(good), file) : 0;
	const struct limpet_image *header = (const void *)good;
	struct limpet_image_error error;
	unsigned long total, accepted = 0;

	if (!size || limpet_image_check(good, size, &error))
		return 2;
	state = strtoul(argv[2], NULL, 0) * 0x9e3779b97f4a7c15ul + 1;
	total = strtoul(argv[3], NULL, 0);
	walk(good);
	for (unsigned long i = 0; i < total; i++)
		accepted += (unsigned long)one(good, size, header->strings_at + header->strings,
					       (int)(i & 1));
	printf("accepted %lu of %lu\n", accepted, total);
	for (int i = 0; i < REASONS && seen[i].count; i++)
		printf("%8lu  %s\n", seen[i].count, seen[i].line);
	return 0;
}

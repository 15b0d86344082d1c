// SPDX-License-Identifier: BSD-2-Clause
/* Checks an image on the build machine with the checker of the kernel module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <image/field.h>

static int refuse(const char *path, const char *where, const char *text)
{
	fprintf(stderr,
		"limpet-compose: %s:[%s]: %s. The image cannot be used. Compose it again.\n", path,
		where, text);
	return 1;
}

static int check(const char *path, const void *image, uint64_t size)
{
	struct limpet_image_error error;
	char where[64], subject[LIMPET_IMAGE_SUBJECT_MAX], text[256];

	if (!limpet_image_check(image, size, &error)) {
		printf("%s: good\n", path);
		return 0;
	}
	if (strchr(error.field, '.'))
		snprintf(where, sizeof(where), "%s %u", error.field, error.index);
	else
		snprintf(where, sizeof(where), "header.%s", error.field);
	limpet_image_subject(image, size, &error, subject);
	snprintf(text, sizeof(text), "%s %s", subject, error.reason);
	return refuse(path, where, text);
}

int main(int count, char **arguments)
{
	const char *path = count == 2 ? arguments[1] : "";
	FILE *file = fopen(path, "rb");
	struct stat status;
	void *image;
	int result;

	if (!file || fstat(fileno(file), &status) || !S_ISREG(status.st_mode))
		return refuse(path, "file", "The path is not a file that can be read");
	if (status.st_size > (off_t)LIMPET_IMAGE_MAX)
		return refuse(path, "header.size", "The file is larger than any image");
	image = aligned_alloc(64, ((size_t)status.st_size + 127) / 64 * 64);
	if (!image || fread(image, 1, (size_t)status.st_size, file) != (size_t)status.st_size)
		result = refuse(path, "file", "The file cannot be read");
	else
		result = check(path, image, (uint64_t)status.st_size);
	free(image);
	fclose(file);
	return result;
}

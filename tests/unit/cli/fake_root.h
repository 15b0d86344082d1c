/* SPDX-License-Identifier: GPL-2.0 */
/* A folder that represents the root of a simulated Linux. */
#ifndef TEST_FAKE_ROOT_H
#define TEST_FAKE_ROOT_H

#include "test.h"

#include <sys/stat.h>

static char root[64];

/* Both return 0, or nonzero if the fixture failed. */
static inline int root_make(void)
{
	strcpy(root, "/tmp/limpet-root-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static inline int root_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

/* Writes a file below the root, and creates its parent folders. */
static inline void put(const char *path, const char *text)
{
	char whole[512];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(whole, 0755);
		*at = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#endif

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/kernel_log.h>

#define RECORD_MAX 8192

int kernel_log_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log >= 0)
		lseek(log, 0, SEEK_END);
	return log;
}

bool kernel_log_find(int log, const char *words, char *to, size_t size)
{
	char record[RECORD_MAX + 1];
	ssize_t length;
	char *at;

	/*
	 * One read returns one record. EPIPE: records were overwritten, and the next read continues
	 * after them.
	 */
	while (log >= 0 && ((length = read(log, record, RECORD_MAX)) > 0 || errno == EPIPE)) {
		if (length < 0)
			continue;
		record[length] = 0;
		at = strstr(record, words);
		if (at) {
			at += strlen(words);
			snprintf(to, size, "%.*s", (int)strcspn(at, "\n"), at);
			return true;
		}
	}
	return false;
}

void kernel_log_close(int log)
{
	if (log >= 0)
		close(log);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of the systems that ran since boot: /run/limpet/log, and the part before it in log.1.
 * Written by the host process alone; bounded to twice LOG_FILE_MAX.
 */
#ifndef HOST_LOG_FILE_H
#define HOST_LOG_FILE_H

#include <stddef.h>

#define LOG_FOLDER "/run/limpet"
#define LOG_NAME LOG_FOLDER "/log"
#define LOG_NAME_OLD LOG_FOLDER "/log.1"
#define LOG_FILE_MAX (1u << 20)

struct log_file {
	const char *name;
	const char *name_old;
	int fd;
	size_t size;
	int copy; /* a descriptor that gets all text, too, or -1 */
};

/* Opens the log to append to it, making folder and file. Returns 0 or a negative errno. */
int log_file_open(struct log_file *log, const char *folder, const char *name, const char *name_old);
/* Appends text; begins a new file when this one is full. A full disk costs the text. */
void log_file_write(struct log_file *log, const char *text, size_t size);
/* Appends a line of the host's own: "limpet: ...". */
void log_file_note(struct log_file *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

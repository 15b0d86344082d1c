/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of the systems that ran since boot with one id: /run/limpet/log for id 0, else log@ID. The part before it is
 * in a file with .1 at the end. Written by the system's host process alone; bounded to twice LOG_FILE_MAX.
 */
#ifndef HOST_LOG_FILE_H
#define HOST_LOG_FILE_H

#include <stddef.h>

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

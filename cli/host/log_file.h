/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of the systems with one id since boot: /run/limpet/log for id 0, else log@ID. The part before it is in a file
 * whose name ends in .1. Only the system's host process writes the log. Both parts together have at most twice
 * LOG_FILE_MAX bytes.
 */
#ifndef HOST_LOG_FILE_H
#define HOST_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <limpet/limits.h>

#include "log_copy.h"

#define LOG_FILE_MAX (1u << 20)
#define LOG_TIMES ".times" /* suffix of the file with the times of a part of the log */

/* A record of the file of times. It applies to the text from its offset up to the offset of the next record. */
struct log_time {
	uint64_t offset; /* offset in the part of the log */
	uint64_t ns;	 /* time at which the host process read the text, since 1970; not 0 */
	char system[LIMPET_NAME_MAX];
};

/* Reads the next record. Returns false if it is not complete yet, without moving in the file. */
bool log_time_read(FILE *times, struct log_time *time);

struct log_file {
	const char *name;
	const char *name_old;
	const char *system; /* the name of the writing system; "" if unknown */
	int fd;
	int times; /* -1: the text has no times */
	size_t size, times_size;
	struct log_copy copy; /* prints the text for people, too */
};

/* Opens the log to append to it. Creates the folder and the file if they are missing. Returns 0 or a negative errno. */
int log_file_open(struct log_file *log, const char *folder, const char *name, const char *name_old);
/* Appends text. Starts a new file when this one is full. If the disk is full, the text is lost. */
void log_file_write(struct log_file *log, const char *text, size_t size);
/* Appends a line of the host process itself: "limpet: ...". */
void log_file_note(struct log_file *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

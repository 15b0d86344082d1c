/* SPDX-License-Identifier: GPL-2.0 */
/* A file that another one takes the place of, whole. */
#ifndef EXPORTER_TEXTFILE_H
#define EXPORTER_TEXTFILE_H

#include <stddef.h>

/*
 * Writes `path` anew, readable by all: who opens it finds the old text or the new one. The new one stands at
 * PATH.new meanwhile, which node_exporter, who looks for *.prom, passes over. Returns 0 or a negative errno;
 * then the old one is still there.
 */
int textfile_write(const char *path, const char *text, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a file so that readers do not see a part of it. */
#ifndef EXPORTER_TEXTFILE_H
#define EXPORTER_TEXTFILE_H

#include <stddef.h>

/*
 * Replaces the file at `path`. All users can read it. A reader finds either the old text or the new one. The new text
 * is first written to PATH.new, which node_exporter ignores because it reads only *.prom. Returns 0, or a negative
 * errno if the old file was kept.
 */
int textfile_write(const char *path, const char *text, size_t size);

#endif

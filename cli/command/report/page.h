/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the page. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include <cli/command/report/survey.h>

/* table.c. Starts a table. `words` has a bit for each column with words. The other columns have figures. */
void table_begin(FILE *out, const char *const *heads, unsigned int count, unsigned int words);
void table_end(FILE *out);
/* Writes a cell with escaped text. `class` is "" for a cell without a class. */
void table_cell(FILE *out, const char *class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes a row of two columns, unless the text is empty. */
void table_fact(FILE *out, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* load.c */
void load_section(FILE *out, const struct survey *survey);

#endif

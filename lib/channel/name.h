/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of channels in programs that were written for other systems. */
#ifndef CHANNEL_NAME_H
#define CHANNEL_NAME_H

/* Returns the letter of a system file's name for a letter of a program. System files have no upper case and no '_'. */
static inline char channel_name_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c + ('a' - 'A'));
	return c == '_' ? '-' : c;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the printer that only lib/guest uses. A function put_X() adds the text of a value to the line. An
 * address is one of the traced program, whose memory the function copies. `from` points to bytes that were copied
 * before. If a copy fails, the function adds the address, or ends the text there. Numbers and lengths can have any
 * value, because the program chose them. Each function limits the bytes that it copies and adds, so its cost is
 * bounded.
 */
#ifndef GUEST_PUT_H
#define GUEST_PUT_H

#include <guest/format.h>
#include <guest/numbers.h>
#include <guest/table.h>

#define TEXT_MAX 32	 /* bytes of a text, or elements of a list, that are printed */
#define PATH_LENGTH 4095 /* bytes of a path */
#define NAME_LENGTH 15	 /* bytes of a thread's name */
#define FD_MAX 1024	 /* descriptors of a set */

/* copy.c: copies `size` bytes of the traced program. Returns whether all bytes were copied. */
bool guest_read(struct guest_line *line, void *to, word address, word size);
/* Loads a number of 1, 2, 4 or 8 bytes from copied memory. */
word number_load(const void *from, unsigned int size, bool sign);

/* A position in the text that place_return() can restore. */
struct place {
	size_t length;
	bool cut;
};
/* Returns the present end of the text. */
struct place place_of(const struct guest_line *line);
/* Removes the text that was added after place_of(). */
void place_return(struct guest_line *line, struct place place);

/* symbol.c */
void put_address(struct guest_line *line, word value);
void put_hex(struct guest_line *line, word value); /* 0, or 0x... */
void put_octal(struct guest_line *line, unsigned int value, unsigned int width);
void put_flags(struct guest_line *line, unsigned int set, word value);
void put_symbol(struct guest_line *line, unsigned int set, word value);
const char *symbol_name(const struct guest_symbol *symbols, unsigned int count, word value);

/* number.c */
void put_filemode(struct guest_line *line, unsigned int mode);
void put_number(struct guest_line *line, const struct guest_value *value, word number);
void put_limit(struct guest_line *line, word value);
bool mode_is_device(unsigned int mode);

/* signal.c */
void put_signal(struct guest_line *line, word number, bool prefix);
void put_sigset(struct guest_line *line, word set);
void put_status(struct guest_line *line, word address);
void put_handler(struct guest_line *line, word handler);

/* string.c */
void put_quoted(struct guest_line *line, const void *from, word length, bool terminated);
void put_string(struct guest_line *line, word address, word max);
void put_bytes(struct guest_line *line, word address, word length);

/* struct.c. struct_load() returns the number in the field with that index. */
word struct_load(unsigned int of, unsigned int index, const unsigned char *from);
void put_fields(struct guest_line *line, unsigned int of, const unsigned char *from);
void put_struct(struct guest_line *line, unsigned int of, word address);
void put_structs(struct guest_line *line, unsigned int of, word address, word count);

/* inet.c */
void put_inet(struct guest_line *line, const unsigned char *from);
void put_inet6(struct guest_line *line, const unsigned char *from);

/* address.c: socket addresses. */
void put_sockaddr(struct guest_line *line, word address, word length);

/* list.c: lists of one element kind. `element` prints the one at an address; returns false if it cannot be read. */
typedef bool put_element(struct guest_line *line, word address, void *context);
void put_list(struct guest_line *line, word address, word count, word size, put_element *element,
	      void *context);
void put_strings(struct guest_line *line, word address);
void put_environment(struct guest_line *line, word address);
void put_dirents(struct guest_line *line, word address, word length);
void put_cpuset(struct guest_line *line, word address, word length);

/* clone.c: put_clone_written() prints after the call what Linux wrote for clone3. */
void put_cloneflags(struct guest_line *line, unsigned int set, word flags);
void put_clone_args(struct guest_line *line, word address, word size);
void put_clone_written(struct guest_line *line);

/* vector.c */
void put_iovec(struct guest_line *line, word address, word count, word bytes);
void put_msghdr(struct guest_line *line, word address, word bytes);

/* ready.c: sets of descriptors, and results of poll and select. */
void put_fdset(struct guest_line *line, word address, long count);
void put_polled(struct guest_line *line);
void put_selected(struct guest_line *line);

/* argument.c: an argument of the line's call. */
void put_argument(struct guest_line *line, const struct guest_value *value);

/* result.c */
/* Returns whether a signal interrupted the call and Linux may restart it. */
bool result_is_restart(long result);
void put_result(struct guest_line *line);

#endif

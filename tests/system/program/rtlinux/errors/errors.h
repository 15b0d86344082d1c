/* SPDX-License-Identifier: GPL-2.0 */
/* Declares what the sources of this module share. */
void expect(int holds, const char *what);
/* Checks that a function returned -1 with this error in errno. */
void fails(int status, int error, const char *what);
/* Test the functions of one part of the interface. */
void threads_test(void);
void files_test(void);
void linux_test(void);

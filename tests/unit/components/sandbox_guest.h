/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs exec.sandbox with one guest, for its unit tests. */
#ifndef SANDBOX_GUEST_H
#define SANDBOX_GUEST_H

#include "guest_fake.h"
#include "sandbox.h"

#define ID 5 /* of the guest */
#define AT 0x5000ul
#define AT2 0x6000ul
#define HERE ((word)GUEST_AT_FDCWD)
/* Constants of Linux. */
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_TRUNC 01000
#define O_PATH 010000000

#define SANDBOX_TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_setup, sandbox_teardown)

extern uint8_t sandbox_heap[36 << 10]; /* heap of the component */
extern const char sandbox_policy[];    /* policy of sandbox_setup() */

/* Starts the component with a policy. Returns what fake_main() returns. */
bool sandbox_start(const char *text);
int sandbox_setup(void **state);
/* Ends all guests. */
int sandbox_teardown(void **state);
/* Returns what Linux reads at an address of guest ID. */
const void *linux_reads(word address);
/* Makes a call of the guest with a path at AT as its first argument. */
struct executive_answer path_call(word number, const char *path, word w2, word w3);
/* Checks that open() of the path passes with the path `expected`, or is refused if that is NULL. */
void assert_path(const char *path, word flags, const char *expected);

#endif

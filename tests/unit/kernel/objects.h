/* SPDX-License-Identifier: GPL-2.0 */
/* Makes objects for tests, with kernel calls of the booter's thread. Slots are in its table. */
#ifndef TEST_OBJECTS_H
#define TEST_OBJECTS_H

#include "machine.h"

#define T LIMPET_BOOT_TABLE

struct built {
	word page_table, table, component; /* slots */
	word index;
};

word slot_new(void);
word frames_new(word count);
word object_new(word type, word frames);
/* Makes a page table with a root and `frames` - 1 pages for lower levels. */
word page_table_new(word frames);
/* Makes an active component with a table of `table_frames` and 6 pages for lower levels. */
struct built component_new(word index);
struct built component_new_with(word index, word table_frames);
/* Makes a gate to the component, in slot `slot` of the table in slot `table`. */
void gate_give(const struct built *to, word badge, word table, word slot);
word gate_new(const struct built *to, word badge);
/* Makes a thread that will start in the component. `scheduler`: slot of an endpoint, or 0. */
word thread_new(const struct built *in, word id, word scheduler);
/* Makes an endpoint that is bound to the thread. */
word endpoint_new(word thread);

struct capability *cap_at(word slot);
struct capability *cap_of(const struct built *b, word slot); /* slot of its own table */
struct component *component_of(const struct built *b);
struct thread *thread_of(word slot);
struct endpoint *endpoint_of(word slot);

/* Deletes, and repeats the call after EAGAIN. Returns the last status. */
long delete_all(word slot);
long revoke_all(word slot);
/* Returns the number of frames that are not free. */
word frames_used(void);

#define TEST(name) cmocka_unit_test_setup_teardown(name, machine_setup, machine_teardown)
#define TEST_TWO(name) cmocka_unit_test_setup_teardown(name, machine_setup_two, machine_teardown)
#define RUN(name, tests) cmocka_run_group_tests_name(name, tests, NULL, NULL)

#define EMPTY 60 /* a slot of the booter's table that stays empty */

/* Copies the capability in `slot` with fewer rights. */
word weaker(word slot, word rights);

#define assert_ok(expression) assert_int_equal(expression, LIMPET_OK)
#define assert_status(expression, name) assert_int_equal(expression, LIMPET_##name)
#define assert_current(slot) assert_ptr_equal(cpu->thread, thread_of(slot))

#endif

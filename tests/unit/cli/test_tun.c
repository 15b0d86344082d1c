// SPDX-License-Identifier: GPL-2.0
/* Tests the reactions of `limpet tun` to the module. Linked with --wrap=ioctl. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include <cli/command/tun/tun.h>
#include <limpet/node.h>

#define TAP 3
#define CHANNEL 4
#define OTHER 5 /* descriptor that the module returns for TAP; it returns TAP for this one */
#define TUNSETCARRIER 0x400454e2u

/*
 * The module's results of one call after the other. The last one is an error that ends the command.
 */
struct answer {
	int error;
	unsigned int link;
};

static const struct answer *answers;
static unsigned int link_reported; /* in the module's last answer */
static int carriers[8];		   /* values set on the interface */
static unsigned int set;
static int carrier_error;
static int tap, tap_given; /* the program's descriptor, and the module's */

static int carry(struct limpet_node_tap *argument)
{
	assert_int_equal(argument->fd, tap_given);
	argument->fd = tap_given = TAP + OTHER - tap_given;
	assert_int_equal(argument->link, link_reported);
	errno = answers->error;
	if (!errno)
		argument->link = link_reported = answers->link;
	answers++;
	return errno ? -1 : 0;
}

static int carrier(const unsigned int *value)
{
	assert_true(set < sizeof(carriers) / sizeof(*carriers));
	carriers[set++] = (int)*value;
	errno = carrier_error;
	return errno ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (request == LIMPET_NODE_TAP && fd == CHANNEL)
		return carry(argument);
	if (request == TUNSETCARRIER && fd == tap_given)
		return carrier(argument);
	fail_msg("ioctl %#lx of %d", request, fd);
	return -1;
}

static int carried(const struct answer *reported)
{
	int error;

	answers = reported;
	link_reported = set = 0;
	tap = tap_given = TAP;
	error = tap_carry(&tap, CHANNEL);
	assert_int_equal(tap, tap_given);
	return error;
}

static void the_interface_has_the_link_of_the_channel(void **state)
{
	const struct answer reported[] = { { 0, 1 }, { 0, 0 }, { 0, 1 }, { EPIPE, 0 } };

	(void)state;
	assert_int_equal(carried(reported), 0);
	assert_int_equal(set, 4);
	assert_int_equal(carriers[0], 1);
	assert_int_equal(carriers[1], 0);
	assert_int_equal(carriers[2], 1);
	assert_int_equal(carriers[3], 0); /* the component was removed */
}

static void a_signal_ends_nothing(void **state)
{
	const struct answer reported[] = { { EINTR, 0 }, { 0, 1 }, { EINTR, 0 }, { EPIPE, 0 } };

	(void)state;
	assert_int_equal(carried(reported), 0);
	assert_int_equal(set, 2);
}

/* Retries while another process refers to the device for a moment. A process that keeps it is an error. */
static void a_busy_device_is_tried_again(void **state)
{
	const struct answer moment[] = { { EBUSY, 0 }, { EBUSY, 0 }, { 0, 1 }, { EPIPE, 0 } };
	struct answer kept[21];

	(void)state;
	assert_int_equal(carried(moment), 0);
	assert_int_equal(set, 2);
	for (unsigned int i = 0; i < 21; i++)
		kept[i] = (struct answer){ i < 20 ? EBUSY : EPIPE, 0 };
	assert_int_equal(carried(kept), -EBUSY);
	assert_int_equal(set, 0);
}

static void what_is_wrong_is_said(void **state)
{
	const struct answer deleted[] = { { 0, 1 }, { EBADFD, 0 } };
	const struct answer up[] = { { 0, 1 } };

	(void)state;
	assert_int_equal(carried(deleted), -EBADFD);
	carrier_error = EPERM;
	assert_int_equal(carried(up), -EPERM);
	carrier_error = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_interface_has_the_link_of_the_channel),
		cmocka_unit_test(a_signal_ends_nothing),
		cmocka_unit_test(a_busy_device_is_tried_again),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

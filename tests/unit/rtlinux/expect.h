/* SPDX-License-Identifier: GPL-2.0 */
/* EXPECT() stores the line of the first condition that is false in `failed`. */
#ifndef RTLINUX_TEST_EXPECT_H
#define RTLINUX_TEST_EXPECT_H

#include <stdbool.h>

static int failed;

static void expect(bool right, int line)
{
	if (!right && !failed)
		failed = line;
}

#define EXPECT(condition) expect(condition, __LINE__)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Linux's own types where portable headers ask for the compiler's <stdint.h>. */
#include <linux/types.h>

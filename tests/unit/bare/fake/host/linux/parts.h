/* SPDX-License-Identifier: GPL-2.0 */
/* In place of the module's header, which needs Linux's headers. */
#include <host/bare/bare.h>

// SPDX-License-Identifier: BSD-2-Clause
/* The info page of a component. A test fills it in. */
#include <runtime/types.h>

struct limpet_info fake_info asm("__limpet_info");

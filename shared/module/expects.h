/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module's file says about the kernel that it was built for. `limpet doctor` reads these two sections and
 * compares them with the running kernel.
 */
#ifndef SHARED_MODULE_EXPECTS_H
#define SHARED_MODULE_EXPECTS_H

#include <stdint.h>

/* The first release that Limpet was not tried on. A newer kernel needs `limpet attach --untried`. */
#define LIMPET_UNTRIED_MAJOR 7
#define LIMPET_UNTRIED_MINOR 4

/* A uint32_t: that release as Linux's KERNEL_VERSION(). The module refuses to attach to it without being asked to. */
#define EXPECTS_UNTRIED ".limpet_untried"
/* An array of struct expects_field: fields of Linux's structures that the module uses. */
#define EXPECTS_FIELDS ".limpet_fields"

struct expects_field {
	char name[56]; /* "structure.member", zero-terminated; a member can be in a member: "task_struct.se.on_rq" */
	uint32_t offset, size; /* bytes */
};

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two sections of the module's file that describe the kernel that it was built for. `limpet doctor` compares the fields
 * with the running kernel. The module checks the release.
 */
#ifndef SHARED_MODULE_EXPECTS_H
#define SHARED_MODULE_EXPECTS_H

#include <stdint.h>

/* The first release that Limpet was not tried on. A newer kernel needs `limpet attach --untried`. */
#define LIMPET_UNTRIED_MAJOR 7
#define LIMPET_UNTRIED_MINOR 4

/* A uint32_t: that release as Linux's KERNEL_VERSION(). The module attaches to it only with the parameter `untried`. */
#define EXPECTS_UNTRIED ".limpet_untried"
/* An array of struct expects_field: the fields of Linux's structures that the module uses. */
#define EXPECTS_FIELDS ".limpet_fields"

struct expects_field {
	char name[56]; /* "structure.member", zero-terminated; a member can be in a member: "task_struct.se.on_rq" */
	uint32_t offset, size; /* bytes */
};

#endif

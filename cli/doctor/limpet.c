// SPDX-License-Identifier: GPL-2.0
/* Limpet itself: is it attached already? */
#include <stdio.h>
#include <unistd.h>

#include <limpet/device.h>

#include "doctor.h"

static bool exists(const struct doctor *doctor, const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	return !access(whole, F_OK);
}

void doctor_limpet(struct doctor *doctor)
{
	doctor_add(doctor, "module", DOCTOR_NOTE,
		   exists(doctor, "/sys/module/limpet") ? "attached" : "not attached");
	doctor_add(doctor, "device", DOCTOR_NOTE, "%s %s", LIMPET_DEVICE,
		   exists(doctor, LIMPET_DEVICE) ? "present" : "absent");
}

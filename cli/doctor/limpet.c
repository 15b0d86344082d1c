// SPDX-License-Identifier: GPL-2.0
/* Reports whether Limpet is attached. */
#include <cli/common/text.h>
#include <limpet/device.h>

#include "checks.h"

void doctor_limpet(struct doctor *doctor)
{
	doctor_add(doctor, "module", DOCTOR_NOTE,
		   text_exists(doctor->root, "/sys/module/limpet") ? "attached" : "not attached");
	doctor_add(doctor, "device", DOCTOR_NOTE, "%s %s", LIMPET_DEVICE,
		   text_exists(doctor->root, LIMPET_DEVICE) ? "present" : "absent");
}

// SPDX-License-Identifier: GPL-2.0
#include <limpet/device.h>
#include <shared/image/check.h>

#include <cli/command/run/guests.h>
#include <cli/common/report.h>

bool guests_possible(const struct image *image, unsigned int mode)
{
	const struct limpet_image_component *executive =
		limpet_image_executive(image_header(image));

	if (!executive || mode != LIMPET_MODE_BENEATH)
		return true;
	report("%s: Component %s is an executive. Linux programs can be its guests only in beside mode. Run `limpet "
	       "detach`, then `limpet attach`.",
	       image_system_name(image),
	       image_component_name(image, (unsigned int)(executive - image_component(image, 0))));
	return false;
}

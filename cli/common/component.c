// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/common/component.h>
#include <cli/common/near.h>
#include <cli/common/report.h>

int component_find(const struct image *image, const char *name)
{
	struct near near = { .word = name };

	for (unsigned int i = 0; i < image_header(image)->components; i++) {
		if (!strcmp(image_component_name(image, i), name))
			return (int)i;
		near_try(&near, image_component_name(image, i));
	}
	if (near.found)
		report("System '%s' has no component '%s'. Did you mean '%s'?",
		       image_system_name(image), name, near.found);
	else
		report("System '%s' has no component '%s'. `limpet ps` lists its components.",
		       image_system_name(image), name);
	return -1;
}

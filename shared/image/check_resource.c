// SPDX-License-Identifier: BSD-2-Clause
/* Checks the resources of the machine that components get. */
#include "checker.h"
#include "resource.h"

static int check_extent(struct checker *checker, uint32_t index)
{
	const struct limpet_image_resource *resource = &checker->resource[index];

	switch (resource->kind) {
	case LIMPET_RESOURCE_PORTS:
		if (resource_within(resource->first, resource->count, PORTS_END))
			return 0;
		return refuse(checker, "resource.first", index,
			      "must start a range of 1 or more of the ports 0 to 65535");
	case LIMPET_RESOURCE_MEMORY:
		if (resource_within(resource->first, resource->count, LIMPET_DEVICE_MEMORY_END) &&
		    resource->count <= LIMPET_DEVICE_MEMORY_MAX && !(resource->first % PAGE) &&
		    !(resource->count % PAGE))
			return 0;
		return refuse(checker, "resource.first", index,
			      "must start 1 to 16384 whole pages below address 1 << 46");
	case LIMPET_RESOURCE_INTERRUPT:
		if (resource->count == 1 && resource_line_known(resource->first))
			return 0;
		return refuse(checker, "resource.first", index, "must be one interrupt line");
	case LIMPET_RESOURCE_PCI:
		if (resource->count == 1 && resource->first < PCI_END)
			return 0;
		return refuse(checker, "resource.first", index, "must be one PCI function");
	default:
		return refuse(checker, "resource.kind", index, "must be a known kind of resource");
	}
}

/* Checks the owner. Owners are in the order of components, and the owner of an interrupt has a thread. */
static int check_owner(struct checker *checker, uint32_t index)
{
	const struct limpet_image_resource *resource = &checker->resource[index];

	if (!resource->component || resource->component >= checker->image->components)
		return refuse(checker, "resource.component", index,
			      "must be a component, and not the booter");
	if (index && resource->component < resource[-1].component)
		return refuse(checker, "resource.component", index,
			      "must not be below that of the previous resource");
	if (resource->kind == LIMPET_RESOURCE_INTERRUPT &&
	    !checker->component[resource->component].priority)
		return refuse(checker, "resource.component", index,
			      "must have a thread for an interrupt");
	return 0;
}

static int check_resource(struct checker *checker, uint32_t index)
{
	const struct limpet_image_resource *resource = &checker->resource[index];

	if (check_extent(checker, index) || check_owner(checker, index))
		return -1;
	if (resource->flags & ~resource_flags_possible(resource))
		return refuse(checker, "resource.flags", index,
			      "has a bit that its kind does not allow");
	if (resource->reserved)
		return refuse(checker, "resource.reserved", index, "must be 0");
	for (uint32_t i = 0; i < index; i++)
		if (resources_meet(&checker->resource[i], resource))
			return refuse(checker, "resource.first", index,
				      "must not overlap with another resource");
	return 0;
}

/* A PCI function counts as all the parts that the host may find. */
int image_check_resources(struct checker *checker)
{
	uint32_t all = 0, own = 0;

	for (uint32_t i = 0; i < checker->image->resources; i++) {
		const struct limpet_image_resource *resource = &checker->resource[i];
		uint32_t parts = resource->kind == LIMPET_RESOURCE_PCI ? LIMPET_PCI_PARTS : 1;

		if (check_resource(checker, i))
			return -1;
		own = (i && resource->component == resource[-1].component ? own : 0) + parts;
		all += parts;
		if (own > LIMPET_INFO_RESOURCES)
			return refuse(
				checker, "resource.component", i,
				"is a component with more than 16 resources, including parts of PCI functions");
		if (all > LIMPET_RESOURCES_MAX)
			return refuse(
				checker, "resource.kind", i,
				"must be in one of at most 64 resources, including parts of PCI functions");
	}
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/* Checks the resources of the machine that components get. */
#include "checker.h"
#include "resource.h"

static int check_extent(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	switch (r->kind) {
	case LIMPET_RESOURCE_PORTS:
		if (resource_within(r->first, r->count, PORTS_END))
			return 0;
		return refuse(c, "resource.first", index,
			      "must start a range of 1 or more of the ports 0 to 65535");
	case LIMPET_RESOURCE_MEMORY:
		if (resource_within(r->first, r->count, LIMPET_DEVICE_MEMORY_END) &&
		    r->count <= LIMPET_DEVICE_MEMORY_MAX && !(r->first % PAGE) &&
		    !(r->count % PAGE))
			return 0;
		return refuse(c, "resource.first", index,
			      "must start 1 to 16384 whole pages below address 1 << 46");
	case LIMPET_RESOURCE_INTERRUPT:
		if (r->count == 1 && resource_line_known(r->first))
			return 0;
		return refuse(c, "resource.first", index, "must be one interrupt line");
	case LIMPET_RESOURCE_PCI:
		if (r->count == 1 && r->first < PCI_END)
			return 0;
		return refuse(c, "resource.first", index, "must be one PCI function");
	default:
		return refuse(c, "resource.kind", index, "must be a known kind of resource");
	}
}

/* Checks the owner. Owners are in the order of components, and the owner of an interrupt has a thread. */
static int check_owner(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	if (!r->component || r->component >= c->image->components)
		return refuse(c, "resource.component", index,
			      "must be a component, and not the booter");
	if (index && r->component < r[-1].component)
		return refuse(c, "resource.component", index,
			      "must not be below that of the previous resource");
	if (r->kind == LIMPET_RESOURCE_INTERRUPT && !c->component[r->component].priority)
		return refuse(c, "resource.component", index,
			      "must have a thread for an interrupt");
	return 0;
}

static int check_resource(struct checker *c, uint32_t index)
{
	const struct limpet_image_resource *r = &c->resource[index];

	if (check_extent(c, index) || check_owner(c, index))
		return -1;
	if (r->flags & ~resource_flags_possible(r))
		return refuse(c, "resource.flags", index, "has a bit that its kind does not allow");
	if (r->reserved)
		return refuse(c, "resource.reserved", index, "must be 0");
	for (uint32_t i = 0; i < index; i++)
		if (resources_meet(&c->resource[i], r))
			return refuse(c, "resource.first", index,
				      "must not overlap with another resource");
	return 0;
}

/* A PCI function counts as all the parts that the host may find. */
int image_check_resources(struct checker *c)
{
	uint32_t all = 0, own = 0;

	for (uint32_t i = 0; i < c->image->resources; i++) {
		const struct limpet_image_resource *r = &c->resource[i];
		uint32_t parts = r->kind == LIMPET_RESOURCE_PCI ? LIMPET_PCI_PARTS : 1;

		if (check_resource(c, i))
			return -1;
		own = (i && r->component == r[-1].component ? own : 0) + parts;
		all += parts;
		if (own > LIMPET_INFO_RESOURCES)
			return refuse(
				c, "resource.component", i,
				"is a component with more than 16 resources, including parts of PCI functions");
		if (all > LIMPET_RESOURCES_MAX)
			return refuse(
				c, "resource.kind", i,
				"must be in one of at most 64 resources, including parts of PCI functions");
	}
	return 0;
}

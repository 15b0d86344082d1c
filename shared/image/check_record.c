// SPDX-License-Identifier: BSD-2-Clause
/* Checks single records: segments, arguments, wires, symbols, unwind records. */
#include "checker.h"

#define NO_TEXT 0xffffffffu
#define member_size(type, member) sizeof(((type *)0)->member)

int image_check_segment(struct checker *c, const struct limpet_image_component *p, uint32_t index)
{
	const struct limpet_image_segment *s = &c->segment[index];
	const uint32_t writable = LIMPET_READ | LIMPET_WRITE;

	if (s->rights != LIMPET_READ && s->rights != writable &&
	    s->rights != (LIMPET_READ | LIMPET_EXEC))
		return refuse(c, "segment.rights", index, "must be r--, rw- or r-x");
	if (s->file_size > s->size)
		return refuse(c, "segment.file_size", index,
			      "must be at most the size of the segment");
	if (s->rights != writable && !(p->flags & LIMPET_COMPONENT_UPDATE) &&
	    page_up(s->file_size) != s->size)
		return refuse(c, "segment.file_size", index,
			      "must fill all pages of a read-only segment");
	if (s->at != (s->file_size ? c->payload : 0))
		return refuse(c, "segment.at", index,
			      "must be the end of the previous contents, or 0 without contents");
	if (s->file_size > c->image->size - c->payload)
		return refuse(c, "segment.file_size", index, "goes beyond the image");
	if (s->reserved)
		return refuse(c, "segment.reserved", index, "must be 0");
	c->payload += page_up(s->file_size);
	return 0;
}

int image_check_arg(struct checker *c, uint32_t index)
{
	const struct limpet_image_arg *a = &c->arg[index];

	if (!string_fits(c, a->name, member_size(struct limpet_info_arg, name) - 1))
		return refuse(c, "arg.name", index, "must be a string of 1 to 23 bytes");
	if (a->text == NO_TEXT)
		return 0;
	if (!string_fits(c, a->text, member_size(struct limpet_info_arg, text) - 1))
		return refuse(c, "arg.text", index, "must be a string of 1 to 39 bytes");
	if (a->number)
		return refuse(c, "arg.number", index, "must be 0 for an argument with a text");
	return 0;
}

/*
 * Returns whether the importer may import from the server. Servers come before their importers, so
 * there are no cycles, and each server was checked before. Only a supervisor may come after the
 * components whose faults it handles.
 */
static bool may_serve(const struct checker *c, uint32_t importer, uint32_t server)
{
	if (!server || server == importer || server >= c->image->components)
		return false;
	return server < importer || c->component[server].flags & LIMPET_COMPONENT_SUPERVISOR;
}

int image_check_wire(struct checker *c, uint32_t importer, uint32_t index)
{
	const struct limpet_image_component *from = &c->component[importer];
	const struct limpet_image_wire *w = &c->wire[index];

	if (!may_serve(c, importer, w->server))
		return refuse(c, "wire.server", index,
			      "must be a component before the importer, or a supervisor");
	if (c->component[w->server].cpu != from->cpu)
		return refuse(c, "wire.server", index, "must be on the same CPU as the importer");
	if (w->slot != LIMPET_SLOT_FIRST + (index - from->wire))
		return refuse(c, "wire.slot", index, "must be the next slot of the importer");
	if (w->server < importer && check_entry(c, index))
		return -1;
	if (w->badge != 1ul + importer)
		return refuse(c, "wire.badge", index, "must be 1 + the index of the importer");
	if (!string_fits(c, w->import, LIMPET_NAME_MAX - 1))
		return refuse(c, "wire.import", index, "must be a string of 1 to 31 bytes");
	if (!string_fits(c, w->function, LIMPET_NAME_MAX - 1))
		return refuse(c, "wire.function", index, "must be a string of 1 to 31 bytes");
	return 0;
}

/* Checks an offset of a symbol or unwind record: it must be in code of the component, and after the one before. */
static bool offset_fits(const struct checker *c, const struct limpet_image_component *p,
			uint32_t offset, bool first, uint32_t before)
{
	return executable(c, p, c->segment[p->segment].address + offset) &&
	       (first || offset > before);
}

int image_check_symbol(struct checker *c, const struct limpet_image_component *p, uint32_t index)
{
	const struct limpet_image_symbol *s = &c->symbol[index];
	bool first = index == p->symbol;

	if (!offset_fits(c, p, s->offset, first, first ? 0 : s[-1].offset))
		return refuse(c, "symbol.offset", index,
			      "must be in code, and above the previous offset");
	if (!string_fits(c, s->name, LIMPET_SYMBOL_NAME_MAX - 1))
		return refuse(c, "symbol.name", index, "must be a string of 1 to 63 bytes");
	return 0;
}

int image_check_unwind(struct checker *c, const struct limpet_image_component *p, uint32_t index)
{
	const struct limpet_image_unwind *u = &c->unwind[index];
	bool first = index == p->unwind;

	if (!offset_fits(c, p, u->offset, first, first ? 0 : u[-1].offset))
		return refuse(c, "unwind.offset", index,
			      "must be in code, and above the previous offset");
	if (u->frame != LIMPET_UNWIND_UNKNOWN &&
	    (!u->frame || u->frame % 8 || u->frame > 1ul << STACK_SHIFT_MAX))
		return refuse(c, "unwind.frame", index,
			      "must be unknown, or a multiple of 8 from 8 to 1048576");
	return 0;
}

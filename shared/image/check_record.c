// SPDX-License-Identifier: BSD-2-Clause
/* Checks single records: segments, arguments, wires, symbols, unwind records. */
#include "checker.h"

#define NO_TEXT 0xffffffffu
#define member_size(type, member) sizeof(((type *)0)->member)

int image_check_segment(struct checker *checker, const struct limpet_image_component *component,
			uint32_t index)
{
	const struct limpet_image_segment *segment = &checker->segment[index];
	const uint32_t writable = LIMPET_READ | LIMPET_WRITE;

	if (segment->rights != LIMPET_READ && segment->rights != writable &&
	    segment->rights != (LIMPET_READ | LIMPET_EXEC))
		return refuse(checker, "segment.rights", index, "must be r--, rw- or r-x");
	if (segment->file_size > segment->size)
		return refuse(checker, "segment.file_size", index,
			      "must be at most the size of the segment");
	if (segment->rights != writable && !(component->flags & LIMPET_COMPONENT_UPDATE) &&
	    page_up(segment->file_size) != segment->size)
		return refuse(checker, "segment.file_size", index,
			      "must fill all pages of a read-only segment");
	if (segment->at != (segment->file_size ? checker->payload : 0))
		return refuse(checker, "segment.at", index,
			      "must be the end of the previous contents, or 0 without contents");
	if (segment->file_size > checker->image->size - checker->payload)
		return refuse(checker, "segment.file_size", index, "goes beyond the image");
	if (segment->reserved)
		return refuse(checker, "segment.reserved", index, "must be 0");
	checker->payload += page_up(segment->file_size);
	return 0;
}

int image_check_arg(struct checker *checker, uint32_t index)
{
	const struct limpet_image_arg *arg = &checker->arg[index];

	if (!string_fits(checker, arg->name, member_size(struct limpet_info_arg, name) - 1))
		return refuse(checker, "arg.name", index, "must be a string of 1 to 23 bytes");
	if (arg->text == NO_TEXT)
		return 0;
	if (!string_fits(checker, arg->text, member_size(struct limpet_info_arg, text) - 1))
		return refuse(checker, "arg.text", index, "must be a string of 1 to 39 bytes");
	if (arg->number)
		return refuse(checker, "arg.number", index,
			      "must be 0 for an argument with a text");
	return 0;
}

/*
 * Returns whether the importer may import from the server. Servers come before their importers, so
 * there are no cycles, and each server was checked before. Only a supervisor may come after the
 * components whose faults it handles.
 */
static bool may_serve(const struct checker *checker, uint32_t importer, uint32_t server)
{
	if (!server || server == importer || server >= checker->image->components)
		return false;
	return server < importer || checker->component[server].flags & LIMPET_COMPONENT_SUPERVISOR;
}

int image_check_wire(struct checker *checker, uint32_t importer, uint32_t index)
{
	const struct limpet_image_component *from = &checker->component[importer];
	const struct limpet_image_wire *wire = &checker->wire[index];

	if (!may_serve(checker, importer, wire->server))
		return refuse(checker, "wire.server", index,
			      "must be a component before the importer, or a supervisor");
	if (checker->component[wire->server].cpu != from->cpu)
		return refuse(checker, "wire.server", index,
			      "must be on the same CPU as the importer");
	if (wire->slot != LIMPET_SLOT_FIRST + (index - from->wire))
		return refuse(checker, "wire.slot", index, "must be the next slot of the importer");
	if (wire->server < importer && check_entry(checker, index))
		return -1;
	if (wire->badge != 1ul + importer)
		return refuse(checker, "wire.badge", index,
			      "must be 1 + the index of the importer");
	if (!string_fits(checker, wire->import, LIMPET_NAME_MAX - 1))
		return refuse(checker, "wire.import", index, "must be a string of 1 to 31 bytes");
	if (!string_fits(checker, wire->function, LIMPET_NAME_MAX - 1))
		return refuse(checker, "wire.function", index, "must be a string of 1 to 31 bytes");
	return 0;
}

/* Checks an offset of a symbol or unwind record: it must be in code of the component, and after the one before. */
static bool offset_fits(const struct checker *checker,
			const struct limpet_image_component *component, uint32_t offset, bool first,
			uint32_t before)
{
	return executable(checker, component,
			  checker->segment[component->segment].address + offset) &&
	       (first || offset > before);
}

int image_check_symbol(struct checker *checker, const struct limpet_image_component *component,
		       uint32_t index)
{
	const struct limpet_image_symbol *symbol = &checker->symbol[index];
	bool first = index == component->symbol;

	if (!offset_fits(checker, component, symbol->offset, first, first ? 0 : symbol[-1].offset))
		return refuse(checker, "symbol.offset", index,
			      "must be in code, and above the previous offset");
	if (!string_fits(checker, symbol->name, LIMPET_SYMBOL_NAME_MAX - 1))
		return refuse(checker, "symbol.name", index, "must be a string of 1 to 63 bytes");
	return 0;
}

int image_check_unwind(struct checker *checker, const struct limpet_image_component *component,
		       uint32_t index)
{
	const struct limpet_image_unwind *unwind = &checker->unwind[index];
	bool first = index == component->unwind;

	if (!offset_fits(checker, component, unwind->offset, first, first ? 0 : unwind[-1].offset))
		return refuse(checker, "unwind.offset", index,
			      "must be in code, and above the previous offset");
	if (unwind->frame != LIMPET_UNWIND_UNKNOWN &&
	    (!unwind->frame || unwind->frame % 8 || unwind->frame > 1ul << STACK_SHIFT_MAX))
		return refuse(checker, "unwind.frame", index,
			      "must be unknown, or a multiple of 8 from 8 to 1048576");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cli/command/guest/guest.h>
#include <cli/common/text.h>

/* Columns before the program, which is last because its width is unknown. */
enum column { PID, TID, GUEST, EXECUTIVE, STATE, CALLS, OTHERS, PARKED, MOVED, FILTER, COLUMNS };

static const char *const titles[COLUMNS] = {
	"PID", "TID", "GUEST", "EXECUTIVE", "STATE", "CALLS", "OTHERS", "PARKED", "MOVED", "FILTER",
};

#define CELL                                                                                       \
	((LIMPET_NAME_MAX + 1) * LIMPET_GUEST_CHAIN_MAX) /* the longest: names, with > between */

struct row {
	char cell[COLUMNS][CELL];
};

static void cell_number(struct row *row, enum column column, uint64_t number)
{
	snprintf(row->cell[column], sizeof(*row->cell), "%" PRIu64, number);
}

static void cell_text(struct row *row, enum column column, const char *text)
{
	snprintf(row->cell[column], sizeof(*row->cell), "%s", text);
}

static void cell_filter(struct row *row, const uint64_t *filter)
{
	const unsigned int count = guest_calls_count(filter);

	if (count == GUEST_CALLS || !count)
		cell_text(row, FILTER, count ? "all" : "none");
	else
		cell_number(row, FILTER, count);
}

/* The executives of a guest, in the order in which they get its calls. */
static void cell_chain(struct row *row, uint32_t component, const struct image *image)
{
	char *cell = row->cell[EXECUTIVE];
	size_t used = 0;

	do {
		used += (size_t)snprintf(cell + used, CELL - used, "%s%s", used ? ">" : "",
					 image_component_name(image, component));
		component = guest_next(image, component);
	} while (component && used < CELL);
}

static void row_fill(struct row *row, const struct limpet_guest_info *guest,
		     const struct image *images)
{
	const struct image *image = &images[guest->system % LIMPET_SYSTEMS_MAX];
	const bool named = image_component(image, guest->component);

	cell_number(row, PID, guest->pid);
	cell_number(row, TID, guest->tid);
	cell_number(row, GUEST, guest->id);
	cell_number(row, EXECUTIVE, guest->component);
	if (named)
		cell_chain(row, guest->component, image);
	if (guest->system) {
		const size_t used = strlen(row->cell[EXECUTIVE]);

		snprintf(row->cell[EXECUTIVE] + used, CELL - used, "@%u", guest->system);
	}
	cell_text(row, STATE, guest_state_word(guest->state));
	cell_number(row, CALLS, guest->calls);
	cell_number(row, OTHERS, guest->others);
	cell_number(row, PARKED, guest->parked);
	cell_number(row, MOVED, guest->moved);
	cell_filter(row, guest->filter);
}

static void row_widen(int *width, const struct row *row)
{
	for (unsigned int i = 0; i < COLUMNS; i++)
		if ((int)strlen(row->cell[i]) > width[i])
			width[i] = (int)strlen(row->cell[i]);
}

/* Prints the cells of a row. Numbers are on the right of their columns. */
static void row_print(FILE *out, const int *width, const struct row *row)
{
	for (unsigned int i = 0; i < COLUMNS; i++)
		fprintf(out, "%*s  ", i == EXECUTIVE || i == STATE ? -width[i] : width[i],
			row->cell[i]);
}

static void program_print(FILE *out, const char *root, uint32_t tid)
{
	char program[64];

	if (!guest_program_read(root, tid, program, sizeof(program)))
		strcpy(program, "?");
	for (char *at = program; (at = strpbrk(at, "\t\n"));)
		*at = ' ';
	text_print_safely(out, program, strlen(program));
	fputc('\n', out);
}

void guest_print(FILE *out, const struct guest_list *list, const struct image *images,
		 const char *root)
{
	int width[COLUMNS] = { 0 };
	struct row row;

	for (unsigned int i = 0; i < COLUMNS; i++)
		cell_text(&row, i, titles[i]);
	row_widen(width, &row);
	for (size_t i = 0; i < list->count; i++) {
		struct row other;

		row_fill(&other, &list->guest[i], images);
		row_widen(width, &other);
	}
	row_print(out, width, &row);
	fprintf(out, "PROGRAM\n");
	for (size_t i = 0; i < list->count; i++) {
		row_fill(&row, &list->guest[i], images);
		row_print(out, width, &row);
		program_print(out, root, list->guest[i].tid);
	}
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/text.h>

#define PIECE 64 /* guests that one request reads */

/* Appends the guests from id `first` on. Returns their number. Ids must ascend, so that reading ends. */
static int piece_read(int fd, struct guest_list *list, uint32_t first)
{
	const size_t space = LIMPET_GUESTS_MAX - list->count;
	struct limpet_guest_info *piece = list->guest + list->count;
	int got = limpet_guest_list(fd, first, piece, space < PIECE ? (uint32_t)space : PIECE);

	if (got <= 0)
		return got;
	if (piece[got - 1].id < first || piece[got - 1].id >= LIMPET_GUESTS_MAX)
		return -EPROTO;
	list->count += (size_t)got;
	return got;
}

int guest_list_read(int fd, struct guest_list *list)
{
	uint32_t first = 0;
	int got;

	*list = (struct guest_list){ .guest = calloc(LIMPET_GUESTS_MAX, sizeof(*list->guest)) };
	if (!list->guest)
		return -ENOMEM;
	while ((got = piece_read(fd, list, first)) > 0)
		first = list->guest[list->count - 1].id + 1;
	if (got < 0)
		guest_list_free(list);
	return got;
}

int guest_list_get(struct guest_list *list)
{
	int fd = guest_open();
	int error;

	if (fd < 0)
		return COMMAND_REFUSED;
	error = guest_list_read(fd, list);
	close(fd);
	return error < 0 ? guest_report_list(error) : COMMAND_OK;
}

void guest_list_free(struct guest_list *list)
{
	free(list->guest);
	*list = (struct guest_list){ 0 };
}

bool guest_list_has(const struct guest_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->guest[i].pid == (uint32_t)pid)
			return true;
	return false;
}

const char *guest_state_word(uint32_t state)
{
	static const char *const words[] = {
		[LIMPET_GUEST_FREE] = "free",	  [LIMPET_GUEST_INSIDE] = "inside",
		[LIMPET_GUEST_WAITS] = "waits",	  [LIMPET_GUEST_MOVED] = "moved",
		[LIMPET_GUEST_QUEUED] = "queued",
	};

	return state < sizeof(words) / sizeof(*words) ? words[state] : "?";
}

uint32_t guest_next(const struct image *image, uint32_t component)
{
	const struct limpet_image_component *record = image_component(image, component);

	/* The module has checked that its index is lower than this one. */
	return record && record->guest < component ? record->guest : 0;
}

static bool is_behind(const struct image *image, uint32_t component)
{
	for (uint32_t i = 0; image_component(image, i); i++)
		if (guest_next(image, i) == component)
			return true;
	return false;
}

uint32_t guest_first(const struct image *image)
{
	const struct limpet_image_component *record;
	uint32_t found = LIMPET_GUEST_ANY;

	for (uint32_t i = 1; (record = image_component(image, i)); i++) {
		if (!(record->flags & LIMPET_COMPONENT_EXECUTIVE) || is_behind(image, i))
			continue;
		if (found != LIMPET_GUEST_ANY)
			return LIMPET_GUEST_ANY;
		found = i;
	}
	return found;
}

bool guest_program_read(const char *root, uint32_t tid, char *program, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	return tid && text_read(root, path, program, size);
}

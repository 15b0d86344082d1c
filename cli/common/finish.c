// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/finish.h>
#include <cli/common/report.h>
#include <cli/common/rings.h>

#define SAY(finish, ...)                                                                           \
	do {                                                                                       \
		char line[REPORT_LINE];                                                            \
		report_line(line, sizeof(line), __VA_ARGS__);                                      \
		(finish)->say((finish)->to, line);                                                 \
	} while (0)

/* Returns the record of a channel stop.INSTANCE, or NULL if the channel is another one. Sets its name. */
static const struct limpet_image_channel *stop_channel(const struct finish *finish,
						       unsigned int index, const char **name)
{
	const struct limpet_image_channel *record = image_channel(&finish->snapshot.image, index);

	*name = record ? image_string(&finish->snapshot.image, record->name) : "";
	return strncmp(*name, LIMPET_STOP_PREFIX, strlen(LIMPET_STOP_PREFIX)) == 0 ? record : NULL;
}

void finish_begin(struct finish *finish, int fd, long seconds)
{
	const struct limpet_image *image = NULL;
	const char *name;

	if (snapshot_read_from(&finish->snapshot, fd) == 0)
		image = image_header(&finish->snapshot.image);
	else
		memset(&finish->snapshot, 0, sizeof(finish->snapshot));
	finish->fd = fd;
	finish->left = image && seconds ? image->channels : 0;
	finish->unasked = finish->asked = 0;
	for (unsigned int i = 0; i < finish->left; i++)
		finish->unasked += stop_channel(finish, i, &name) != NULL;
	finish->owners = calloc(finish->unasked + 1, sizeof(*finish->owners));
	if (!finish->owners) {
		SAY(finish, "There is not enough memory. No component is asked to finish.");
		finish->left = finish->unasked = 0;
	}
	finish->from = finish->next = seconds_now();
	finish->until = finish->from + (double)seconds;
}

static struct limpet_stop *words_of(const struct finish_owner *owner)
{
	size_t size;

	return limpet_channel_memory(&owner->channel, &size);
}

/* Asks the owner of a channel. Returns whether it will finish: it has started, and has not finished. */
static bool owner_ask(struct finish *finish, struct finish_owner *owner,
		      const struct limpet_image_channel *record, const char *name)
{
	char node[LIMPET_NAME_MAX + 8];
	int error;

	snprintf(node, sizeof(node), finish->snapshot.info.id ? "%s@%u" : "%s", name,
		 finish->snapshot.info.id);
	error = limpet_channel_open(&owner->channel, node);
	owner->component = record->component;
	owner->name = image_component_name(&finish->snapshot.image, record->component);
	if (error) {
		if (error != -ENXIO) /* it has not started */
			SAY(finish, "%s%s: %s. Component '%s' is not asked to finish.",
			    LIMPET_NODES, node, strerror(-error), owner->name);
		return false;
	}
	if (words_of(owner) && LIMPET_CLAIM(words_of(owner)->ready)) {
		LIMPET_SAY(words_of(owner)->asked, 1u);
		if (limpet_channel_notify(&owner->channel) == 0)
			return true;
	}
	limpet_channel_close(&owner->channel);
	return false;
}

/* Asks the next component, which has an equal share of the remaining time before others are asked. */
static bool next_ask(struct finish *finish)
{
	while (finish->left) {
		const char *name;
		const double now = seconds_now();
		const struct limpet_image_channel *record =
			stop_channel(finish, --finish->left, &name);

		if (!record)
			continue;
		finish->next = now + (finish->until - now) / finish->unasked--;
		if (owner_ask(finish, &finish->owners[finish->asked], record, name)) {
			finish->asked++;
			return true;
		}
	}
	return false;
}

/* Returns whether a component that was asked has crashed or was stopped, or the system has ended. */
static bool is_stopped(struct finish *finish, struct finish_owner *owner)
{
	const struct limpet_image_component *record =
		image_component(&finish->snapshot.image, owner->component);

	if (limpet_channel_wait(&owner->channel, LIMPET_SLEEP_DATA, 0) == -EPIPE)
		return true;
	return snapshot_update(&finish->snapshot, finish->fd) || !record ||
	       snapshot_failed(&finish->snapshot, record->cpu, owner->component);
}

/* Returns whether a component that was asked has finished, or cannot finish any more. */
static bool is_finished(struct finish *finish, struct finish_owner *owner)
{
	if (!LIMPET_CLAIM(words_of(owner)->ready))
		return true;
	if (is_stopped(finish, owner)) {
		SAY(finish,
		    "Component '%s' crashed or was stopped before it finished. `limpet crash` shows crashes.",
		    owner->name);
		return true;
	}
	if (seconds_now() < finish->until)
		return false;
	SAY(finish,
	    "Component '%s' has not finished within %.0f s. It waits or computes, or threads of higher "
	    "priority use the CPU. The system is stopped now. --grace sets the time.",
	    owner->name, finish->until - finish->from);
	return true;
}

/* Removes components that have finished. If the last one that was asked is among them, the next one can be asked. */
static void owners_look(struct finish *finish)
{
	const unsigned int asked = finish->asked;

	finish->asked = 0;
	for (unsigned int i = 0; i < asked; i++) {
		struct finish_owner *owner = &finish->owners[i];

		if (!is_finished(finish, owner)) {
			finish->owners[finish->asked++] = *owner;
			continue;
		}
		limpet_channel_close(&owner->channel);
		if (i == asked - 1)
			finish->next = seconds_now();
	}
}

bool finish_step(struct finish *finish)
{
	do
		owners_look(finish);
	while (seconds_now() >= finish->next && next_ask(finish));
	return !finish->asked;
}

double finish_seconds(const struct finish *finish)
{
	return seconds_now() - finish->from;
}

void finish_end(struct finish *finish)
{
	while (finish->asked)
		limpet_channel_close(&finish->owners[--finish->asked].channel);
	free(finish->owners);
	finish->owners = NULL;
	snapshot_release(&finish->snapshot);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
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

void finish_begin(struct finish *finish, int fd, long seconds)
{
	const struct limpet_image *image = NULL;

	if (snapshot_read_from(&finish->snapshot, fd) == 0)
		image = image_header(&finish->snapshot.image);
	else
		memset(&finish->snapshot, 0, sizeof(finish->snapshot));
	finish->fd = fd;
	finish->left = image && seconds ? image->channels : 0;
	finish->from = seconds_now();
	finish->until = finish->from + (double)seconds;
	finish->name = NULL;
}

static struct limpet_stop *words_of(const struct finish *finish)
{
	size_t size;

	return limpet_channel_memory(&finish->channel, &size);
}

/* Asks the owner of a channel. Returns whether it will finish: it has started, and has not finished. */
static bool owner_ask(struct finish *finish, const struct limpet_image_channel *record,
		      const char *name)
{
	char node[LIMPET_NAME_MAX + 8];
	int error;

	snprintf(node, sizeof(node), finish->snapshot.info.id ? "%s@%u" : "%s", name,
		 finish->snapshot.info.id);
	error = limpet_channel_open(&finish->channel, node);
	finish->component = record->component;
	finish->name = image_component_name(&finish->snapshot.image, record->component);
	if (error) {
		if (error != -ENXIO) /* it has not started */
			SAY(finish, "%s%s: %s. Component '%s' is not asked to finish.",
			    LIMPET_NODES, node, strerror(-error), finish->name);
		return false;
	}
	if (words_of(finish) && LIMPET_CLAIM(words_of(finish)->ready)) {
		LIMPET_SAY(words_of(finish)->asked, 1u);
		if (limpet_channel_notify(&finish->channel) == 0)
			return true;
	}
	limpet_channel_close(&finish->channel);
	return false;
}

/* Asks the next component. Returns false if there is none. */
static bool next_ask(struct finish *finish)
{
	while (finish->left) {
		const struct limpet_image_channel *record =
			image_channel(&finish->snapshot.image, --finish->left);
		const char *name = record ? image_string(&finish->snapshot.image, record->name)
					  : "";

		if (strncmp(name, LIMPET_STOP_PREFIX, strlen(LIMPET_STOP_PREFIX)) == 0 &&
		    owner_ask(finish, record, name))
			return true;
	}
	finish->name = NULL;
	return false;
}

/* Returns whether the component that was asked has crashed or was stopped, or the system has ended. */
static bool is_gone(struct finish *finish)
{
	const struct limpet_image_component *record =
		image_component(&finish->snapshot.image, finish->component);

	if (limpet_channel_wait(&finish->channel, LIMPET_SLEEP_DATA, 0) == -EPIPE)
		return true;
	limpet_stat_free(&finish->snapshot.stat);
	return limpet_stat(finish->fd, &finish->snapshot.stat) || !record ||
	       snapshot_failed(&finish->snapshot, record->cpu, finish->component);
}

/* Returns whether the component that was asked has finished, or cannot finish any more. */
static bool is_finished(struct finish *finish)
{
	if (!LIMPET_CLAIM(words_of(finish)->ready))
		return true;
	if (is_gone(finish)) {
		SAY(finish,
		    "Component '%s' crashed or was stopped before it finished. `limpet crash` shows crashes.",
		    finish->name);
		return true;
	}
	if (seconds_now() < finish->until)
		return false;
	SAY(finish,
	    "Component '%s' has not finished within %.0f s. It waits or computes, or threads of higher "
	    "priority use the CPU. The system is stopped now. --grace sets the time.",
	    finish->name, finish->until - finish->from);
	return true;
}

bool finish_step(struct finish *finish)
{
	while (finish->name || next_ask(finish)) {
		if (!is_finished(finish))
			return false;
		limpet_channel_close(&finish->channel);
		finish->name = NULL;
	}
	return true;
}

double finish_seconds(const struct finish *finish)
{
	return seconds_now() - finish->from;
}

void finish_end(struct finish *finish)
{
	if (finish->name)
		limpet_channel_close(&finish->channel);
	finish->name = NULL;
	snapshot_release(&finish->snapshot);
}

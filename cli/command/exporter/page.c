// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/exporter/event.h>
#include <cli/command/exporter/page.h>
#include <cli/common/prometheus.h>
#include <cli/common/system.h>

struct systems {
	struct snapshot snapshot[LIMPET_SYSTEMS_MAX];
	unsigned int count;
};

/* Adds a system, unless it has ended meanwhile. */
static int system_add(int fd, void *to)
{
	struct systems *systems = to;
	struct snapshot *snapshot = &systems->snapshot[systems->count];

	if (snapshot_read_from(snapshot, fd))
		snapshot_release(snapshot);
	else
		systems->count++;
	return 0;
}

/* Reads the chosen system, or all. Returns 0 or a negative errno. */
static int systems_read(struct systems *systems)
{
	int error;

	systems->count = 0;
	if (!system_choice())
		return systems_each(system_add, systems);
	error = snapshot_read(systems->snapshot);
	if (error)
		snapshot_release(systems->snapshot);
	systems->count = !error;
	return error;
}

/* Makes a page about the running systems. If `count` is 0, `error` is the reason. */
static char *page_make(void (*print)(FILE *out, const struct snapshot *snapshots,
				     unsigned int count, int error),
		       size_t *size)
{
	static struct systems systems;
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	int error;

	if (!out)
		return NULL;
	error = systems_read(&systems);
	print(out, systems.snapshot, systems.count, error);
	for (unsigned int n = 0; n < systems.count; n++)
		snapshot_release(&systems.snapshot[n]);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Returns whether Limpet is attached, from the error of opening its device. A module of another version is attached. */
static bool attached(int error)
{
	return error != -ENOENT && error != -ENODEV && error != -ENXIO;
}

static void metrics_print(FILE *out, const struct snapshot *snapshots, unsigned int count,
			  int error)
{
	if (count)
		prometheus_print_all(out, snapshots, count);
	else
		prometheus_print_none(out, attached(error));
}

char *page_metrics(size_t *size)
{
	return page_make(metrics_print, size);
}

static void event_write(FILE *out, const struct snapshot *snapshots, unsigned int count, int error)
{
	event_print(out, snapshots, count, count || attached(error), "");
}

char *page_event(size_t *size)
{
	return page_make(event_write, size);
}

static void wirings_write(FILE *out, const struct snapshot *snapshots, unsigned int count,
			  int error)
{
	(void)error;
	wirings_print(out, snapshots, count);
}

char *page_wiring(size_t *size)
{
	return page_make(wirings_write, size);
}

static char *text_copy(const char *text, size_t length, size_t *size)
{
	char *copy = malloc(length);

	if (copy)
		memcpy(copy, text, length);
	*size = length;
	return copy;
}

char *page_home(size_t *size)
{
	static const char home[] = "<a href=\"/metrics\">metrics</a>\n";

	return text_copy(home, sizeof(home) - 1, size);
}

/* Defined in live.S. */
extern const char live_html[], live_html_end[];

char *page_live(size_t *size)
{
	return text_copy(live_html, (size_t)(live_html_end - live_html), size);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cli/common/command.h>
#include <cli/command/exporter/event.h>
#include <cli/command/exporter/http.h>
#include <cli/command/exporter/page.h>
#include <cli/command/exporter/textfile.h>
#include <cli/common/option.h>
#include <cli/common/prometheus.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/snapshot.h>
#include <cli/common/text.h>

#define INTERVAL 15 /* seconds */
#define INTERVAL_MAX 86400
#define LOCAL "127.0.0.1:9740" /* default address of --ui */

/*
 * Reports a device that cannot be opened, because limpet_up 0 would hide the cause. A missing
 * device is not an error.
 */
static bool may_look(void)
{
	static struct snapshot snapshot;
	int error = snapshot_read(&snapshot);

	snapshot_release(&snapshot);
	if (error != -EACCES && error != -EPERM && error != -EPROTO && error != -ENOTUNIQ)
		return true;
	if (error == -ENOTUNIQ && !system_choice()) /* all systems are reported */
		return true;
	system_report(error);
	return false;
}

static int write_once(const char *path)
{
	size_t size;
	char *text = page_metrics(&size);
	int error = text ? textfile_write(path, text, size) : -ENOMEM;

	free(text);
	return error ? report("%s: %s", path, strerror(-error)) : COMMAND_OK;
}

static int textfile(const char *path, long interval)
{
	const struct timespec pause = { .tv_sec = interval };
	int code = write_once(path);

	while (interval && code == COMMAND_OK) {
		nanosleep(&pause, NULL);
		write_once(path); /* a full disk can have space again */
	}
	return code;
}

/* Prints the address of the metrics, and of the page. Returns 0 or a negative errno. */
static int say_where(const struct http *http, bool ui)
{
	char where[HTTP_ADDRESS];
	int port = http_address(http, where, sizeof(where));

	if (port < 0)
		return port;
	fprintf(stderr, "The exporter listens at %s.\n", where);
	if (ui && strchr(where, ' '))
		fprintf(stderr, "The page is at http://localhost:%d/\n", port);
	else if (ui)
		fprintf(stderr, "The page is at http://%s/\n", where);
	return 0;
}

static int serve(const struct command *command, const char *where, bool ui)
{
	static const struct answer_page plain[] = {
		{ "/metrics", PROMETHEUS_CONTENT, page_metrics },
		{ "/", "text/html", page_home },
		{ NULL },
	};
	static const struct answer_page live[] = {
		{ "/metrics", PROMETHEUS_CONTENT, page_metrics },
		{ "/events", EVENT_CONTENT, page_event },
		{ "/wiring", "application/json", page_wiring },
		{ "/", "text/html; charset=utf-8", page_live },
		{ NULL },
	};
	static struct http http;
	int error = http_listen(&http, where, ui ? live : plain);

	if (error == -EINVAL)
		return report_usage(
			command,
			"--listen %s: must be ADDRESS:PORT in numbers, such as 127.0.0.1:9740, [::1]:9740 or "
			":9740",
			where);
	if (!error)
		error = say_where(&http, ui);
	while (!error)
		error = http_step(&http, -1);
	return report("--listen %s: %s", where, strerror(-error));
}

static int exporter_main(const struct command *command, int argc, char **argv)
{
	const char *path = NULL, *where = NULL;
	long interval = INTERVAL;
	bool ui = false;
	const struct command_option options[] = {
		OPTION_TEXT("textfile", &path),
		OPTION_NUMBER("interval", &interval, 0, INTERVAL_MAX, " seconds"),
		OPTION_TEXT("listen", &where),
		OPTION_FLAG("ui", &ui),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (ui && !path && !where)
		where = LOCAL;
	if (!path == !where || (path && ui))
		return report_usage(command, "Give either --textfile, or --listen or --ui.");
	if (!may_look())
		return COMMAND_REFUSED;
	return path ? textfile(path, interval) : serve(command, where, ui);
}

const struct command exporter_command = {
	.name = "exporter",
	.summary = "offers metrics to Prometheus",
	.arguments = "--textfile PATH [--interval S] | [--listen ADDRESS:PORT] [--ui]",
	.help = "\n"
		"Serves the metrics of `limpet stat --prometheus` until a signal ends it. limpet_up\n"
		"shows whether a system runs. If several systems run, it reports all of them, unless\n"
		"`limpet --system` chooses one.\n\n"
		"  --textfile PATH  write a file for node_exporter's textfile collector\n"
		"  --interval S     seconds between two files; 0: one file only. Default: 15\n"
		"  --listen A:P     answer HTTP at http://A:P/metrics: 127.0.0.1:9740, [::1]:9740, or\n"
		"                   :9740 at all addresses\n"
		"  --ui             also serve a live page at http://A:P/ with the figures of `limpet\n"
		"                   top` and graphs. Default of A:P: " LOCAL "\n",
	.run = exporter_main,
};

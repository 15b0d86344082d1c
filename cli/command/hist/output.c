// SPDX-License-Identifier: GPL-2.0
/* Outputs of histograms: the terminal, files, and JSON. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/command/hist/hist.h>
#include <cli/common/command.h>
#include <cli/common/file.h>
#include <cli/common/json.h>

#define COLUMNS 100

bool hist_blocks(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static void json_bucket(struct json *json, const struct hist_bucket *bucket)
{
	json_array(json, NULL);
	json_number(json, NULL, bucket->floor);
	json_number(json, NULL, bucket->count);
	json_array_end(json);
}

void hist_print_json(FILE *out, const struct hist *hist)
{
	struct json json;

	json_begin(&json, out);
	json_text(&json, "label", hist->label);
	json_text(&json, "unit", hist->unit);
	json_number(&json, "reports", hist->reports);
	json_number(&json, "values", hist->count);
	if (hist->count) {
		json_number(&json, "median", hist_quantile(hist, 500));
		json_number(&json, "percentile_99", hist_quantile(hist, 990));
		json_number(&json, "maximum", hist->bucket[hist->buckets - 1].floor);
	}
	json_array(&json, "buckets");
	for (unsigned int i = 0; i < hist->buckets; i++)
		json_bucket(&json, &hist->bucket[i]);
	json_array_end(&json);
	json_end(&json);
}

unsigned int hist_columns(void)
{
	struct winsize size = { 0 };

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : COLUMNS;
}

int hist_write(FILE *file, const struct hists *hists, const char *name, const char *title, bool say)
{
	bool written = file_empty(file, name);

	if (written)
		hist_svg(file, hists, title, true);
	if (!file_close(file, name) || !written)
		return COMMAND_REFUSED;
	if (say)
		printf("\nThe picture is in %s\n", name);
	return COMMAND_OK;
}

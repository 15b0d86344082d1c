// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/hist/hist.h>

#define BUCKETS_MAX 65536u
#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
#define CASES TEXT_OF(HIST_SERIES)

/* Copies the word behind `"key": "` in the line before `end`, or "" if the key is missing. */
static void word_take(const char *line, const char *end, const char *key, char to[HIST_WORD])
{
	const char *at = strstr(line, key);
	size_t length = 0;

	to[0] = 0;
	if (!at || at >= end)
		return;
	at += strlen(key);
	while (at + length < end && at[length] != '"' && length < HIST_WORD - 1) {
		to[length] = at[length] > ' ' && at[length] < 127 ? at[length] : '?';
		length++;
	}
	to[length] = 0;
}

static struct hist *series_of(struct hists *hists, const char *label)
{
	for (unsigned int i = 0; i < hists->count; i++)
		if (!strcmp(hists->series[i].label, label))
			return &hists->series[i];
	if (hists->count == HIST_SERIES)
		return NULL;
	strcpy(hists->series[hists->count].label, label);
	return &hists->series[hists->count++];
}

/* Adds values to the bucket with a floor. Keeps the buckets in order. */
static bool bucket_add(struct hist *hist, uint64_t floor, uint64_t count)
{
	unsigned int at = hist->buckets;

	while (at && hist->bucket[at - 1].floor >= floor)
		at--;
	if (at == hist->buckets || hist->bucket[at].floor != floor) {
		if (hist->buckets == BUCKETS_MAX)
			return false;
		if (hist->buckets == hist->capacity) {
			void *more = realloc(hist->bucket,
					     (hist->capacity * 2 + 64) * sizeof(*hist->bucket));

			if (!more)
				return false;
			hist->bucket = more;
			hist->capacity = hist->capacity * 2 + 64;
		}
		memmove(&hist->bucket[at + 1], &hist->bucket[at],
			(hist->buckets++ - at) * sizeof(*hist->bucket));
		hist->bucket[at] = (struct hist_bucket){ floor, 0 };
	}
	if (count > UINT64_MAX - hist->count)
		return false;
	hist->bucket[at].count += count;
	hist->count += count;
	return true;
}

static const char *number_take(const char *at, uint64_t *number)
{
	char *end;

	if (*at < '0' || *at > '9')
		return NULL;
	errno = 0;
	*number = strtoull(at, &end, 10);
	return errno ? NULL : end;
}

/* Takes buckets in the form [[floor, count], ...], after the first bracket. */
static bool buckets_take(struct hist *hist, const char *at)
{
	uint64_t floor, count;

	while (*at == '[') {
		at = number_take(at + 1, &floor);
		if (!at || strncmp(at, ", ", 2))
			return false;
		at = number_take(at + 2, &count);
		if (!at || *at != ']' || !bucket_add(hist, floor, count))
			return false;
		at++;
		if (!strncmp(at, ", ", 2))
			at += 2;
	}
	return *at == ']';
}

static bool refuse(struct hists *hists, const char *why)
{
	hists->why = why;
	return false;
}

/* Takes the rate of the time stamp. Lines of older components do not have it. */
static bool rate_take(struct hists *hists, struct hist *hist, const char *line, const char *end)
{
	static const char key[] = "\"ticks_per_ms\": ";
	const char *at = strstr(line, key);
	uint64_t rate = 0;

	if (at && at < end && !number_take(at + sizeof(key) - 1, &rate))
		return refuse(hists, "The histogram has an invalid rate");
	if (hist->reports && hist->ticks_per_ms != rate)
		return refuse(hists,
			      "The histogram comes from another machine than the previous ones of "
			      "its case");
	hist->ticks_per_ms = rate;
	return true;
}

bool hist_line(struct hists *hists, const char *line)
{
	static const char key[] = "\"buckets\": [";
	const char *buckets = strstr(line, key);
	char name[HIST_WORD], subject[HIST_WORD], label[2 * HIST_WORD + 2];
	struct hist *hist;

	if (!buckets)
		return true;
	word_take(line, buckets, "\"case\": \"", name);
	word_take(line, buckets, "\"subject\": \"", subject);
	snprintf(label, sizeof(label), "%s %s", name, subject);
	hist = series_of(hists, label);
	if (!hist)
		return refuse(hists, "The log has more than " CASES " cases of histograms");
	word_take(line, buckets, "\"unit\": \"", hist->unit);
	if (!rate_take(hists, hist, line, buckets))
		return false;
	hist->reports++;
	return buckets_take(hist, buckets + sizeof(key) - 1) ||
	       refuse(hists, "The histogram has invalid buckets");
}

void hist_release(struct hists *hists)
{
	for (unsigned int i = 0; i < hists->count; i++)
		free(hists->series[i].bucket);
	*hists = (struct hists){ 0 };
}

uint64_t hist_quantile(const struct hist *hist, unsigned int permille)
{
	uint64_t above = hist->count - (uint64_t)((double)hist->count * permille / 1000);

	for (unsigned int i = hist->buckets; i--;) {
		if (hist->bucket[i].count >= above)
			return hist->bucket[i].floor;
		above -= hist->bucket[i].count;
	}
	return hist->bucket[0].floor;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `limpet report` writes the results of `limpet check` and a description of the system as one HTML page with pictures.
 * collect.c keeps samples and events from the check's hooks. wiring.c, times.c, series.c and worst.c each draw one kind
 * of picture. page.c writes the page, with tables of table.c and the section of load.c. write.c writes the files.
 */
#ifndef CLI_REPORT_SURVEY_H
#define CLI_REPORT_SURVEY_H

#include <stdio.h>

#include <cli/command/check/check.h>
#include <cli/common/channel_load.h>

#define SURVEY_SAMPLES 160 /* maximum number for each thread */
#define SURVEY_TEXT 256

enum survey_time { SURVEY_LATE, SURVEY_RUN, SURVEY_RESPONSE, SURVEY_TIMES };

/*
 * Jobs that ended since the previous sample. Times are in ticks. `low` and `high` are rounded outward to the account's
 * buckets.
 */
struct survey_sample {
	double seconds; /* time since the start of the check */
	uint64_t jobs, missed;
	struct survey_span {
		uint64_t low, mean, high;
	} time[SURVEY_TIMES];
};

/* Samples of a periodic thread, and its worst job. */
struct survey_thread {
	struct limpet_jobs last; /* account at the previous sample */
	struct survey_sample sample[SURVEY_SAMPLES];
	unsigned int samples;
	/* Events around the worst job, and its span in ticks. */
	struct limpet_trace_event *event;
	size_t events;
	uint64_t release, end;
	uint64_t known; /* time stamp up to which events had been read */
};

/* Linux's description of the machine. "": unknown. */
struct survey_machine {
	char name[SURVEY_TEXT], processor[SURVEY_TEXT], hypervisor[SURVEY_TEXT];
	char host[SURVEY_TEXT], kernel[SURVEY_TEXT], version[SURVEY_TEXT];
	char command_line[2 * SURVEY_TEXT], clock[SURVEY_TEXT], time[SURVEY_TEXT];
	long processors;
	double memory_mib;
};

struct survey {
	struct check
		check; /* the first member, because collect.c converts the hooks' pointers to it */
	struct limpet_stat
		after; /* counters at the end; the check's snapshot has those of the start */
	double span;   /* seconds between the two; longer than the check */
	struct survey_machine machine;
	struct survey_thread
		*thread; /* one for each thread of the check; NULL before the check finds them */
	uint32_t *woken; /* number of events for each thread of each CPU */
	double step;	 /* seconds between two samples */
	/* Counters of each channel of the image at the start and at the end. NULL: unknown. */
	struct channel_load *loads_before, *loads_after;
};

/*
 * collect.c. Reads the machine from files below `root` and sets the check's hooks, for a check of `seconds`. The caller
 * must take the snapshot first. Returns 0 or -ENOMEM.
 */
int survey_prepare(struct survey *survey, const char *root, double seconds);
/* Prepares, checks and judges the system. Returns enum command_exit after it has reported an error. */
int survey_collect(struct survey *survey, int fd, const struct check_options *options);
/* Reads the counters of the channels from files below `root`, at the end of the check. */
void survey_loads_end(struct survey *survey, const char *root);
void survey_release(struct survey *survey);
/* Return the first and the last time stamp of the kept events around the worst job. */
uint64_t survey_from(const struct survey_thread *kept);
uint64_t survey_to(const struct survey_thread *kept);
/* Returns the number of events for the threads that started in a component. */
uint64_t survey_woken(const struct survey *survey, unsigned int component);

/* machine.c. Reads files below `root`; "" is the real root. */
void survey_machine_read(struct survey_machine *machine, const char *root);

/* Writes the name of a thread of the check, such as "control #5". */
void survey_thread_name(const struct survey *survey, const struct check_thread *thread,
			char name[SURVEY_TEXT]);

/* A kind of picture. `thread` is an index of the check's threads. The wiring ignores it. */
struct survey_picture {
	const char *name; /* start of the file's name */
	const char *title;
	bool each; /* one for each periodic thread */
	void (*draw)(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		     bool alone);
};
enum { SURVEY_WIRING, SURVEY_HISTOGRAMS, SURVEY_SERIES, SURVEY_WORST, SURVEY_PICTURES };
extern const struct survey_picture survey_pictures[SURVEY_PICTURES];
/* page.c. Draws one picture. `alone`: as in svg_begin(). */
void survey_draw(FILE *out, const struct survey *survey, unsigned int kind, unsigned int thread,
		 bool alone);

void wiring_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		 bool alone);
void times_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		bool alone);
void series_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		 bool alone);
void worst_draw(FILE *out, const struct survey *survey, unsigned int thread, const char *title,
		bool alone);

/* Writes the page. The caller must judge the check first. */
void survey_page(FILE *out, const struct survey *survey);

/*
 * write.c. Writes the page into the file `path`, whose name ends in ".html", or into the folder `path` together with
 * the pictures and the figures as JSON. The folder must exist. Returns false after it has reported an error.
 */
bool survey_write(const struct survey *survey, const char *path);
/* Returns true if `path` is the name of a page, and false if it is the name of a folder. */
bool survey_is_page(const char *path);

#endif

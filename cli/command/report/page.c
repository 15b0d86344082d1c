// SPDX-License-Identifier: GPL-2.0
/* Writes the page. It is well-formed XML, has no script, and loads no other file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/report/page.h>
#include <cli/command/report/style.h>
#include <cli/common/svg.h>

const struct survey_picture survey_pictures[SURVEY_PICTURES] = {
	[SURVEY_WIRING] = { "wiring", "the wiring of its components", false, wiring_draw },
	[SURVEY_HISTOGRAMS] = { "histograms", "histograms of lateness, run time and response time",
				true, times_draw },
	[SURVEY_SERIES] = { "series",
			    "lateness, run time and response time in the course of the check", true,
			    series_draw },
	[SURVEY_WORST] = { "worst", "the use of the CPU around the worst job", true, worst_draw },
};

void survey_draw(FILE *out, const struct survey *survey, unsigned int kind, unsigned int thread,
		 bool alone)
{
	const struct survey_picture *picture = &survey_pictures[kind];
	char name[SURVEY_TEXT], title[2 * SURVEY_TEXT];

	if (picture->each)
		survey_thread_name(survey, &survey->check.thread[thread], name);
	else
		snprintf(name, sizeof(name), "%s",
			 image_system_name(&survey->check.snapshot.image));
	snprintf(title, sizeof(title), "%s: %s", name, picture->title);
	picture->draw(out, survey, thread, title, alone);
}

static void figure_print(FILE *out, const struct survey *survey, unsigned int kind,
			 unsigned int thread, const char *caption)
{
	fputs("<figure>\n", out);
	survey_draw(out, survey, kind, thread, false);
	fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", caption);
}

static const char *verdict_class(const struct check_thread *thread)
{
	return thread->verdict == CHECK_IDLE ? "some" : check_verdict_word(thread->verdict);
}

/* Writes the verdict on the system, which is that of its worst thread. */
static void verdict_print(FILE *out, const struct check *check)
{
	static const char *const words[] = {
		[CHECK_IDLE] = "no verdict: a thread ended no job",
		[CHECK_REALTIME] = "real-time",
		[CHECK_NARROW] = "real-time, with a narrow margin",
		[CHECK_FAILED] = "not real-time",
	};
	const struct check_thread *worst = NULL;
	static const unsigned int weight[] = {
		[CHECK_REALTIME] = 0, [CHECK_NARROW] = 1, [CHECK_IDLE] = 2, [CHECK_FAILED] = 3
	};

	for (unsigned int i = 0; i < check->threads; i++)
		if (!worst || weight[check->thread[i].verdict] > weight[worst->verdict])
			worst = &check->thread[i];
	fprintf(out, "<span class=\"badge %s\">%s</span>", worst ? verdict_class(worst) : "some",
		worst ? words[worst->verdict] : "no verdict: no thread is periodic");
}

static void head_print(FILE *out, const struct survey *survey)
{
	const struct check *check = &survey->check;

	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<link rel=\"icon\" href=\"data:,\"/>\n<title>",
	      out);
	svg_print(out, "%s: report", image_system_name(&check->snapshot.image));
	fprintf(out, "</title>\n<style>\n%s", survey_style);
	svg_style(out);
	fputs("</style>\n</head>\n<body>\n<main>\n<header>\n<div class=\"top\"><h1>", out);
	svg_escape(out, image_system_name(&check->snapshot.image));
	fputs("</h1>", out);
	verdict_print(out, check);
	fprintf(out, "</div>\n<p>Checked for %.1f s, ", check->seconds);
	svg_print(out, "%s, on %s.", survey->machine.time, survey->machine.host);
	fprintf(out, " %s</p>\n", check_mode_sentence(check));
	fputs("<nav><a href=\"#verdict\">Verdict</a><a href=\"#system\">System</a>", out);
	for (unsigned int i = 0; i < check->threads; i++) {
		char name[SURVEY_TEXT];

		survey_thread_name(survey, &check->thread[i], name);
		fprintf(out, "<a href=\"#thread-%u\">", i);
		svg_escape(out, name);
		fputs("</a>", out);
	}
	fputs("<a href=\"#load\">Load</a><a href=\"#machine\">Machine</a></nav>\n</header>\n", out);
}

static void threads_print(FILE *out, const struct survey *survey)
{
	static const char *const heads[] = { "Thread",	    "Real-time", "CPU",	    "Period µs",
					     "Jobs",	    "Missed",	 "Late µs", "Run µs",
					     "Response µs", "Margin µs" };
	const struct check *check = &survey->check;

	table_begin(out, heads, sizeof(heads) / sizeof(*heads), 3);
	for (const struct check_thread *thread = check->thread;
	     thread < check->thread + check->threads; thread++) {
		char name[SURVEY_TEXT];

		survey_thread_name(survey, thread, name);
		fputs("<tr>", out);
		table_cell(out, "", "%s", name);
		table_cell(out, verdict_class(thread), "%s", check_verdict_word(thread->verdict));
		table_cell(out, "n", "%u", thread->cpu);
		table_cell(out, "n", "%.1f", check_us(check, thread->period));
		table_cell(out, "n", "%" PRIu64, check_jobs(thread));
		table_cell(out, check_missed(thread) ? "n no" : "n", "%" PRIu64,
			   check_missed(thread));
		table_cell(out, "n", "%.1f", check_us(check, thread->now.late.max));
		table_cell(out, "n", "%.1f", check_us(check, thread->now.run.max));
		table_cell(out, "n", "%.1f", check_us(check, thread->now.response.max));
		table_cell(out, check_margin_us(check, thread) < 0 ? "n no" : "n", "%.1f",
			   check_margin_us(check, thread));
		fputs("</tr>\n", out);
	}
	table_end(out);
}

/* Writes text of the check, a paragraph for each line. Capitalizes indented lines, which start with a small letter. */
static void lines_print(FILE *out, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const size_t indent = strspn(line, " ");

		line += indent;
		if (indent)
			*line = (char)toupper((unsigned char)*line);
		fputs("<p>", out);
		svg_escape(out, line);
		fputs("</p>\n", out);
	}
}

static void notes_print(FILE *out, const struct check *check)
{
	char *text = NULL;
	size_t size;
	FILE *notes = open_memstream(&text, &size);

	if (!notes)
		return;
	check_print_notes(notes, check);
	if (check->lost)
		fprintf(notes,
			"%" PRIu64 " events were overwritten before they could be read. Give the "
			"rings more space ([system] trace in the system file).\n",
			check->lost);
	if (!fclose(notes))
		lines_print(out, text);
	free(text);
}

static void verdict_section(FILE *out, const struct survey *survey)
{
	const struct check *check = &survey->check;

	fputs("<section id=\"verdict\">\n<h2>Verdict</h2>\n", out);
	if (check->threads) {
		threads_print(out, survey);
		fputs("<p class=\"pale\">Late, run and response are maxima of all jobs. Late is the time "
		      "from the release to the start, run is the run time, and response is the time "
		      "from the release to the end. A job's deadline is the next release. The margin "
		      "is the shortest time from a job's end to its deadline.</p>\n",
		      out);
	} else {
		fputs("<p>No thread of this system is periodic, so the check had no jobs to judge. A "
		      "thread becomes periodic with sched_periodic().</p>\n",
		      out);
	}
	notes_print(out, check);
	fputs("</section>\n", out);
}

static void thread_text(FILE *out, const struct check *check, const struct check_thread *thread)
{
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	if (!lines)
		return;
	check_print_thread(lines, check, thread);
	if (!fclose(lines))
		lines_print(out, text);
	free(text);
}

static void thread_section(FILE *out, const struct survey *survey, unsigned int index)
{
	const struct check *check = &survey->check;
	const struct check_thread *thread = &check->thread[index];
	const struct survey_thread *kept = &survey->thread[index];
	char name[SURVEY_TEXT];

	survey_thread_name(survey, thread, name);
	fprintf(out, "<section id=\"thread-%u\">\n<h2>", index);
	svg_escape(out, name);
	fprintf(out, " <span class=\"%s\">%s</span></h2>\n", verdict_class(thread),
		thread->verdict == CHECK_FAILED	  ? "is not real-time"
		: thread->verdict == CHECK_IDLE	  ? "ended no job"
		: thread->verdict == CHECK_NARROW ? "is real-time, with a narrow margin"
						  : "is real-time");
	thread_text(out, check, thread);
	if (check_jobs(thread)) {
		fputs("<h3>All jobs of the check</h3>\n", out);
		figure_print(
			out, survey, SURVEY_HISTOGRAMS, index,
			"Vertical: number of jobs. Horizontal: their time in µs. Both axes are "
			"logarithmic. The dashed line is the deadline, or the limit of lateness. "
			"Each doubling of the time has two bars, as in the kernel's statistics.");
	}
	if (kept->samples && check_jobs(thread)) {
		fputs("<h3>In the course of the check</h3>\n", out);
		figure_print(
			out, survey, SURVEY_SERIES, index,
			"The area extends from the shortest to the longest job of each sample, "
			"rounded outward to the bars of the histograms. The line is the mean. Red: "
			"jobs that missed their deadline.");
	}
	if (kept->event) {
		fputs("<h3>The worst job</h3>\n", out);
		figure_print(
			out, survey, SURVEY_WORST, index,
			"Use of the CPU. Blue: the thread. Grey: other threads. Orange: Linux. Pale "
			"orange: Linux, while the system was idle or waited for Linux. Red: a fault.");
		if (!thread->sum->whole)
			fputs("<p class=\"pale\">Some events of this job were lost, so the picture "
			      "has gaps.</p>\n",
			      out);
	}
	fputs("</section>\n", out);
}

static void system_section(FILE *out, const struct survey *survey)
{
	fputs("<section id=\"system\">\n<h2>System</h2>\n", out);
	figure_print(
		out, survey, SURVEY_WIRING, 0,
		"Arrows go from a client to its server. Orange: scheduler. Green: memory manager. "
		"Blue: console. Violet: channel to Linux. The booter is not shown.");
	fputs("</section>\n", out);
}

static void machine_section(FILE *out, const struct survey *survey)
{
	const struct survey_machine *machine = &survey->machine;
	const struct check *check = &survey->check;
	const struct limpet_ioc_info *info = &check->snapshot.info;

	fputs("<section id=\"machine\">\n<h2>Machine</h2>\n<div class=\"scroll\"><table><tbody>\n",
	      out);
	table_fact(out, "Machine", "%s", machine->name);
	table_fact(out, "Processor", "%s", machine->processor);
	table_fact(out, "Processors", "%ld", machine->processors);
	table_fact(out, "Hypervisor", "%s", machine->hypervisor);
	table_fact(out, "Memory", "%.0f MiB", machine->memory_mib);
	table_fact(out, "Kernel", "%s", machine->kernel);
	table_fact(out, "Kernel's build", "%s", machine->version);
	table_fact(out, "Kernel's command line", "%s", machine->command_line);
	table_fact(out, "Clock source", "%s", machine->clock);
	table_fact(out, "Time stamp counter", "%.3f MHz", (double)info->ticks_per_ms / 1000);
	table_fact(out, "Mode", "%s", info->mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	table_fact(out, "Linux's share", "%.1f %% of each CPU", info->linux_share / 10.0);
	for (unsigned int cpu = 0; info->mode == LIMPET_MODE_BESIDE && cpu < info->cpus; cpu++)
		table_fact(out, "Host thread", "CPU %u, SCHED_FIFO priority %d", info->cpu[cpu],
			   check->priority[cpu]);
	if (info->mode == LIMPET_MODE_BENEATH)
		table_fact(out, "Restarts of Linux", "%u", info->restarts);
	table_fact(out, "Memory of the system", "%" PRIu64 " KiB", info->region_size / 1024);
	table_fact(out, "Uptime of the system", "%.1f s", snapshot_uptime(&check->snapshot));
	fputs("</tbody></table></div>\n</section>\n", out);
}

void survey_page(FILE *out, const struct survey *survey)
{
	head_print(out, survey);
	verdict_section(out, survey);
	system_section(out, survey);
	for (unsigned int i = 0; i < survey->check.threads; i++)
		thread_section(out, survey, i);
	load_section(out, survey);
	machine_section(out, survey);
	fputs("<p class=\"pale\">Written by limpet report. Times without a unit are in µs.</p>\n</main>\n</body>\n</html>\n",
	      out);
}

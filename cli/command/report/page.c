// SPDX-License-Identifier: GPL-2.0
/* The page. It is well-formed XML, too, has no script, and loads nothing. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <limpet/channel.h>

#include <cli/command/report/survey.h>
#include <cli/command/report/style.h>
#include <cli/common/fault.h>
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

/* --- Tables */

/* `words` has a bit for each column of words; the others have figures. */
static void table_begin(FILE *out, const char *const *heads, unsigned int count, unsigned int words)
{
	fputs("<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>", out);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>", words >> i & 1 ? "" : " class=\"n\"",
			heads[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

__attribute__((format(printf, 3, 4))) static void cell(FILE *out, const char *class,
						       const char *format, ...)
{
	char text[2 * SURVEY_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(out, *class ? "<td class=\"%s\">" : "<td>", class);
	svg_escape(out, text);
	fputs("</td>", out);
}

/* Writes a row of two columns, or no row if the text is empty. */
__attribute__((format(printf, 3, 4))) static void fact(FILE *out, const char *what,
						       const char *format, ...)
{
	char text[4 * SURVEY_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!*text)
		return;
	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", what);
	svg_escape(out, text);
	fputs("</td></tr>\n", out);
}

/* --- Parts of the page */

static const char *verdict_class(const struct check_thread *thread)
{
	return thread->verdict == CHECK_IDLE ? "some" : check_verdict_word(thread->verdict);
}

/* Writes the verdict on the system: of its worst thread. */
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
		cell(out, "", "%s", name);
		cell(out, verdict_class(thread), "%s", check_verdict_word(thread->verdict));
		cell(out, "n", "%u", thread->cpu);
		cell(out, "n", "%.1f", check_us(check, thread->period));
		cell(out, "n", "%" PRIu64, check_jobs(thread));
		cell(out, check_missed(thread) ? "n no" : "n", "%" PRIu64, check_missed(thread));
		cell(out, "n", "%.1f", check_us(check, thread->now.late.max));
		cell(out, "n", "%.1f", check_us(check, thread->now.run.max));
		cell(out, "n", "%.1f", check_us(check, thread->now.response.max));
		cell(out, check_margin_us(check, thread) < 0 ? "n no" : "n", "%.1f",
		     check_margin_us(check, thread));
		fputs("</tr>\n", out);
	}
	table_end(out);
}

/* Writes what a function of the check prints, a paragraph for each line. Indented lines start with a small letter there. */
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
			"%" PRIu64 " events were overwritten before they could be read: give the "
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
		fputs("<p class=\"pale\">Late, run and response are the worst of all jobs: from the "
		      "release to the start, run, and from the release to the end. A job's deadline "
		      "is the next release, and the margin is what is left until it.</p>\n",
		      out);
	} else {
		fputs("<p>No thread of this system is periodic: one is after sched_periodic(). So "
		      "there are no jobs to judge.</p>\n",
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
			"Upwards: number of jobs, by tens. To the right: their time in µs. The "
			"dashed line is the deadline, or the limit of lateness. A bar covers half "
			"of a doubling, because the kernel counts the jobs so.");
	}
	if (kept->samples && check_jobs(thread)) {
		fputs("<h3>In the course of the check</h3>\n", out);
		figure_print(
			out, survey, SURVEY_SERIES, index,
			"The area reaches from the shortest to the longest job of each moment, "
			"rounded outward as in the histograms; the line is their mean. Red: jobs "
			"that missed their deadline.");
	}
	if (kept->event) {
		fputs("<h3>The worst job</h3>\n", out);
		figure_print(
			out, survey, SURVEY_WORST, index,
			"What had the CPU. Blue: the thread. Grey: other threads. Orange: Linux, "
			"pale while the system had nothing to run or waited for Linux. Red: a "
			"fault.");
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
		"Arrows go from a client to its server. Orange: scheduler. Green: manages memory. "
		"Blue: console. Violet: a channel to Linux. The booter is left out.");
	fputs("</section>\n", out);
}

/* --- Load: counters at the end, and their rates during the check */

static double rate(const struct survey *survey, uint64_t before, uint64_t after)
{
	return survey->span > 0 && after > before ? (double)(after - before) / survey->span : 0;
}

static void cpus_print(FILE *out, const struct survey *survey)
{
	static const char *const heads[] = { "CPU",	  "Linux's CPU",      "Kernel calls /s",
					     "Events /s", "Resumes /s",	      "Interrupted /s",
					     "Idles /s",  "Linux's share /s", "Memory KiB",
					     "Free KiB" };
	const struct limpet_stat *before = &survey->check.snapshot.stat, *after = &survey->after;

	table_begin(out, heads, sizeof(heads) / sizeof(*heads), 0);
	for (unsigned int i = 0; i < before->cpus && i < after->cpus; i++) {
		const struct limpet_stat_cpu *old = &before->cpu[i], *now = &after->cpu[i];

		fputs("<tr>", out);
		cell(out, "n", "%u", now->cpu);
		cell(out, "n", "%u", now->linux_cpu);
		cell(out, "n", "%.0f", rate(survey, old->calls, now->calls));
		cell(out, "n", "%.0f", rate(survey, old->events, now->events));
		cell(out, "n", "%.0f", rate(survey, old->resumes, now->resumes));
		cell(out, "n", "%.0f", rate(survey, old->interrupted, now->interrupted));
		cell(out, "n", "%.0f", rate(survey, old->idles, now->idles));
		cell(out, "n", "%.0f", rate(survey, old->shares, now->shares));
		cell(out, "n", "%" PRIu64, now->frames * 4);
		cell(out, "n", "%" PRIu64, now->frames_free * 4);
		fputs("</tr>\n", out);
	}
	table_end(out);
}

/* Returns the ticks that a thread ran between the two readings. */
static uint64_t thread_ticks(const struct survey *survey, const struct limpet_stat_thread *now)
{
	const struct limpet_stat *before = &survey->check.snapshot.stat;

	for (unsigned int i = 0; i < before->threads; i++)
		if (before->thread[i].cpu == now->cpu && before->thread[i].id == now->id)
			return now->ticks > before->thread[i].ticks
				       ? now->ticks - before->thread[i].ticks
				       : 0;
	return now->ticks;
}

static uint64_t component_ticks(const struct survey *survey,
				const struct limpet_stat_component *component)
{
	const struct limpet_stat *after = &survey->after;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < after->threads; i++)
		if (after->thread[i].home == component->index &&
		    after->thread[i].cpu == component->cpu)
			sum += thread_ticks(survey, &after->thread[i]);
	return sum;
}

static const struct limpet_stat_component *component_before(const struct survey *survey,
							    const struct limpet_stat_component *now)
{
	const struct limpet_stat *before = &survey->check.snapshot.stat;

	for (unsigned int i = 0; i < before->components; i++)
		if (before->component[i].cpu == now->cpu &&
		    before->component[i].index == now->index)
			return &before->component[i];
	return now;
}

static void component_print(FILE *out, const struct survey *survey,
			    const struct limpet_stat_component *now)
{
	const struct check *check = &survey->check;
	const struct image *image = &check->snapshot.image;
	const struct limpet_stat_component *old = component_before(survey, now);
	const double seconds = check_us(check, component_ticks(survey, now)) / 1e6;
	char fault[SURVEY_TEXT];

	fault_describe(now, fault, sizeof(fault));
	fputs("<tr>", out);
	cell(out, "", "%s", image_component_name(image, now->index));
	cell(out, "", "%s", image_component_image(image, now->index));
	cell(out, "n", "%u", now->cpu);
	cell(out, "n", "%.2f", survey->span > 0 ? 100 * seconds / survey->span : 0);
	cell(out, "n", "%.0f", rate(survey, old->entered, now->entered));
	cell(out, now->epoch ? "n no" : "n", "%u", now->epoch);
	cell(out, now->faults ? "n no" : "n", "%u", now->faults);
	cell(out, "", "%s", fault);
	fputs("</tr>\n", out);
}

static void components_print(FILE *out, const struct survey *survey)
{
	static const char *const heads[] = { "Component",      "Image",	   "CPU",    "CPU time %",
					     "Invocations /s", "Restarts", "Faults", "Last fault" };

	table_begin(out, heads, sizeof(heads) / sizeof(*heads), 0x83);
	for (unsigned int i = 0; i < survey->after.components; i++)
		if (survey->after.component[i].index != SNAPSHOT_NONE &&
		    image_component(&survey->check.snapshot.image,
				    survey->after.component[i].index))
			component_print(out, survey, &survey->after.component[i]);
	table_end(out);
}

static void channels_print(FILE *out, const struct survey *survey)
{
	static const char *const heads[] = { "Channel", "Component", "To Linux bytes",
					     "To component bytes", "Owner's events /s" };
	const struct image *image = &survey->check.snapshot.image;
	const struct limpet_image_channel *channel = image_channel(image, 0);

	if (!channel)
		return;
	fputs("<h3>Channels to Linux</h3>\n", out);
	table_begin(out, heads, sizeof(heads) / sizeof(*heads), 3);
	for (unsigned int i = 0; (channel = image_channel(image, i)); i++) {
		if (channel->mode == LIMPET_CHANNEL_ATTACHED)
			continue;
		fputs("<tr>", out);
		cell(out, "", "%s", image_string(image, channel->name));
		cell(out, "", "%s", image_component_name(image, channel->component));
		cell(out, "n", "%u", channel->to_linux);
		cell(out, "n", "%u", channel->to_component);
		cell(out, "n", "%.0f", rate(survey, 0, survey_woken(survey, channel->component)));
		fputs("</tr>\n", out);
	}
	table_end(out);
	fputs("<p class=\"pale\">The kernel does not count the bytes of a channel. The last column has "
	      "all events for the threads of the channel's component, timers included.</p>\n",
	      out);
}

static void load_section(FILE *out, const struct survey *survey)
{
	fputs("<section id=\"load\">\n<h2>Load</h2>\n<h3>Components</h3>\n", out);
	components_print(out, survey);
	fputs("<p class=\"pale\">Restarts and faults count since the system was loaded, the other "
	      "figures during the check.</p>\n<h3>CPUs</h3>\n",
	      out);
	cpus_print(out, survey);
	channels_print(out, survey);
	fputs("</section>\n", out);
}

static void machine_section(FILE *out, const struct survey *survey)
{
	const struct survey_machine *machine = &survey->machine;
	const struct check *check = &survey->check;
	const struct limpet_ioc_info *info = &check->snapshot.info;

	fputs("<section id=\"machine\">\n<h2>Machine</h2>\n<div class=\"scroll\"><table><tbody>\n",
	      out);
	fact(out, "Machine", "%s", machine->name);
	fact(out, "Processor", "%s", machine->processor);
	fact(out, "Processors", "%ld", machine->processors);
	fact(out, "Hypervisor", "%s", machine->hypervisor);
	fact(out, "Memory", "%.0f MiB", machine->memory_mib);
	fact(out, "Kernel", "%s", machine->kernel);
	fact(out, "Kernel's build", "%s", machine->version);
	fact(out, "Kernel's command line", "%s", machine->command_line);
	fact(out, "Clock source", "%s", machine->clock);
	fact(out, "Time stamp counter", "%.3f MHz", (double)info->ticks_per_ms / 1000);
	fact(out, "Mode", "%s", info->mode == LIMPET_MODE_BENEATH ? "beneath" : "beside");
	fact(out, "Linux's share", "%.1f %% of each CPU", info->linux_share / 10.0);
	for (unsigned int cpu = 0; info->mode == LIMPET_MODE_BESIDE && cpu < info->cpus; cpu++)
		fact(out, "Host thread", "CPU %u, SCHED_FIFO priority %d", info->cpu[cpu],
		     check->priority[cpu]);
	if (info->mode == LIMPET_MODE_BENEATH)
		fact(out, "Restarts of Linux", "%u", info->restarts);
	fact(out, "Memory of the system", "%" PRIu64 " KiB", info->region_size / 1024);
	fact(out, "Since the system was loaded", "%.1f s", snapshot_uptime(&check->snapshot));
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
	fputs("<p class=\"pale\">Made by limpet report. Times are in µs unless a figure has another "
	      "unit.</p>\n</main>\n</body>\n</html>\n",
	      out);
}

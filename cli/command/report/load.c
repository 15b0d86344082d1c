// SPDX-License-Identifier: GPL-2.0
/* Writes the section about the load: the system's counters, and their rates during the check. */
#include <inttypes.h>

#include <limpet/channel.h>

#include <cli/command/report/page.h>
#include <cli/common/fault.h>

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
		table_cell(out, "n", "%u", now->cpu);
		table_cell(out, "n", "%u", now->linux_cpu);
		table_cell(out, "n", "%.0f", rate(survey, old->calls, now->calls));
		table_cell(out, "n", "%.0f", rate(survey, old->events, now->events));
		table_cell(out, "n", "%.0f", rate(survey, old->resumes, now->resumes));
		table_cell(out, "n", "%.0f", rate(survey, old->interrupted, now->interrupted));
		table_cell(out, "n", "%.0f", rate(survey, old->idles, now->idles));
		table_cell(out, "n", "%.0f", rate(survey, old->shares, now->shares));
		table_cell(out, "n", "%" PRIu64, now->frames * 4);
		table_cell(out, "n", "%" PRIu64, now->frames_free * 4);
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
	table_cell(out, "", "%s", image_component_name(image, now->index));
	table_cell(out, "", "%s", image_component_image(image, now->index));
	table_cell(out, "n", "%u", now->cpu);
	table_cell(out, "n", "%.2f", survey->span > 0 ? 100 * seconds / survey->span : 0);
	table_cell(out, "n", "%.0f", rate(survey, old->entered, now->entered));
	table_cell(out, now->epoch ? "n no" : "n", "%u", now->epoch);
	table_cell(out, now->faults ? "n no" : "n", "%u", now->faults);
	table_cell(out, "", "%s", fault);
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

static void load_cell(FILE *out, const struct survey *survey, bool known, uint64_t before,
		      uint64_t after)
{
	if (known)
		table_cell(out, "n", "%.0f", rate(survey, before, after));
	else
		table_cell(out, "n", "–");
}

/* Writes the rates of a channel's counters in the order of the table's columns. */
static void loads_print(FILE *out, const struct survey *survey, unsigned int index)
{
	static const struct channel_load unknown;
	const struct channel_load *old = survey->loads_before ? &survey->loads_before[index]
							      : &unknown;
	const struct channel_load *now = survey->loads_after ? &survey->loads_after[index]
							     : &unknown;
	const bool known = channel_load_continues(old, now), packets = known && now->has_packets;

	load_cell(out, survey, known, old->to_linux_bytes, now->to_linux_bytes);
	load_cell(out, survey, packets, old->to_linux_packets, now->to_linux_packets);
	load_cell(out, survey, known, old->to_component_bytes, now->to_component_bytes);
	load_cell(out, survey, packets, old->to_component_packets, now->to_component_packets);
	if (packets)
		table_cell(out, now->dropped > old->dropped ? "n no" : "n", "%" PRIu64,
			   now->dropped - old->dropped);
	else
		table_cell(out, "n", "–");
}

static void channels_print(FILE *out, const struct survey *survey)
{
	static const char *const heads[] = { "Channel",
					     "Component",
					     "Ring to Linux, bytes",
					     "Ring to component, bytes",
					     "To Linux, bytes/s",
					     "Packets/s",
					     "To component, bytes/s",
					     "Packets/s",
					     "Dropped",
					     "Owner's events /s" };
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
		table_cell(out, "", "%s", image_string(image, channel->name));
		table_cell(out, "", "%s", image_component_name(image, channel->component));
		table_cell(out, "n", "%u", channel->to_linux);
		table_cell(out, "n", "%u", channel->to_component);
		loads_print(out, survey, i);
		table_cell(out, "n", "%.0f",
			   rate(survey, 0, survey_woken(survey, channel->component)));
		fputs("</tr>\n", out);
	}
	table_end(out);
	fputs("<p class=\"pale\">Linux counts the bytes and packets of channels that are network devices. "
	      "Channels of messages and bytes count the bytes in their rings, also the length and padding of "
	      "messages. A channel that was reconnected meanwhile, FIFOs and shared memory have no figures. "
	      "The last column has all events for the threads of the channel's component, including "
	      "timers.</p>\n",
	      out);
}

void load_section(FILE *out, const struct survey *survey)
{
	fputs("<section id=\"load\">\n<h2>Load</h2>\n<h3>Components</h3>\n", out);
	components_print(out, survey);
	fputs("<p class=\"pale\">Restarts and faults are counted since the system was loaded. The "
	      "other figures are those of the check.</p>\n<h3>CPUs</h3>\n",
	      out);
	cpus_print(out, survey);
	channels_print(out, survey);
	fputs("</section>\n", out);
}

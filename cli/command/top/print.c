// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include <cli/common/json.h>
#include <cli/command/top/top.h>
#include <client/device.h>

static void print_head(FILE *out, const struct top *top, enum top_sort sort)
{
	const struct limpet_ioc_info *info = &top->now->info;

	fprintf(out, "%s: %s %s Linux for %.1f s, over %.1f s, by %s\n",
		image_system_name(&top->now->image), limpet_state_words(info->state),
		info->mode == LIMPET_MODE_BENEATH ? "beneath" : "beside", snapshot_uptime(top->now),
		top->seconds, top_sort_word(sort));
}

void top_print(FILE *out, const struct top *top, enum top_sort sort)
{
	print_head(out, top, sort);
	fprintf(out,
		"\nCPU LINUX    CPU%%     INVOKED/S  EVENTS/S  TIMERS/S   CALLS/S  FAULTS/S\n");
	for (const struct top_cpu *c = top->cpu; c < top->cpu + top->cpus; c++)
		fprintf(out, "%3u %5u %7.2f %13.1f %9.1f %9.1f %9.1f %9.1f\n", c->cpu, c->linux_cpu,
			c->percent, c->invocations, c->events, c->timers, c->calls, c->faults);
	fprintf(out,
		"\nCPU ID  THREAD OF        IS IN            STATE      CPU%% SWITCHES/S  MISSES "
		"URGENCY DEPTH\n");
	for (const struct top_thread *t = top->thread; t < top->thread + top->threads; t++)
		fprintf(out, "%3u %2u  %-16.16s %-16.16s %-8s %6.2f %10.1f %7" PRIu64 " %7u %5u\n",
			t->cpu, t->id, t->name, t->inside, t->state, t->percent, t->dispatches,
			t->misses, t->urgency, t->depth);
	fprintf(out, "\nCPU COMPONENT            INVOKED/S INSIDE FAULTS RESTARTS\n");
	for (const struct top_component *c = top->component; c < top->component + top->components;
	     c++)
		fprintf(out, "%3u %-16.16s %13.1f %6" PRIu64 " %6" PRIu64 " %8u\n", c->cpu, c->name,
			c->invocations, c->inside, c->faults, c->restarts);
}

static void json_cpu(struct json *json, const struct top_cpu *c)
{
	json_object(json, NULL);
	json_number(json, "cpu", c->cpu);
	json_number(json, "linux_cpu", c->linux_cpu);
	json_real(json, "percent", c->percent);
	json_real(json, "invocations", c->invocations);
	json_real(json, "events", c->events);
	json_real(json, "timers", c->timers);
	json_real(json, "calls", c->calls);
	json_real(json, "faults", c->faults);
	json_object_end(json);
}

static void json_thread(struct json *json, const struct top_thread *t)
{
	json_object(json, NULL);
	json_number(json, "cpu", t->cpu);
	json_number(json, "id", t->id);
	json_text(json, "home", t->name);
	json_text(json, "inside", t->inside);
	json_text(json, "state", t->state);
	json_real(json, "percent", t->percent);
	json_real(json, "dispatches", t->dispatches);
	json_number(json, "misses", t->misses);
	json_number(json, "missed", t->missed);
	json_number(json, "urgency", t->urgency);
	json_number(json, "depth", t->depth);
	json_object_end(json);
}

static void json_component(struct json *json, const struct top_component *c)
{
	json_object(json, NULL);
	json_number(json, "cpu", c->cpu);
	json_number(json, "index", c->index);
	json_text(json, "name", c->name);
	json_real(json, "invocations", c->invocations);
	json_number(json, "inside", c->inside);
	json_number(json, "faults", c->faults);
	json_number(json, "restarts", c->restarts);
	json_object_end(json);
}

void top_print_json(FILE *out, const struct top *top)
{
	struct json json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_text(&json, "system", image_system_name(&top->now->image));
	json_text(&json, "state", limpet_state_words(top->now->info.state));
	json_real(&json, "uptime", snapshot_uptime(top->now));
	json_real(&json, "seconds", top->seconds);
	json_array(&json, "cpus");
	for (unsigned int i = 0; i < top->cpus; i++)
		json_cpu(&json, &top->cpu[i]);
	json_array_end(&json);
	json_array(&json, "threads");
	for (unsigned int i = 0; i < top->threads; i++)
		json_thread(&json, &top->thread[i]);
	json_array_end(&json);
	json_array(&json, "components");
	for (unsigned int i = 0; i < top->components; i++)
		json_component(&json, &top->component[i]);
	json_array_end(&json);
	json_object_end(&json);
	json_end(&json);
}

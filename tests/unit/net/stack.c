// SPDX-License-Identifier: BSD-2-Clause
/* Loads a component as a separate copy of the library, with its channel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parts.h"

#define RING (64 << 10)
#define CHANNEL_BYTES (LIMPET_CHANNEL_PAGE + 2 * RING)

bool world_pieces;

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		fail_msg("no %s in the component", name);
	return at;
}

/* Loads a copy of the file, because the loader treats it as a different library. */
static void *load(const char *copy)
{
	static unsigned int loads;
	char command[256], path[64];
	void *library;

	snprintf(path, sizeof(path), "/tmp/limpet-net-%s-%d-%u.so", copy, getpid(), loads++);
	snprintf(command, sizeof(command), "cp %s/%s.so %s", NUNIT,
		 world_pieces ? "pieces" : "stack", path);
	assert_int_equal(system(command), 0);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	unlink(path);
	return library;
}

static void argument(struct limpet_info *info, const char *name, const char *text, int64_t number)
{
	struct limpet_info_arg *arg = &info->arg[info->args++];

	*arg = (struct limpet_info_arg){ .number = number };
	strcpy(arg->name, name);
	if (text)
		strcpy(arg->text, text);
}

static void channel_make(struct stack *s, struct limpet_info_channel *channel)
{
	struct limpet_channel_header *header;

	s->memory = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	assert_true(s->memory != MAP_FAILED);
	header = (struct limpet_channel_header *)s->memory;
	*channel = (struct limpet_info_channel){ .name = "limpet0",
						 .mode = LIMPET_CHANNEL_NETWORK,
						 .to_linux = RING,
						 .to_component = RING,
						 .address = (uint64_t)s->memory,
						 .mtu = 1500 };
	s->host = (struct limpet_end){ .self = &header->host,
				       .peer = &header->component,
				       .out = s->memory + LIMPET_CHANNEL_PAGE + RING,
				       .in = s->memory + LIMPET_CHANNEL_PAGE,
				       .out_size = RING,
				       .in_size = RING };
	limpet_end_begin(&s->host, 1);
}

void stack_load(struct stack *s, struct limpet_info_channel *channel, const char *name)
{
	*s = (struct stack){ .library = load(name) };
#define STACK_LOAD(function) s->function = symbol(s->library, "socket_serve_" #function);
	STACK_FUNCTIONS(STACK_LOAD)
	s->info = symbol(s->library, "__limpet_info");
	s->core_lock = symbol(s->library, "core_lock");
	s->link_turn = symbol(s->library, "link_turn");
	s->link_begin = symbol(s->library, "link_begin");
	s->core_timers = symbol(s->library, "core_timers");
	s->init = symbol(s->library, "component_init");
	channel_make(s, channel);
	memset(s->info, 0, sizeof(*s->info));
	s->info->ticks_per_ms = MS;
	s->info->channels = 1;
	s->info->channel_info = (uint64_t)channel;
	strcpy(s->info->name, name);
	argument(s->info, "memory", NULL, MEMORY_PAGES);
}

void stack_begin(struct stack *s, const char *address)
{
	if (address)
		argument(s->info, "address", address, 0);
	argument(s->info, "gateway", "10.0.0.2", 0);
	argument(s->info, "dns", "10.0.0.2", 0);
	assert_int_equal(s->init(s->info), LIMPET_OK);
	assert_int_equal(s->link_begin(NULL), LIMPET_OK);
}

void stack_end(struct stack *s)
{
	if (!s->library)
		return;
	if (!world_pieces) /* its remaining memory is not a leak */
		dlclose(s->library);
	munmap(s->memory, CHANNEL_BYTES);
	*s = (struct stack){ 0 };
}

uint64_t figure(struct stack *s, const char *name)
{
	struct socket_figure_results out;

	for (word i = 0; s->figure(LEFT, i, &out) >= 0; i++) {
		word text[3] = { out.name0, out.name1, 0 };

		if (strcmp((const char *)text, name) == 0)
			return out.value;
	}
	fail_msg("no counter '%s'", name);
	return 0;
}

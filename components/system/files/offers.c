// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include "files.h"

struct offer {
	uint32_t component;
	uint32_t length;
	const char *name; /* points into the info page */
	uint32_t rights;
};

static struct offer offers[OFFERS_MAX];
static uint32_t offer_count;

/* Reads the number at the start of "12 NAME", which the composer makes of @NAME. */
static const char *parse_thread(const struct limpet_info *info, const char *text,
				struct offer *offer)
{
	uint32_t thread = 0;

	for (; *text >= '0' && *text <= '9' && thread < LIMPET_THREADS_MAX; text++)
		thread = thread * 10 + (uint32_t)(*text - '0');
	if (!thread || thread > info->threads || thread >= LIMPET_THREADS_MAX || *text != ' ')
		return NULL;
	offer->component = info->thread_of[thread].component;
	return text + 1;
}

static uint32_t parse_rights(const char *text)
{
	if (!strcmp(text, "r"))
		return LIMPET_FILES_READ;
	if (!strcmp(text, "w"))
		return LIMPET_FILES_WRITE;
	return strcmp(text, "rw") ? 0 : LIMPET_FILES_READ | LIMPET_FILES_WRITE;
}

static bool parse(const struct limpet_info *info, const char *text, struct offer *offer)
{
	offer->name = parse_thread(info, text, offer);
	if (!offer->name)
		return false;
	while (offer->name[offer->length] && offer->name[offer->length] != ' ')
		offer->length++;
	if (!offer->length || offer->length > LIMPET_FILES_OFFER || !offer->name[offer->length])
		return false;
	offer->rights = parse_rights(offer->name + offer->length + 1);
	return offer->rights;
}

long offers_begin(const struct limpet_info *info)
{
	char key[] = "offer-0";

	offer_count = 0;
	for (uint32_t i = 0; i < OFFERS_MAX; i++, key[6]++) {
		const char *text = limpet_arg_text(info, key, NULL);
		struct offer offer = { 0 };

		if (!text)
			continue;
		if (!parse(info, text, &offer)) {
			limpet_print("%s is '%s': write \"@COMPONENT OFFER rw\", or r, or w\n", key,
				     text);
			return LIMPET_ERANGE;
		}
		offers[offer_count++] = offer;
	}
	return LIMPET_OK;
}

bool offers_any(uint32_t component)
{
	for (uint32_t i = 0; i < offer_count; i++)
		if (offers[i].component == component)
			return true;
	return false;
}

/* Checks the parts between slashes: they must not be empty, "." or "..". */
static bool parts_good(const char *name, uint32_t length)
{
	uint32_t begin = 0;

	for (uint32_t i = 0; i <= length; i++) {
		const char *part = name + begin;
		uint32_t size = i - begin;

		if (i < length && !name[i])
			return false;
		if (i < length && name[i] != '/')
			continue;
		if (!size || (part[0] == '.' && (size == 1 || (size == 2 && part[1] == '.'))))
			return false;
		begin = i + 1;
	}
	return true;
}

static bool offer_has(const struct offer *offer, const char *name, uint32_t length)
{
	return length >= offer->length && !memcmp(offer->name, name, offer->length) &&
	       (length == offer->length || name[offer->length] == '/');
}

long offers_check(uint32_t component, const char *name, uint32_t length, word how)
{
	uint32_t wanted = how & (LIMPET_FILES_READ | LIMPET_FILES_WRITE);

	if (!length || length > LIMPET_FILES_NAME || !parts_good(name, length))
		return LIMPET_ERANGE;
	if (!wanted || how & ~(word)LIMPET_FILES_FLAGS)
		return LIMPET_ERANGE;
	if (how & ~(word)LIMPET_FILES_READ && !(how & LIMPET_FILES_WRITE))
		return LIMPET_ERANGE;
	for (uint32_t i = 0; i < offer_count; i++)
		if (offers[i].component == component && offer_has(&offers[i], name, length) &&
		    !(wanted & ~offers[i].rights))
			return LIMPET_OK;
	return LIMPET_ERIGHTS;
}

// SPDX-License-Identifier: BSD-2-Clause
/* Reads arguments from the info page, and names errors. */
#include <runtime/component.h>
#include <runtime/memory.h>

static const struct limpet_info_arg *arg_find(const struct limpet_info *info, const char *name)
{
	for (uint32_t i = 0; i < info->args && i < LIMPET_INFO_ARGS; i++)
		if (strcmp(info->arg[i].name, name) == 0)
			return &info->arg[i];
	return NULL;
}

int64_t limpet_arg_number(const struct limpet_info *info, const char *name, int64_t otherwise)
{
	const struct limpet_info_arg *arg = arg_find(info, name);

	return arg && !arg->text[0] ? arg->number : otherwise;
}

const char *limpet_arg_text(const struct limpet_info *info, const char *name, const char *otherwise)
{
	const struct limpet_info_arg *arg = arg_find(info, name);

	return arg && arg->text[0] ? arg->text : otherwise;
}

#define ERROR_ENTRY(name, number, text) { #name, text },
static const struct {
	char name[8];
	char text[72];
} errors[] = { { "OK", "no error" }, LIMPET_ERRORS(ERROR_ENTRY) };

static size_t error_index(long status)
{
	size_t index = status < 0 ? 0ul - (size_t)status : 0;

	return index < array_size(errors) ? index : array_size(errors);
}

const char *limpet_error_text(long status)
{
	size_t index = error_index(status);

	return index < array_size(errors) ? errors[index].text : "unknown error";
}

const char *limpet_error_name(long status)
{
	size_t index = error_index(status);

	return index < array_size(errors) ? errors[index].name : "E?";
}

// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

unsigned int doctor_refusals(const struct doctor *doctor)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < doctor->count; i++)
		count += doctor->check[i].state == DOCTOR_REFUSED;
	return count;
}

const struct doctor_check *doctor_find(const struct doctor *doctor, const char *name)
{
	for (unsigned int i = 0; i < doctor->count; i++)
		if (!strcmp(doctor->check[i].name, name))
			return &doctor->check[i];
	return NULL;
}

struct doctor_check *doctor_find_own(struct doctor *doctor, const char *name)
{
	const struct doctor_check *check = doctor_find(doctor, name);

	return check ? &doctor->check[check - doctor->check] : NULL;
}

const char *doctor_state_word(enum doctor_state state)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "ok",
		[DOCTOR_NOTE] = "note",
		[DOCTOR_UNKNOWN] = "unknown",
		[DOCTOR_REFUSED] = "refused",
	};

	return words[state];
}

struct doctor_check *doctor_add(struct doctor *doctor, const char *name, enum doctor_state state,
				const char *format, ...)
{
	struct doctor_check *check = &doctor->check[doctor->count];
	va_list values;

	if (doctor->count < DOCTOR_CHECKS_MAX - 1)
		doctor->count++;
	*check = (struct doctor_check){ .name = name, .state = state };
	va_start(values, format);
	vsnprintf(check->found, sizeof(check->found), format, values);
	va_end(values);
	return check;
}

void doctor_refuse(struct doctor_check *check, const char *reason, const char *remedy)
{
	check->state = DOCTOR_REFUSED;
	check->reason = reason;
	check->remedy = remedy;
}

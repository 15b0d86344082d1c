// SPDX-License-Identifier: BSD-2-Clause
#include <executive/executive.h>
#include <executive/program.h>
#include <runtime/memory.h>

#define NAME_MAX 32
#define PATH_MAX 256

static char names[PROGRAMS_MAX][NAME_MAX];
static unsigned int count;
/* For each guest, the program that it has requested, and the one that it executes. */
static uint8_t called[LIMPET_GUESTS_MAX], executes[LIMPET_GUESTS_MAX];

_Static_assert(PROGRAMS_MAX <= 256, "for `called` and `executes`");

void programs_clear(void)
{
	memset(names, 0, sizeof(names));
	names[PROGRAM_OTHERS][0] = '*';
	count = 1;
}

/* Returns the number of a name, or `count`. */
static unsigned int named(const char *name, size_t length)
{
	for (unsigned int i = 0; i < count; i++)
		if (length < NAME_MAX && !names[i][length] && !memcmp(names[i], name, length))
			return i;
	return count;
}

const char *program_add(const struct span *name, unsigned int *number)
{
	*number = named(name->at, name->length);
	if (*number == PROGRAM_OTHERS)
		return NULL;
	if (name->length >= NAME_MAX)
		return "has a name of more than 31 characters";
	if (*number < count)
		return "names a program that has a rule already";
	if (count == PROGRAMS_MAX)
		return "is one rule too many: 63 programs and * can have one";
	memcpy(names[count++], name->at, name->length);
	return NULL;
}

unsigned int program_of(const char *path, size_t length)
{
	size_t start = length;
	unsigned int number;

	while (start && path[start - 1] != '/')
		start--;
	number = named(path + start, length - start);
	return number < count ? number : PROGRAM_OTHERS;
}

void program_called(unsigned int id, word path)
{
	char text[PATH_MAX];
	long length = executive_read_text(text, sizeof(text), path);

	called[id] = (uint8_t)(length < 0 ? PROGRAM_OTHERS : program_of(text, (size_t)length));
}

unsigned int program_executed(unsigned int id)
{
	executes[id] = called[id];
	called[id] = PROGRAM_OTHERS;
	return executes[id];
}

unsigned int program_started(unsigned int id, word maker)
{
	const bool known = maker && maker <= LIMPET_GUESTS_MAX;

	called[id] = PROGRAM_OTHERS;
	executes[id] = known ? executes[maker - 1] : PROGRAM_OTHERS;
	return executes[id];
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/image.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <client/device.h>

#define VARIABLE "LIMPET_SYSTEM"

static const char *choice;

void system_choose(const char *word)
{
	choice = word;
}

const char *system_choice(void)
{
	const char *word = choice ? choice : getenv(VARIABLE);

	return word && *word ? word : NULL;
}

void system_choice_export(void)
{
	if (choice)
		setenv(VARIABLE, choice, 1);
}

static bool choice_number(uint32_t *id)
{
	long number;

	if (!text_number(system_choice(), 0, LIMPET_SYSTEMS_MAX - 1, &number))
		return false;
	*id = (uint32_t)number;
	return true;
}

bool linux_is_reloaded(int fd)
{
	struct limpet_ioc_info info;

	return !limpet_info(fd, &info) && info.mode == LIMPET_MODE_BENEATH &&
	       info.kept == LIMPET_KEPT_RELOAD;
}

void system_name(int fd, char *name)
{
	struct image image = { 0 };
	unsigned char *bytes;
	size_t size;

	if (!limpet_image_records(fd, &bytes, &size))
		image_take(&image, bytes, size);
	snprintf(name, LIMPET_NAME_MAX, "%s", image_system_name(&image));
	image_close(&image);
}

/* Returns the id of the only system with a name, -ENODEV or -ENOTUNIQ. */
static int name_find(int fd, const char *name)
{
	char other[LIMPET_NAME_MAX];
	int found = -ENODEV;

	for (uint32_t id = 0; id < LIMPET_SYSTEMS_MAX; id++) {
		if (limpet_select(fd, id))
			continue;
		system_name(fd, other);
		if (strcmp(name, other))
			continue;
		if (found >= 0)
			return -ENOTUNIQ;
		found = (int)id;
	}
	return found;
}

static int choice_select(int fd)
{
	struct limpet_ioc_info info;
	uint32_t id;
	int found;

	if (!system_choice()) {
		found = limpet_info(fd, &info);
		if (!found && info.state != LIMPET_STATE_EMPTY)
			limpet_select(fd,
				      info.id); /* the id stays valid if another system starts */
		return found == -ENOTUNIQ ? found : 0; /* later calls report other errors again */
	}
	if (choice_number(&id))
		return limpet_select(fd, id);
	found = name_find(fd, system_choice());
	return found < 0 ? found : limpet_select(fd, (uint32_t)found);
}

int system_open(void)
{
	int fd = limpet_open();
	int error = fd < 0 ? 0 : choice_select(fd);

	if (!error)
		return fd;
	close(fd);
	return error;
}

int system_id(uint32_t *id)
{
	int fd, found;

	*id = LIMPET_SYSTEM_ANY;
	if (!system_choice() || choice_number(id))
		return 0;
	fd = limpet_open();
	if (fd < 0)
		return fd;
	found = name_find(fd, system_choice());
	close(fd);
	if (found < 0)
		return found;
	*id = (uint32_t)found;
	return 0;
}

struct log_names log_names_of(uint32_t id)
{
	struct log_names names = { LOG_NAME, LOG_NAME ".1" };

	if (!id)
		return names;
	snprintf(names.now, sizeof(names.now), LOG_NAME "@%" PRIu32, id);
	snprintf(names.old, sizeof(names.old), LOG_NAME "@%" PRIu32 ".1", id);
	return names;
}

/* Selects the log of id 0 if the device cannot be opened, or the module is missing. */
int system_log_names(struct log_names *names)
{
	struct limpet_ioc_info info = { 0 };
	uint32_t id;
	int fd, error = system_id(&id);

	if (!error && id == LIMPET_SYSTEM_ANY) {
		fd = limpet_open();
		error = fd < 0 ? 0 : limpet_info(fd, &info);
		if (fd >= 0)
			close(fd);
		id = info.id;
		error = error == -ENOTUNIQ ? error : 0;
	}
	*names = log_names_of(error ? 0 : id);
	return error;
}

int systems_each(int (*each)(int fd, void *to), void *to)
{
	int fd = limpet_open(), result = 0;

	if (fd < 0)
		return fd;
	for (uint32_t id = 0; id < LIMPET_SYSTEMS_MAX && !result; id++)
		if (!limpet_select(fd, id))
			result = each(fd, to);
	close(fd);
	return result;
}

struct words {
	char text[512];
	size_t length;
};

static int words_add(int fd, void *to)
{
	struct limpet_ioc_info info;
	struct words *words = to;
	char name[LIMPET_NAME_MAX];
	int more;

	if (limpet_info(fd, &info))
		return 0;
	system_name(fd, name);
	more = snprintf(words->text + words->length, sizeof(words->text) - words->length,
			"%s%u (%s, host process %d)", words->length ? ", " : "", info.id, name,
			info.host_pid);
	if (more > 0 && words->length + (size_t)more < sizeof(words->text))
		words->length += (size_t)more;
	return 0;
}

int system_report(int error)
{
	struct words words = { .length = 0 };

	if (error == -ENOTUNIQ || (error == -ENODEV && system_choice()))
		systems_each(words_add, &words);
	if (error == -ENOTUNIQ && system_choice())
		return report(
			"Several systems are named '%s'. Choose one by its number with limpet --system: %s",
			system_choice(), words.text);
	if (error == -ENOTUNIQ)
		return report("Several systems run. Choose one with limpet --system: %s",
			      words.text);
	if (error == -ENODEV && system_choice())
		return report("No system '%s' runs. %s%s", system_choice(),
			      words.length ? "These systems run: "
					   : "Start one with `limpet run IMAGE`.",
			      words.text);
	return report_no_device(error);
}

void system_channel_name(char *name, const char *what, uint32_t id, unsigned int cpu)
{
	if (id)
		snprintf(name, LIMPET_NAME_MAX, "%s.%u@%u", what, cpu, id);
	else
		snprintf(name, LIMPET_NAME_MAX, "%s.%u", what, cpu);
}

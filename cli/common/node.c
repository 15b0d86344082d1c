// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cli/common/node.h>
#include <cli/common/text.h>

#define FOLDER "limpet/"
#define FIFO "rtf"
#define DRIVER "limpet"				 /* start of the names in /proc/devices */
#define GUEST_MEMORY "anon_inode:[limpet-guest]" /* host/linux/guest/map.c */

static bool text_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Returns whether this is the name of a node in /dev. */
static bool name_fits(const char *name)
{
	const char *number = name + strlen(FIFO);

	if (text_begins(name, FOLDER))
		return true;
	return text_begins(name, FIFO) && *number && strspn(number, "0123456789") == strlen(number);
}

bool node_has_name(const char *name)
{
	return !strcmp(name, GUEST_MEMORY);
}

/* Linux knows the name of each device that exists. */
static bool name_is_known(const char *root, dev_t number)
{
	static const char key[] = "\nDEVNAME=";
	char path[64], text[1024];
	char *name;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/uevent", major(number), minor(number));
	if (!text_read(root, path, text, sizeof(text)))
		return false;
	name = strstr(text, key);
	if (!name)
		return false;
	name += strlen(key);
	name[strcspn(name, "\n")] = 0;
	return name_fits(name);
}

/* Linux gives the major number of miscellaneous devices to many modules. Others belong to one module. */
static bool major_is_own(const char *root, unsigned int wanted)
{
	char text[8192], name[32];
	char *rest, *line;
	unsigned int number;

	if (!text_read(root, "/proc/devices", text, sizeof(text)))
		return false;
	for (line = strtok_r(text, "\n", &rest); line && strcmp(line, "Block devices:");
	     line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%u %31s", &number, name) == 2 && number == wanted &&
		    text_begins(name, DRIVER))
			return true;
	return false;
}

bool node_has_number(const char *root, dev_t number)
{
	return name_is_known(root, number) || major_is_own(root, major(number));
}

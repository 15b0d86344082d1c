// SPDX-License-Identifier: BSD-2-Clause
#include "sandbox.h"

#include <runtime/memory.h>

/* Returns the beginning of the last component of the first `length` bytes. */
static size_t last_component(const char *path, size_t length)
{
	while (length && path[length - 1] != '/')
		length--;
	return length;
}

static bool is_parent(const char *component, size_t length)
{
	return length == 2 && component[0] == '.' && component[1] == '.';
}

/* Adds a component. The kept text is never longer than the text that was read, so the component moves to the front. */
static size_t component_add(char *path, size_t length, size_t from, size_t size)
{
	if (length && path[length - 1] != '/')
		path[length++] = '/';
	memmove(path + length, path + from, size);
	return length + size;
}

/* Removes the last component for a `..`, or keeps the `..` if a relative path leads upwards. Returns the length. */
static size_t parent_take(char *path, size_t length, size_t from)
{
	size_t last = last_component(path, length);

	if (path[0] == '/')
		return last > 1 ? last - 1 : 1;
	if (!length || is_parent(path + last, length - last))
		return component_add(path, length, from, 2);
	return last ? last - 1 : 0;
}

size_t path_normalise(char *path)
{
	size_t length = path[0] == '/', at = 0, from = 0;
	bool folder = false; /* the path ends with / or /. */

	while (path[at]) {
		while (path[at] == '/')
			at++;
		for (from = at; path[at] && path[at] != '/';)
			at++;
		folder = at == from || (at - from == 1 && path[from] == '.');
		if (folder)
			continue;
		if (is_parent(path + from, at - from))
			length = parent_take(path, length, from);
		else
			length = component_add(path, length, from, at - from);
	}
	if (!length && at)
		path[length++] = '.';
	if (folder && length < at && path[length - 1] != '/')
		path[length++] = '/';
	path[length] = 0;
	return length;
}

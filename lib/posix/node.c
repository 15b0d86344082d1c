// SPDX-License-Identifier: BSD-2-Clause
#include <channel/name.h>
#include <runtime/archive.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <linux/stat.h>

#include "clock.h"
#include "map.h"
#include "node.h"
#include "posix.h"

#define MADE_MAX (256 + LIMPET_INFO_CHANNELS) /* nodes in addition to those of the ramdisk */
#define PATH_LENGTH_MAX 4096

struct node *nodes;
uint32_t nodes_count;

/* --- nodes */

static struct node *node_free(void)
{
	for (uint32_t i = 0; i < nodes_count; i++)
		if (!nodes[i].kind)
			return &nodes[i];
	return NULL;
}

/* Returns whether a node has a name. Upper case and '_' count as lower case and '-' in a name of a channel. */
static bool is_named(const struct node *node, const char *name, size_t length)
{
	if (node->length != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (node->name[i] != (node->shared ? channel_name_letter(name[i]) : name[i]))
			return false;
	return true;
}

static struct node *child_find(const struct node *folder, const char *name, size_t length)
{
	for (uint32_t i = 0; i < nodes_count; i++)
		if (nodes[i].kind && nodes[i].linked && nodes[i].parent == folder &&
		    is_named(&nodes[i], name, length))
			return &nodes[i];
	return NULL;
}

static struct node *node_add(struct node *folder, const char *name, size_t length,
			     enum node_kind kind)
{
	struct node *node = node_free();

	if (node)
		*node = (struct node){ .kind = (uint8_t)kind,
				       .linked = true,
				       .parent = folder,
				       .name = name,
				       .length = (uint32_t)length,
				       .mode = kind == NODE_FOLDER ? 0555 : 0444 };
	return node;
}

/* Returns the folder `name` of /. Makes it if the ramdisk does not have it. */
static struct node *folder_of_root(const char *name)
{
	struct node *found = child_find(nodes, name, strlen(name));

	return found ? found : node_add(nodes, name, strlen(name), NODE_FOLDER);
}

static void entries_add(const uint8_t *archive, uint64_t size)
{
	struct archive_entry entry;
	struct path path;
	char text[PATH_LENGTH_MAX];

	for (uint64_t at = 0; archive_read(archive, size, &at, &entry);) {
		struct node *node;

		if (entry.length >= sizeof(text))
			continue;
		memcpy(text, entry.name, entry.length);
		text[entry.length] = 0;
		if (path_find(nodes, text, &path) || path.node)
			continue;
		node = node_add(path.folder, entry.name + (path.name - text), path.length,
				entry.folder ? NODE_FOLDER : NODE_FILE);
		node->data = (uint8_t *)(uintptr_t)entry.data;
		node->size = entry.size;
	}
}

bool nodes_setup(const uint8_t *archive, uint64_t size)
{
	static const struct {
		const char *name;
		enum node_kind kind;
	} devices[] = {
		{ "null", NODE_NULL },
		{ "zero", NODE_ZERO },
		{ "random", NODE_RANDOM },
		{ "urandom", NODE_RANDOM },
		/* Real-time programs keep it open and write a 0. Linux controls the processor's idle states. */
		{ "cpu_dma_latency", NODE_NULL },
	};
	struct archive_entry entry;
	struct node *folder, *shared;

	nodes_count = MADE_MAX;
	for (uint64_t at = 0; archive_read(archive, size, &at, &entry);)
		nodes_count++;
	nodes = pages_get(nodes_count * sizeof(*nodes));
	if (!nodes)
		return false;
	node_add(nodes, "", 0, NODE_FOLDER); /* its own parent, because /.. is / */
	nodes->linked = false;
	nodes->uses = 1;
	entries_add(archive, size);
	folder = folder_of_root("dev");
	/* shm_open() and sem_open() use files in it. The ramdisk can have this folder, too. */
	shared = child_find(folder, "shm", 3);
	if (!shared)
		shared = node_add(folder, "shm", 3, NODE_FOLDER);
	shared->writable = true;
	shared->mode = 01777;
	for (unsigned int i = 0; i < array_size(devices); i++)
		node_add(folder, devices[i].name, strlen(devices[i].name), devices[i].kind)->mode =
			0666;
	folder = folder_of_root("tmp");
	folder->writable = true;
	folder->mode = 01777;
	return true;
}

/* --- paths */

static size_t part_length(const char *text)
{
	size_t length = 0;

	while (text[length] && text[length] != '/')
		length++;
	return length;
}

static struct node *path_step(struct node *folder, const char *name, size_t length)
{
	if (length == 1 && name[0] == '.')
		return folder;
	if (length == 2 && name[0] == '.' && name[1] == '.')
		return folder->parent;
	return child_find(folder, name, length);
}

long path_find(struct node *from, const char *text, struct path *path)
{
	struct node *at = *text == '/' ? nodes : from;

	if (!*text)
		return -ENOENT;
	*path = (struct path){ .folder = at, .node = at, .entry = at, .name = ".", .length = 1 };
	for (;;) {
		path->slash = *text == '/';
		while (*text == '/')
			text++;
		if (!*text)
			return path->slash && path->node && path->node->kind != NODE_FOLDER
				       ? -ENOTDIR
				       : 0;
		if (!path->node)
			return -ENOENT;
		if (path->node->kind != NODE_FOLDER)
			return -ENOTDIR;
		path->folder = path->node;
		path->name = text;
		path->length = part_length(text);
		path->entry = path_step(path->folder, text, path->length);
		path->node = path->entry && path->entry->kind == NODE_LINK ? path->entry->target
									   : path->entry;
		text += path->length;
	}
}

long node_name(struct node *node, const char *name, size_t length)
{
	if (length > NODE_NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(node->own_name, name, length);
	node->name = node->own_name;
	node->length = (uint32_t)length;
	return 0;
}

long node_make(const struct path *path, enum node_kind kind, uint16_t mode, struct node **node)
{
	if (path->length > NODE_NAME_MAX)
		return -ENAMETOOLONG;
	if (path->slash && kind != NODE_FOLDER)
		return -ENOENT;
	if (!path->folder->writable)
		return -EROFS;
	*node = node_add(path->folder, "", 0, kind);
	if (!*node)
		return -ENOSPC;
	(*node)->writable = true;
	(*node)->mode = mode;
	(*node)->changed = (*node)->accessed = clock_real_ns();
	return node_name(*node, path->name, path->length);
}

bool folder_empty(const struct node *folder)
{
	for (uint32_t i = 0; i < nodes_count; i++)
		if (nodes[i].kind && nodes[i].linked && nodes[i].parent == folder)
			return false;
	return true;
}

static void node_drop(struct node *node)
{
	if (node->linked || node->links || node->uses)
		return;
	if (node->capacity)
		pages_put(node->data, node->capacity);
	node->kind = NODE_NONE;
}

void node_put(struct node *node)
{
	node->uses--;
	node_drop(node);
}

void node_unlink(struct node *entry)
{
	struct node *node = entry;

	if (entry->kind == NODE_LINK) {
		node = entry->target;
		node->links--;
		entry->kind = NODE_NONE;
	} else {
		node->linked = false;
	}
	node_drop(node);
}

long node_link(struct node *node, const struct path *path)
{
	struct node *entry;
	long status = node_make(path, NODE_LINK, 0, &entry);

	if (status)
		return status;
	entry->target = node;
	node->links++;
	return 0;
}

/* Doubles the reserved bytes, so all copies of a growing file have together at most twice its size. */
static long node_grow(struct node *node, uint64_t size)
{
	uint64_t capacity = node->capacity ? node->capacity : LIMPET_PAGE;
	uint8_t *data;

	while (capacity < size)
		capacity *= 2;
	if (capacity == node->capacity)
		return 0;
	if (node->maps)
		return -ENOSPC;
	data = pages_get(capacity);
	if (!data)
		return -ENOSPC;
	memcpy(data, node->data, node->size);
	if (node->capacity)
		pages_put(node->data, node->capacity);
	node->data = data;
	node->capacity = capacity;
	return 0;
}

long node_reserve(struct node *node, uint64_t size)
{
	return size <= node->capacity ? 0 : node_grow(node, size);
}

static long shared_resize(struct node *node, uint64_t size)
{
	if (size > node->size)
		return -EFBIG;
	if (!size)
		memset(node->data, 0, node->size);
	node->changed = clock_real_ns();
	return 0;
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + LIMPET_PAGE - 1) & ~(LIMPET_PAGE - 1ul);
}

/*
 * Makes pages of a mapped file accessible that are no longer beyond its end, or inaccessible that are now. In the second
 * case the pages stay accessible if the memory manager refuses it. They are zero then, so no content is lost.
 */
static void end_move(const struct node *node, uint64_t size)
{
	const uint64_t before = whole_pages(node->size), after = whole_pages(size);

	if (after > before)
		pages_show(node->data + before, after - before);
	else if (after < before && node->maps)
		pages_limit(node->data + after, before - after, 0, 0);
}

long node_resize(struct node *node, uint64_t size)
{
	long status = 0;

	if (size > INT64_MAX / 4)
		return -EFBIG;
	if (node->shared)
		return shared_resize(node, size);
	if (size > node->capacity)
		status = node_grow(node, size);
	if (status)
		return status;
	if (size < node->size)
		memset(node->data + size, 0, node->size - size);
	end_move(node, size);
	node->size = size;
	node->changed = clock_real_ns();
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves files from memory that the reader attaches. They are copied there from the RAM disk once.
 * A path that is empty or ends with a / names the folder's index.html.
 */
#include <runtime/archive.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <http/store.h>

#define FILES_MAX 64
#define PAGES_MAX 256 /* pages of one allocation */

static const char index_name[] = "index.html";

struct file {
	const char *name;
	size_t length;
	const uint8_t *data;
	size_t size, at; /* at: address in the memory of bodies */
};

static struct file files[FILES_MAX];
static unsigned int files_count;
static bool found; /* number of the folder's files, including those that do not fit */
static size_t bytes;
static struct http_store store;

static void file_refuse(const struct archive_entry *entry)
{
	char name[64] = { 0 };

	memcpy(name, entry->name, entry->length < sizeof(name) ? entry->length : sizeof(name) - 1);
	limpet_print(
		"%s is not served, because there is space for only %u files and %u KiB. Make the "
		"ramdisk smaller, or name a folder of it.\n",
		name, FILES_MAX, PAGES_MAX * (LIMPET_PAGE / 1024));
}

static void file_add(const struct archive_entry *entry, const char *folder)
{
	size_t skip = strlen(folder);

	if (entry->folder || entry->length <= skip || memcmp(entry->name, folder, skip) != 0 ||
	    (skip && entry->name[skip] != '/'))
		return;
	found = true;
	skip += skip > 0;
	if (files_count == FILES_MAX || entry->size > PAGES_MAX * (size_t)LIMPET_PAGE - bytes) {
		file_refuse(entry);
		return;
	}
	files[files_count++] = (struct file){ .name = entry->name + skip,
					      .length = entry->length - skip,
					      .data = entry->data,
					      .size = entry->size,
					      .at = bytes };
	bytes += entry->size;
}

long component_init(const struct limpet_info *info)
{
	const uint8_t *archive = (const uint8_t *)info->ramdisk;
	const char *folder = limpet_arg_text(info, "folder", "");
	struct archive_entry entry;

	for (uint64_t at = 0; archive && archive_read(archive, info->ramdisk_size, &at, &entry);)
		file_add(&entry, folder);
	if (*folder && !found)
		limpet_print(
			"folder '%s': The ramdisk has no file in it, so no file is served. Name "
			"one of its folders, without a / at either end.\n",
			folder);
	return LIMPET_OK;
}

long content_serve_open(word badge, word reader, word wanted, struct content_open_results *out)
{
	long status = http_store_open(&store, badge, reader, wanted, bytes ? bytes : 1, out);

	for (unsigned int i = 0; i < files_count && !status; i++)
		memcpy((char *)store.bodies + files[i].at, files[i].data, files[i].size);
	return status;
}

static const struct file *file_find(const char *path, size_t length)
{
	for (unsigned int i = 0; i < files_count; i++)
		if (files[i].length == length && !memcmp(files[i].name, path, length))
			return &files[i];
	return NULL;
}

long content_serve_find(word badge, word slot, word length, struct content_find_results *out)
{
	char path[HTTP_PATH_SIZE + sizeof(index_name)];
	const struct file *file;
	long status = http_store_check(&store, badge, slot, length);

	if (status)
		return status;
	memcpy(path, store.paths[slot], length);
	if (!length || path[length - 1] == '/') {
		memcpy(path + length, index_name, sizeof(index_name));
		length += sizeof(index_name) - 1;
	}
	file = file_find(path, length);
	if (!file)
		return LIMPET_ENOENT;
	out->body = (word)store.bodies + file->at;
	out->size = file->size;
	out->live = 0;
	return LIMPET_OK;
}

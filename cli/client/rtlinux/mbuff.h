/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mbuff.h of RTLinux for Linux programs: buffers that the system file declares in [[mbuff]], docs/reference/fifo.md.
 * The whole library is in this header.
 *
 * mbuff_alloc() maps the buffer `name` and returns its address, or NULL with errno: ENOENT: no system that has the
 * buffer is loaded. ENXIO: the component has not been made yet. EACCES: the permissions of the node. EIO: the buffer is
 * smaller than `size` bytes. EMFILE: MBUFF_MAX_MMAPS buffers are mapped. Any number of processes can map a buffer.
 * Upper case and '_' in the name count as lower case and '-'. A second call for the same name returns the same address.
 * mbuff_free() ends one use, the last one unmaps the buffer; other names and addresses are ignored. mbuff_attach() and
 * mbuff_detach() do the same. A process uses these functions from one thread at a time.
 *
 * The component and other components can write the buffer at any time. When the system ends, a mapping reads as zero.
 */
#ifndef RTLINUX_MBUFF_H
#define RTLINUX_MBUFF_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <limpet/node.h>

#define MBUFF_NAME_LEN 32
#define MBUFF_MAX_MMAPS 16

struct mbuff_mapping {
	char name[MBUFF_NAME_LEN];
	char *memory; /* the channel with its header; NULL: unused */
	size_t size;  /* bytes of the mapping */
	unsigned int uses;
};

/* The program has one copy of this table, even if several source files include this header. */
__attribute__((weak)) struct mbuff_mapping mbuff_mappings[MBUFF_MAX_MMAPS];

/* Stores the name in the form of system files. Returns 0, or -1 if it is too long. */
static inline int mbuff_name(char *to, const char *name)
{
	size_t length = strlen(name);

	if (length >= MBUFF_NAME_LEN)
		return -1;
	for (size_t i = 0; i <= length; i++)
		to[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A')
			       : name[i] == '_'			? '-'
								: name[i]);
	return strchr(to, '/') ? -1 : 0;
}

/* Maps the node. Returns 0, or -1 with errno. */
static inline int mbuff_map(struct mbuff_mapping *mapping)
{
	char path[sizeof(LIMPET_NODES) + MBUFF_NAME_LEN];
	struct limpet_node_info info;
	void *memory = MAP_FAILED;
	int fd, error;

	snprintf(path, sizeof(path), LIMPET_NODES "%s", mapping->name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!ioctl(fd, LIMPET_NODE_INFO, &info)) {
		errno = ENODEV;
		if (info.mode == LIMPET_CHANNEL_SHARED)
			memory = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	error = errno;
	close(fd);
	errno = error;
	if (memory == MAP_FAILED)
		return -1;
	mapping->memory = (char *)memory;
	mapping->size = info.size;
	return 0;
}

static inline void mbuff_use_end(struct mbuff_mapping *mapping)
{
	if (--mapping->uses)
		return;
	munmap(mapping->memory, mapping->size);
	mapping->memory = NULL;
}

static inline struct mbuff_mapping *mbuff_find(const char *name)
{
	for (int i = 0; i < MBUFF_MAX_MMAPS; i++)
		if (mbuff_mappings[i].memory && !strcmp(mbuff_mappings[i].name, name))
			return &mbuff_mappings[i];
	return NULL;
}

static inline struct mbuff_mapping *mbuff_unused(void)
{
	for (int i = 0; i < MBUFF_MAX_MMAPS; i++)
		if (!mbuff_mappings[i].memory)
			return &mbuff_mappings[i];
	return NULL;
}

static inline void *mbuff_alloc(const char *name, int size)
{
	char own[MBUFF_NAME_LEN];
	struct mbuff_mapping *mapping;

	if (mbuff_name(own, name ? name : "default")) {
		errno = ENOENT;
		return NULL;
	}
	mapping = mbuff_find(own);
	if (!mapping) {
		mapping = mbuff_unused();
		if (!mapping) {
			errno = EMFILE;
			return NULL;
		}
		memcpy(mapping->name, own, sizeof(own));
		if (mbuff_map(mapping))
			return NULL;
		mapping->uses = 0;
	}
	mapping->uses++;
	if (size < 0 || (size_t)size > mapping->size - LIMPET_CHANNEL_PAGE) {
		mbuff_use_end(mapping);
		errno = EIO;
		return NULL;
	}
	return mapping->memory + LIMPET_CHANNEL_PAGE;
}

static inline void mbuff_free(const char *name, void *memory)
{
	char own[MBUFF_NAME_LEN];
	struct mbuff_mapping *mapping = NULL;

	if (!mbuff_name(own, name ? name : "default"))
		mapping = mbuff_find(own);
	if (mapping && mapping->memory + LIMPET_CHANNEL_PAGE == (char *)memory)
		mbuff_use_end(mapping);
}

static inline void *mbuff_attach(const char *name, int size)
{
	return mbuff_alloc(name, size);
}

static inline void mbuff_detach(const char *name, void *memory)
{
	mbuff_free(name, memory);
}

#endif

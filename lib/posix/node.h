/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of files: the ramdisk's under /, read-only and where they lie in it; a few devices under
 * /dev; and what the program makes under /tmp, in memory. All functions: with file_lock().
 */
#ifndef POSIX_NODE_H
#define POSIX_NODE_H

#include <runtime/types.h>

#define NODE_NAME_MOST 63 /* characters of a name that the program gives */

enum node_kind {
	NODE_NONE = 0,
	NODE_FOLDER,
	NODE_FILE,
	NODE_NULL,
	NODE_ZERO,
	NODE_RANDOM,
	NODE_LINK
};

struct node {
	uint8_t kind;
	bool writable;	 /* it, or what is in it */
	bool linked;	 /* it has a name; else it goes with the last who has it open */
	uint16_t mode;	 /* permission bits */
	uint16_t uses;	 /* open files, and being the current folder */
	uint16_t links;	 /* further names: nodes of kind NODE_LINK */
	uint16_t maps;	 /* shared mappings: its data stays where it is */
	uint32_t length; /* of the name */
	struct node *parent;
	struct node *target; /* NODE_LINK: the file that has this name, too */
	const char *name;    /* without a final 0 */
	char own_name[NODE_NAME_MOST];
	uint8_t *data;
	uint64_t size, room;
	uint64_t changed, accessed; /* real time, ns */
};

/* A path, resolved as far as its last part: `node` is NULL when there is no such one in `folder`. */
struct path {
	struct node *folder;
	struct node *node;
	struct node *entry; /* has its name: the node, or a NODE_LINK */
	const char *name;   /* of the last part */
	size_t length;
};

/* The tree of a ramdisk (cpio archive, newc), or an empty one; false: no memory. */
bool nodes_setup(const uint8_t *archive, uint64_t size);
/* All nodes, free ones too: for folders' contents, and as a file's number. */
extern struct node *nodes;
extern uint32_t nodes_count;

/* Resolves a path that begins at folder `from`, or at / when it says so: 0, -ENOENT, -ENOTDIR, -ENAMETOOLONG. */
long path_find(struct node *from, const char *text, struct path *path);
/* A node for the name that path_find() did not find: 0, -EROFS, -ENAMETOOLONG, -ENOSPC. */
long node_make(const struct path *path, enum node_kind kind, uint16_t mode, struct node **node);
/* Gives a node another name: 0, -ENAMETOOLONG. */
long node_name(struct node *node, const char *name, size_t length);
/* Gives a file one more name, which path_find() did not find: as node_make(). */
long node_link(struct node *node, const struct path *path);
bool folder_empty(const struct node *folder);
/* Ends the use of a node; frees it when it has neither name nor use. */
void node_put(struct node *node);
/* Removes the name of a path's entry. Frees the file if that was its last name and it is not in use. */
void node_unlink(struct node *entry);
/* Makes a file so long, with zeros: 0, -ENOSPC. */
long node_resize(struct node *node, uint64_t size);
/* Reserves memory for `size` bytes of a file without making it longer, also if it is mapped. Returns 0 or -ENOSPC. */
long node_reserve(struct node *node, uint64_t size);

#endif

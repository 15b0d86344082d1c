/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of files. Files of the ramdisk are under /, read-only and in place. A few devices are under /dev. Files that
 * the program creates are under /tmp, in memory. All functions require file_lock().
 */
#ifndef POSIX_NODE_H
#define POSIX_NODE_H

#include <runtime/types.h>

#define NODE_NAME_MAX 63 /* characters of a name that the program gives */

enum node_kind {
	NODE_NONE = 0,
	NODE_FOLDER,
	NODE_FILE,
	NODE_NULL,
	NODE_ZERO,
	NODE_RANDOM,
	NODE_FIFO,
	NODE_LINK
};

struct pipe;

struct node {
	uint8_t kind;
	bool writable; /* the file, or the contents of the folder, can be changed */
	bool linked;   /* it has a name; otherwise the last close frees it */
	bool shared; /* its data are the memory of a channel, which keeps its name, size and address */
	uint16_t mode;	 /* permission bits */
	uint16_t uses;	 /* number of open files, plus 1 for the current folder */
	uint16_t links;	 /* number of further names, which are nodes of kind NODE_LINK */
	uint16_t maps;	 /* number of shared mappings; its data do not move while it is not 0 */
	uint32_t length; /* of the name */
	struct node *parent;
	struct node *target; /* NODE_LINK: the file that has this name, too */
	const char *name;    /* without a final 0 */
	char own_name[NODE_NAME_MAX];
	struct pipe *pipe; /* NODE_FIFO: while it is open */
	uint8_t *data;
	uint64_t size, capacity;    /* bytes of the file, and reserved bytes */
	uint64_t changed, accessed; /* real time, ns */
};

/* A path that is resolved up to its last part. `node` is NULL if `folder` does not contain that part. */
struct path {
	struct node *folder;
	struct node *node;
	struct node *entry; /* has its name: the node, or a NODE_LINK */
	const char *name;   /* of the last part */
	size_t length;
	bool slash; /* the last part ends with a slash, so that it can only be a folder */
};

/* Makes the tree of a ramdisk (cpio archive, newc), or an empty tree. Returns false if no memory is left. */
bool nodes_setup(const uint8_t *archive, uint64_t size);
/* All nodes, including free ones. The index of a node is the number of its file. */
extern struct node *nodes;
extern uint32_t nodes_count;

/* Resolves an absolute path, or a path relative to `from`. Returns 0, -ENOENT, -ENOTDIR or -ENAMETOOLONG. */
long path_find(struct node *from, const char *text, struct path *path);
/* Makes a node for a name that path_find() did not find. Returns 0, -EROFS, -ENAMETOOLONG, -ENOENT or -ENOSPC. */
long node_make(const struct path *path, enum node_kind kind, uint16_t mode, struct node **node);
/* Gives a node another name. Returns 0 or -ENAMETOOLONG. */
long node_name(struct node *node, const char *name, size_t length);
/* Gives a file another name, which path_find() did not find. Returns the same values as node_make(). */
long node_link(struct node *node, const struct path *path);
/* Returns whether a folder contains no files and folders. */
bool folder_empty(const struct node *folder);
/* Ends a use of a node. Frees the node if it has no name and no other use. */
void node_put(struct node *node);
/* Removes the name of a path's entry. Frees the file if that was its last name and it is not in use. */
void node_unlink(struct node *entry);
/*
 * Sets the length of a file, and fills new parts with zeros. Returns 0, -EFBIG or -ENOSPC. The length of a shared file
 * does not change: 0 zeroes its memory, another length up to its own has no effect, and a larger one returns -EFBIG.
 */
long node_resize(struct node *node, uint64_t size);
/* Reserves memory for `size` bytes of a file without making it longer, also if it is mapped. Returns 0 or -ENOSPC. */
long node_reserve(struct node *node, uint64_t size);

#endif

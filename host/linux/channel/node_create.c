// SPDX-License-Identifier: GPL-2.0
/* Creates, finds and removes the nodes of channels. */
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <host/linux/channel/node.h>

#define MINORS (LIMPET_SYSTEMS_MAX * LIMPET_CPUS_MAX * CHANNELS_MAX)

/*
 * Protects the tables of nodes. Each open waits for this lock, so it is not held while Linux makes or removes a device:
 * Linux waits there for processes that list /dev/limpet.
 */
static DEFINE_MUTEX(nodes_lock);
static DEFINE_IDR(nodes); /* by minor number */
static DEFINE_HASHTABLE(names, 8);
static int major;

/* Returns a node with a reference to its channel, or NULL: it was removed. */
static struct node *node_get(unsigned int minor)
{
	struct node *node;

	mutex_lock(&nodes_lock);
	node = idr_find(&nodes, minor);
	if (node)
		kref_get(&node->channel->refs);
	mutex_unlock(&nodes_lock);
	return node;
}

static int node_open(struct inode *inode, struct file *file)
{
	struct node *node = node_get(iminor(inode));
	int error = node ? node_join(node, file) : -ENODEV;

	if (error) {
		if (node)
			host_channel_put(node->channel);
		return error;
	}
	/* The module has a reference of the file, and is the owner of all these operations. */
	file->f_op = node->channel->mode == LIMPET_CHANNEL_FIFO ? &fifo_operations
								: &node_operations;
	return stream_open(inode, file);
}

static const struct file_operations opening = { .owner = THIS_MODULE, .open = node_open };

/* --- created and removed */

static char *node_mode(DEVNODE_CONST struct device *device, umode_t *mode)
{
	const struct node *node = dev_get_drvdata(device);

	if (mode)
		*mode = node->channel->access;
	return NULL; /* the device's name is the path */
}

static struct class class = { .name = "limpet", .devnode = node_mode };

int host_channels_init(void)
{
	int error = class_register(&class);

	if (error)
		return error;
	major = __register_chrdev(0, 0, MINORS, "limpet", &opening);
	error = min(major, 0) ?: register_netdevice_notifier(&network_changes);
	if (error)
		host_channels_exit();
	return error;
}

/* Linux accepts the removal of what was not registered. */
void host_channels_exit(void)
{
	unregister_netdevice_notifier(&network_changes);
	__unregister_chrdev(major, 0, MINORS, "limpet");
	class_unregister(&class);
}

/*
 * Gives the node a minor number and its name. Linux prints a warning with a backtrace for a name that exists already, so
 * this looks first.
 */
static int node_enter(struct node *node)
{
	const u32 key = jhash(node->path, strlen(node->path), 0);
	const struct node *other;
	int error = 0;

	mutex_lock(&nodes_lock);
	hash_for_each_possible(names, other, name, key)
		if (!strcmp(other->path, node->path))
			error = -EEXIST;
	node->minor = error ?: idr_alloc(&nodes, node, 0, MINORS, GFP_KERNEL);
	if (node->minor >= 0)
		hash_add(names, &node->name, key);
	mutex_unlock(&nodes_lock);
	return min(node->minor, 0);
}

int node_create(struct host_channel *channel)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	int error;

	if (!node)
		return -ENOMEM;
	node->channel = channel;
	mutex_init(&node->lock);
	node_wait_init(node);
	tap_init(&node->tap, channel);
	snprintf(node->path, sizeof(node->path),
		 channel->mode == LIMPET_CHANNEL_FIFO ? "%s" : "limpet/%s", channel->name);
	channel->node = node;
	channel->wake = node_wake;
	error = node_enter(node);
	if (error)
		return error;
	node->device =
		device_create(&class, NULL, MKDEV(major, node->minor), node, "%s", node->path);
	error = PTR_ERR_OR_ZERO(node->device);
	if (error)
		node_end(channel);
	return error;
}

/* A holder of one of the locks, or of the channel, can still use the memory. */
void node_end(struct host_channel *channel)
{
	struct node *node = channel->node;

	if (!IS_ERR(node->device))
		device_unregister(node->device);
	mutex_lock(&nodes_lock); /* now another device can have the name */
	hash_del(&node->name);
	idr_remove(&nodes, node->minor);
	mutex_unlock(&nodes_lock);
	mutex_lock(&node->lock);
	mutex_lock(&node->tap.lock);
	WRITE_ONCE(channel->ended, true);
	mutex_unlock(&node->tap.lock);
	mutex_unlock(&node->lock);
	node_wake(channel);
}

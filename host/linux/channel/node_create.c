// SPDX-License-Identifier: GPL-2.0
/* Creates and removes the nodes of channels. */
#include <linux/slab.h>

#include <host/linux/channel/node.h>

static DEFINE_MUTEX(names_lock);
static LIST_HEAD(named);

/* Linux prints a warning with a backtrace for a name that exists already, so this looks first. */
static int name_register(struct node *node)
{
	const struct node *other;
	int error = 0;

	mutex_lock(&names_lock);
	list_for_each_entry(other, &named, list)
		if (!strcmp(other->path, node->path))
			error = -EEXIST;
	if (!error)
		error = misc_register(&node->misc);
	if (!error)
		list_add(&node->list, &named);
	mutex_unlock(&names_lock);
	return error;
}

static void name_remove(struct node *node)
{
	misc_deregister(&node->misc);
	mutex_lock(&names_lock);
	list_del(&node->list);
	mutex_unlock(&names_lock);
}

int node_create(struct host_channel *c)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	const bool fifo = c->mode == LIMPET_CHANNEL_FIFO;

	if (!node)
		return -ENOMEM;
	node->channel = c;
	mutex_init(&node->lock);
	node_wait_init(node);
	tap_init(&node->tap, c);
	snprintf(node->path, sizeof(node->path), fifo ? "%s" : "limpet/%s", c->name);
	node->misc = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = node->path,
		.nodename = node->path,
		.mode = c->access,
		.fops = fifo ? &fifo_operations : &node_operations,
	};
	c->node = node;
	c->wake = node_wake;
	return name_register(node);
}

/* A holder of one of the locks, or of the channel, can still use the memory. */
void node_end(struct host_channel *c)
{
	struct node *node = c->node;

	name_remove(node);
	mutex_lock(&node->lock);
	mutex_lock(&node->tap.lock);
	WRITE_ONCE(c->ended, true);
	mutex_unlock(&node->tap.lock);
	mutex_unlock(&node->lock);
	node_wake(c);
}

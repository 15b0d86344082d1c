// SPDX-License-Identifier: GPL-2.0
/*
 * Waits at a node, and wake-ups. A wake-up runs in the place of a component, or with interrupts disabled. So its cost
 * must not depend on processes: it wakes at most LIMPET_NODE_SLEEPERS threads itself. A work item wakes pollers,
 * because a poller can be an epoll instance that others watch.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include <host/linux/channel/node.h>
#include <host/linux/compat.h>

void node_wake(struct host_channel *channel)
{
	struct node *node = channel->node;

	if (READ_ONCE(node->carried))
		tap_wake(&node->tap);
	rcu_read_lock_sched(); /* keeps the tasks that sleep, and costs less than rcu_read_lock() */
	for (unsigned int i = 0; i < ARRAY_SIZE(node->sleeper); i++) {
		struct task_struct *sleeper = READ_ONCE(node->sleeper[i]);

		if (sleeper)
			wake_up_process(sleeper);
	}
	rcu_read_unlock_sched();
	if (waitqueue_active(&node->pollers))
		queue_work(system_dfl_wq, &node->poll_wake);
}

static void pollers_wake(struct work_struct *work)
{
	wake_up_all(&container_of(work, struct node, poll_wake)->pollers);
}

void node_wait_init(struct node *node)
{
	init_waitqueue_head(&node->pollers);
	INIT_WORK(&node->poll_wake, pollers_wake);
}

/*
 * Requests an event of the other side for these conditions. A process that has mapped the channel
 * also writes this word.
 */
static void sleeping_set(struct limpet_end *end, u32 what)
{
	__atomic_fetch_or(&end->self->sleeping, what, __ATOMIC_SEQ_CST);
}

void node_sleeping_clear(struct host_channel *channel, u32 what)
{
	u32 *sleeping = &channel->end.self->sleeping;
	bool was_set;

	if (!host_channel_hold(channel))
		return;
	was_set = READ_ONCE(*sleeping) & what;
	if (was_set)
		__atomic_fetch_and(sleeping, ~what, __ATOMIC_SEQ_CST);
	host_channel_let_go();
	if (was_set)
		node_wake(channel);
}

static bool is_worth_waking(const struct node_session *session, u32 what)
{
	bool is = true;

	if (host_channel_hold(session->channel)) {
		sleeping_set(&session->channel->end, what);
		is = node_is_ready(session, what);
		host_channel_let_go();
	}
	return is;
}

/* Waits as wait_event_interruptible() does, but without a queue, which would be most of the cost. */
static int sleep_on(const struct node_session *session, u32 what, ktime_t *until)
{
	bool over = false;
	int error = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (is_worth_waking(session, what))
			break;
		if (over || signal_pending(current)) {
			error = over ? -EAGAIN : -ERESTARTSYS;
			break;
		}
		if (until)
			over = !schedule_hrtimeout_range(until, 0, HRTIMER_MODE_ABS);
		else
			schedule();
	}
	__set_current_state(TASK_RUNNING);
	return error;
}

static struct task_struct **sleeper_place(struct node *node)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(node->sleeper); i++)
		if (!cmpxchg(&node->sleeper[i], NULL, current))
			return &node->sleeper[i];
	return NULL;
}

int node_wait(const struct node_session *session, u32 what, ktime_t *until)
{
	struct task_struct **place = sleeper_place(session->node);
	int error;

	if (!place)
		return -EBUSY;
	error = sleep_on(session, what, until);
	WRITE_ONCE(*place, NULL);
	node_sleeping_clear(session->channel, what);
	return error;
}

/* --- poll */

/* Called with the lock. */
static bool has_space(struct node *node)
{
	unsigned int count = 0;
	struct list_head *at;

	spin_lock_irq(&node->pollers.lock);
	list_for_each(at, &node->pollers.head) count++;
	spin_unlock_irq(&node->pollers.lock);
	return count < LIMPET_NODE_WATCHES;
}

/* Called with the lock. */
static __poll_t look(const struct node_session *session, __poll_t wanted)
{
	struct host_channel *channel = session->channel;
	const bool fifo = channel->mode == LIMPET_CHANNEL_FIFO;
	__poll_t is;

	if (channel->ended || (!fifo && host_channel_stops(channel) != session->stops))
		return EPOLLHUP | EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;
	if (!fifo && !session->node->mapped && !session->node->carried &&
	    node_peer_started(session))
		node_connect(session);
	is = node_readiness(session);
	if (is & wanted)
		return is;
	sleeping_set(&channel->end,
		     (wanted & EPOLLOUT ? LIMPET_SLEEP_SPACE : 0) | LIMPET_SLEEP_DATA);
	return node_readiness(session);
}

__poll_t node_poll(struct file *file, struct poll_table_struct *wait)
{
	const struct node_session *session = file->private_data;
	struct node *node = session->node;
	__poll_t is = EPOLLERR;

	mutex_lock(&node->lock);
	if (poll_only_asks(wait) || has_space(node)) {
		poll_wait(file, &node->pollers, wait);
		is = look(session, poll_requested_events(wait));
	}
	mutex_unlock(&node->lock);
	return is;
}

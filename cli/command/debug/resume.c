// SPDX-License-Identifier: GPL-2.0
/* vCont;ACTION[:THREAD]... The leftmost action that concerns a thread is its action. */
#include <string.h>

#include <cli/command/debug/remote.h>

#define SIGNAL_INT 2
#define SIGNAL_TRAP 5

struct action {
	char what;	     /* c, C, s or S */
	uint64_t signal;     /* signal of C and S */
	unsigned int thread; /* 0: all */
};

static bool action_take(const char **at, struct action *action)
{
	uint64_t thread = 0;

	*action = (struct action){ 0 };
	if (!char_take(at, ';') || !**at || !strchr("cCsS", **at))
		return false;
	action->what = *(*at)++;
	if ((action->what == 'C' || action->what == 'S') && !number_take(at, &action->signal))
		return false;
	if (!char_take(at, ':'))
		return true;
	if (char_take(at, '-')) /* -1: all */
		return number_take(at, &thread);
	if (!number_take(at, &thread) || thread > TARGET_THREADS_MAX)
		return false;
	action->thread = (unsigned int)thread;
	return true;
}

/* A signal that is a fault makes the thread crash, as without a debugger. */
static bool crashes(const struct action *action)
{
	return (action->what == 'C' || action->what == 'S') && action->signal != SIGNAL_INT &&
	       action->signal != SIGNAL_TRAP;
}

static long action_do(struct remote *remote, const struct action *action, bool others)
{
	const struct target *target = &remote->target;
	const unsigned int thread = action->thread ? action->thread : remote->thread;

	if (crashes(action))
		return target->go(target->to, thread, TARGET_CRASH);
	if (action->what == 's' || action->what == 'S')
		return target->go(target->to, thread, TARGET_STEP);
	return target->go(target->to, others ? 0 : action->thread, TARGET_CONTINUE);
}

bool threads_resume(struct remote *remote, const char *at)
{
	struct action action, later;
	bool others = false;

	if (!action_take(&at, &action)) {
		reply_status(remote, -1);
		return true;
	}
	while (*at) {
		if (!action_take(&at, &later)) {
			reply_status(remote, -1);
			return true;
		}
		others = true;
	}
	if (action_do(remote, &action, others) < 0) {
		reply_status(remote, -1);
		return true;
	}
	remote->running = true;
	remote->polls = 0;
	return false;
}

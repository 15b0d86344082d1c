// SPDX-License-Identifier: BSD-2-Clause
#include <executive/linux.h>
#include <executive/space.h>
#include <guest/numbers.h>
#include <limpet/limits.h>
#include <runtime/component.h>
#include <runtime/time.h>

#define PR_SET_PDEATHSIG 1
#define WAIT_ALL 0x40000000ul /* __WALL: also for children without an exit signal */
#define WAIT_NOT 1ul	      /* WNOHANG */
#define LOOK_MS 20	      /* period in which a creator checks that its new process lives */
#define SYSCALL_SIZE 2
#define NONE 0xffffffffu

/*
 * All events come on one CPU, but Linux can switch to another guest at any instruction. Therefore the state of a space
 * changes only by state_change(), from a mark that was read before the data on which the change depends. The mark has a
 * generation, so a change fails if the space was freed and given to another program meanwhile. A guest's call makes
 * each change once, because its handler commits the answer first, at the start of the call and after each wait.
 */
enum state {
	FREE,
	MADE, /* its process has not made its first call */
	HELD,
	TAKEN, /* another guest is about to change it */
	DUE,   /* was switched to */
	RUNS,
	ENDED, /* its process has ended, and its creator knows its number */
	STATES = 8
};

static struct space {
	uint32_t mark;	  /* state + STATES * generation */
	uint32_t doomed;  /* must be killed when it is held */
	uint32_t root;	  /* the first space of its program */
	uint32_t creator; /* NONE: it is the first space, or its creator has ended */
	uint32_t maker;	  /* 1 + the guest that forks, or has forked, its process */
	uint32_t guest;	  /* 1 + id; 0: not known yet, or ended */
	uint32_t asked;	  /* its process has made its first call */
	bool tied;	  /* its process ends together with its creator */
	bool sought;	  /* its creator's wait4() checks whether the process has ended */
	word pid;	  /* as its creator knows it; 0: not known yet */
	word start[3];	  /* entry, stack, argument; entry = 0: it has started */
	long from;	  /* results of its switch */
	word value;
} spaces[SPACES_MAX];

/* The spaces of a guest, by the guest's id. */
static uint32_t space_of[LIMPET_GUESTS_MAX]; /* 1 + space, or 0 */
static uint32_t affected[LIMPET_GUESTS_MAX]; /* 1 + the space that its call makes or destroys, or 0 */

static word number;
static unsigned int count;

static uint32_t mark_of(const struct space *space)
{
	return __atomic_load_n(&space->mark, __ATOMIC_ACQUIRE);
}

static enum state state_in(uint32_t mark)
{
	return mark % STATES;
}

static enum state state_of(const struct space *space)
{
	return state_in(mark_of(space));
}

/* Returns false if the state has changed since `mark`. */
static bool state_change(struct space *space, uint32_t mark, enum state to)
{
	return __atomic_compare_exchange_n(&space->mark, &mark, mark - mark % STATES + to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Returns the mark. The caller must be the space's own guest, or a guest for which it is TAKEN or MADE. */
static uint32_t state_set(struct space *space, enum state to)
{
	while (!state_change(space, mark_of(space), to))
		;
	return mark_of(space);
}

/*
 * Takes a space that can be switched to. Returns false if it cannot, or was freed since `mark`. Its own guest can
 * change it from MADE to HELD at any time.
 */
static bool take(struct space *space, uint32_t mark)
{
	const uint32_t generation = mark / STATES;

	while (mark / STATES == generation && (state_in(mark) == HELD || state_in(mark) == MADE)) {
		if (state_change(space, mark, TAKEN))
			return true;
		mark = mark_of(space);
	}
	return false;
}

static uint32_t number_of(const struct space *space)
{
	return (uint32_t)(space - spaces);
}

/* Returns the guest's space, or NULL. */
static struct space *own(unsigned int id)
{
	return space_of[id] ? &spaces[space_of[id] - 1] : NULL;
}

/*
 * Returns whether the space was abandoned: its creator was killed while it made the space, and its process has not
 * started. Usually the process does not exist.
 */
static bool is_left(const struct space *space, uint32_t mark)
{
	return state_in(mark) == MADE && space->doomed && space->creator == NONE && !space->guest;
}

/* Returns a new space, or NULL. If `left` is set, reuses an abandoned space instead of a free one. */
static struct space *space_take(uint32_t creator, const word start[3], bool left)
{
	for (struct space *space = spaces; space < spaces + count; space++) {
		const uint32_t mark = mark_of(space);

		if (left ? !is_left(space, mark) : state_in(mark) != FREE)
			continue;
		if (!state_change(space, mark, TAKEN + STATES))
			continue;
		space->creator = creator;
		space->root = creator == NONE ? number_of(space) : spaces[creator].root;
		space->doomed = space->guest = space->maker = space->asked = 0;
		space->tied = space->sought = false;
		space->pid = 0;
		for (unsigned int i = 0; i < 3; i++)
			space->start[i] = start[i];
		return space;
	}
	return NULL;
}

static struct space *space_new(uint32_t creator, const word start[3])
{
	struct space *space = space_take(creator, start, false);

	return space ? space : space_take(creator, start, true);
}

/* Returns another space of the caller's program, with its mark, or NULL. */
static struct space *other(const struct space *me, word space, uint32_t *mark)
{
	struct space *memory = space < count ? &spaces[space] : NULL;

	if (!memory || memory == me)
		return NULL;
	*mark = mark_of(memory);
	return state_in(*mark) != FREE && memory->root == me->root ? memory : NULL;
}

void space_init(word call, unsigned int max)
{
	number = call;
	count = max < SPACES_MAX ? max : SPACES_MAX;
}

/* --- held, and switched to */

static bool doomed(const struct space *space)
{
	return __atomic_load_n(&space->doomed, __ATOMIC_ACQUIRE);
}

static void doom(struct space *space)
{
	__atomic_store_n(&space->doomed, 1, __ATOMIC_RELEASE);
	if (space->guest)
		executive_wake(space->guest - 1);
}

/* Makes a taken space the next one to run. Returns false if the space has ended meanwhile. */
static bool make_due(struct space *space, long from, word value)
{
	const uint32_t mark = mark_of(space);

	space->from = from;
	space->value = value;
	return state_in(mark) == TAKEN && state_change(space, mark, DUE);
}

/* Runs the space, which is due. A new space starts its program. Changes nothing if the guest has already continued. */
static struct executive_answer run(struct space *space, uint32_t mark)
{
	if (!executive_register_commit(LIMPET_GUEST_RDX, space->value))
		return executive_again();
	if (space->start[0]) {
		executive_continue_at(space->start[0], space->start[1], space->start[2]);
		executive_register_set(LIMPET_GUEST_RSI, (word)space->from);
	}
	if (!state_change(space, mark, RUNS))
		return executive_again();
	space->start[0] = 0;
	return executive_served(space->from);
}

/* Holds the guest until its space is due. First wakes guest `wake` - 1. */
static struct executive_answer hold(struct space *space, uint32_t wake)
{
	long status = LIMPET_OK;

	for (;; wake = 0) {
		const uint32_t mark = mark_of(space);

		if (doomed(space))
			return executive_killed(LINUX_SIGKILL);
		if (!wake && state_in(mark) == DUE)
			return run(space, mark);
		if (status == LIMPET_EINTR || status == LIMPET_ESTATE)
			return executive_again();
		status = limpet_call_guest_wait(LIMPET_NEVER, 0, 0, wake);
	}
}

static struct executive_answer switch_to(struct space *me, word space, word value)
{
	uint32_t mark;
	struct space *to = other(me, space, &mark);

	if (state_of(me) != RUNS) /* a signal has ended the wait */
		return hold(me, 0);
	if (!to)
		return executive_served(-LINUX_ENOENT);
	if (!take(to, mark))
		return executive_served(-LINUX_EBUSY);
	mark = state_set(me, HELD);
	if (!make_due(to, number_of(me), value) && state_change(me, mark, RUNS))
		return executive_served(-LINUX_EBUSY);
	return hold(me, to->guest);
}

/* --- created */

/*
 * Returns the guest's space. Creates the first space of its program if the guest has no space. Returns NULL if no space
 * is free.
 */
static struct space *own_or_first(unsigned int id)
{
	static const word started[3];
	struct space *space = own(id);

	if (space)
		return space;
	space = space_new(NONE, started);
	if (!space)
		return NULL;
	space->guest = id + 1;
	space_of[id] = number_of(space) + 1;
	state_set(space, RUNS);
	return space;
}

static bool is_start(const struct space *space, const word start[3])
{
	return space->start[0] == start[0] && space->start[1] == start[1] &&
	       space->start[2] == start[2];
}

/*
 * Holds the guest until the new process has made its first call, so that another process cannot be mistaken for it, and
 * a crash of the executive cannot make it continue as a copy of its creator. A process that is killed before that makes
 * no event BEGIN if all handler threads are busy. So the guest periodically checks for its end.
 */
static struct executive_answer start_await(unsigned int id, struct space *space)
{
	const word look[6] = { space->pid, 0, WAIT_ALL | WAIT_NOT };
	const word time = limpet_time() + LOOK_MS * limpet_info()->ticks_per_ms;

	space->sought = false;
	while (state_of(space) == MADE && !__atomic_load_n(&space->asked, __ATOMIC_ACQUIRE)) {
		const long status = executive_hold(time, 0);

		if (status == LIMPET_EINTR || status == LIMPET_ESTATE)
			return executive_again();
		if (status == LIMPET_ETIME) {
			const struct executive_answer answer =
				executive_linux(GUEST_CALL_wait4, look);

			space->sought = answer.operation == LIMPET_GUEST_PASS_RESULT;
			return answer;
		}
	}
	if (!executive_commit())
		return executive_again();
	affected[id] = 0;
	return executive_served(number_of(space));
}

/* Makes Linux fork. space_begin() handles the new process. */
static struct executive_answer create(unsigned int id, const word start[3])
{
	static const word fork[6];
	struct space *own, *space = affected[id] ? &spaces[affected[id] - 1] : NULL;

	if (space && space->pid && space->maker == id + 1 && is_start(space, start))
		return start_await(id, space); /* Linux has forked, and then a signal came */

	if (!start[0] || start[0] >= LIMPET_USER_END || start[1] >= LIMPET_USER_END)
		return executive_served(-LINUX_EINVAL);
	own = own_or_first(id);
	space = own ? space_new(number_of(own), start) : NULL;
	if (!space)
		return executive_served(-LINUX_EAGAIN);
	affected[id] = number_of(space) + 1;
	space->maker = id + 1;
	state_set(space, MADE);
	return executive_linux(GUEST_CALL_clone, fork);
}

static struct executive_answer created(unsigned int id, struct space *space, word result,
				       bool interrupted)
{
	if ((long)result > 0) {
		space->pid = result;
		return start_await(id, space);
	}
	affected[id] = 0;
	state_set(space, FREE);
	return interrupted ? executive_passed() : executive_served((long)result);
}

/* Handles the result of wait4() for the new process. The process has ended if wait4() returned it or ECHILD. */
static struct executive_answer sought(unsigned int id, struct space *space, word result)
{
	const uint32_t mark = mark_of(space);

	if (result != space->pid && (long)result != -LINUX_ECHILD)
		return start_await(id, space);
	if (state_in(mark) != MADE || space->guest || !state_change(space, mark, FREE))
		return start_await(id, space);
	affected[id] = 0;
	return executive_served(-LINUX_EAGAIN);
}

/*
 * Returns the first space behind `after` (NULL: of all) that guest `id` creates and whose process has not started, or
 * NULL.
 */
static struct space *coming(unsigned int id, struct space *after)
{
	for (struct space *space = after ? after + 1 : spaces; space < spaces + count; space++)
		if (state_of(space) == MADE && !space->guest && space->maker == id + 1)
			return space;
	return NULL;
}

/* Returns the space of a new process, or NULL if another call has created the process. */
static struct space *space_made(unsigned int maker)
{
	const word start[3] = { executive_register(LIMPET_GUEST_RSI),
				executive_register(LIMPET_GUEST_RDX),
				executive_register(LIMPET_GUEST_R10) };
	struct space *space = coming(maker, NULL);

	while (space &&
	       !(executive_register(LIMPET_GUEST_RDI) == SPACE_CREATE && is_start(space, start)))
		space = coming(maker, space);
	return space;
}

/*
 * The new process makes its creator's call once more, as its first one, with another argument. An earlier guest with
 * this id may have been killed before it has forked.
 */
void space_begin(unsigned int id, word maker)
{
	struct space *space;

	while ((space = coming(id, NULL)))
		state_set(space, FREE);
	affected[id] = space_of[id] = 0;
	space = maker && maker <= LIMPET_GUESTS_MAX ? space_made((unsigned int)maker - 1) : NULL;
	if (!space || !executive_commit())
		return;
	space_of[id] = number_of(space) + 1;
	__atomic_store_n(&space->guest, id + 1, __ATOMIC_RELEASE);
	executive_register_set(LIMPET_GUEST_RIP,
			       executive_register(LIMPET_GUEST_RIP) - SYSCALL_SIZE);
	executive_register_set(LIMPET_GUEST_RAX, number);
	executive_register_set(LIMPET_GUEST_RDI, SPACE_START);
}

static struct executive_answer start(struct space *me)
{
	static const word tie[6] = { PR_SET_PDEATHSIG, LINUX_SIGKILL };
	uint32_t mark;

	if (!me || !me->start[0])
		return executive_killed(LINUX_SIGKILL);
	if (!me->asked) {
		__atomic_store_n(&me->asked, 1, __ATOMIC_RELEASE);
		executive_wake(me->maker - 1);
	}
	if (!me->tied)
		return executive_linux(GUEST_CALL_prctl, tie);
	mark = mark_of(me);
	if (state_in(mark) == MADE)
		state_change(me, mark, HELD);
	return hold(me, 0);
}

/* --- ended */

static struct executive_answer destroy(unsigned int id, struct space *me, word space)
{
	uint32_t mark;
	struct space *memory = other(me, space, &mark);

	if (!memory || memory->creator != number_of(me))
		return executive_served(-LINUX_ENOENT);
	if (!doomed(memory) && state_in(mark) != ENDED && !take(memory, mark))
		return executive_served(-LINUX_EBUSY);
	doom(memory);
	affected[id] = number_of(memory) + 1;
	return executive_linux(GUEST_CALL_wait4, (const word[6]){ memory->pid, 0, WAIT_ALL });
}

/* Ends a space without its creator. Linux kills the process, too, unless it is not tied to its creator yet. */
static void creator_ended(struct space *space)
{
	uint32_t mark;

	space->creator = NONE;
	mark = mark_of(space);
	if (state_in(mark) == ENDED)
		state_change(space, mark, FREE);
	else
		doom(space);
}

/*
 * If the program has waited for the process itself, the process does not exist any more. Its event END can come later,
 * and then frees the space.
 */
static struct executive_answer destroyed(struct space *space, word result, bool interrupted)
{
	if (interrupted)
		return executive_passed();
	if (result != space->pid && (long)result != -LINUX_ECHILD)
		return executive_served((long)result);
	space->root = NONE;
	creator_ended(space);
	return executive_served(0);
}

/* Lets the creator of an ended space run if it is held. The creator exists as long as the space refers to it. */
static void creator_run(const struct space *space, uint32_t mark, struct space *creator,
			word status)
{
	const uint32_t held = mark_of(creator);

	if (state_in(held) != HELD || mark_of(space) != mark ||
	    space->creator != number_of(creator) || !state_change(creator, held, TAKEN))
		return;
	if (make_due(creator, -LINUX_ECHILD, status))
		executive_wake(creator->guest - 1);
}

void space_end(unsigned int id, word status)
{
	struct space *space = own(id);
	uint32_t creator, mark;

	affected[id] = space_of[id] = 0;
	if (!space)
		return;
	for (struct space *child = spaces; child < spaces + count; child++)
		if (state_of(child) != FREE && child->creator == number_of(space))
			creator_ended(child);
	space->guest = 0;
	creator = space->creator;
	mark = state_set(space, ENDED);
	if (creator != NONE)
		creator_run(space, mark, &spaces[creator], status);
	if (__atomic_load_n(&space->creator, __ATOMIC_ACQUIRE) == NONE)
		state_change(space, mark, FREE);
}

/* --- calls */

struct executive_answer space_call(unsigned int id, word operation, word w1, word w2, word w3)
{
	struct space *me = own(id);

	if (!executive_commit())
		return executive_again();
	if (operation == SPACE_CREATE)
		return create(id, (const word[3]){ w1, w2, w3 });
	affected[id] = 0;
	if (operation == SPACE_START)
		return start(me);
	if (operation > SPACE_START)
		return executive_served(-LINUX_EINVAL);
	if (!me)
		return executive_served(-LINUX_ENOENT);
	return operation == SPACE_SWITCH ? switch_to(me, w1, w2) : destroy(id, me, w1);
}

struct executive_answer space_result(unsigned int id, word result, bool interrupted)
{
	struct space *space = affected[id] ? &spaces[affected[id] - 1] : NULL;

	if (space && !space->pid)
		return created(id, space, result, interrupted);
	if (space && space->sought)
		return interrupted ? executive_passed() : sought(id, space, result);
	affected[id] = 0;
	if (space)
		return destroyed(space, result, interrupted);
	space = own(id);
	if (!space || space->tied)
		return executive_again(); /* it was made by an executive that has crashed */
	space->tied = true;
	return start(space);
}

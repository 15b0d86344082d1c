/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests: unmodified Linux programs whose system calls, page faults and lifetimes go to a
 * component, their executive, first. Version 1. The first half is the contract between the kernel
 * and executives. The second half is the contract between Linux programs and /dev/limpet/guest.
 *
 * A guest is one Linux thread. It has an id, 0 to LIMPET_GUESTS_MAX - 1, which is free for another guest after the
 * event END. An executive has handler threads, which wait in GUEST_SERVE. An event takes one of them:
 *
 *   starts at   the address of GUEST_SERVE, with the stack pointer at the top of the thread's stack
 *   rax         LIMPET_GUEST_EVENT(kind, id)
 *   words       see enum limpet_guest_event
 *   ends with   GUEST_ANSWER; the thread then waits for the next event
 *
 * The handler executes in the guest's own Linux thread, in the executive's address space, as long
 * as it executes the executive's own code and makes only the calls GUEST_... and NOP. Any other
 * kernel call, an invocation and a fault move it to the CPU's host thread. There its scheduler runs
 * it by its priority, like other threads. The guest's Linux thread waits for the answer. A move
 * costs two switches of Linux.
 *
 * Vector registers, FS base and GS base are the guest's while the handler executes in the guest's Linux thread. The
 * handler must not use them. Unless it was moved, it must wait for other guests only by GUEST_WAIT.
 *
 * Executives can be stacked. The system file names the next executive of an executive. A guest that
 * starts at the first one has all of them, its chain of at most LIMPET_GUEST_CHAIN_MAX executives.
 * They handle an event one after another, so an executive holds no state of the event while another
 * one handles it:
 *
 *   CALL          goes to the first executive whose filter has the call. After PASS or PASS_RESULT
 *                 it goes to the next one whose filter has it, with the changed registers and
 *                 number, and after the last one to Linux. SERVE, KILL and AGAIN end it.
 *   RESULT        goes to each executive that has answered PASS_RESULT, the last one first, whether
 *                 Linux or a later executive has made the result. Each gets the result as changed
 *                 by the ones before, and the number that it got with CALL. If a later one answers
 *                 CALL or RESULT with AGAIN, the RESULT of the earlier ones is -EINTR with word 2 =
 *                 1, and the guest makes the call again as a new one unless an executive replaces
 *                 this result. Registers cannot be changed.
 *   BEGIN, EXEC   go to each executive in order, independent of the answers. Each reads and changes
 *                 the registers as changed by the ones before.
 *   END           goes to each executive in order.
 *   FAULT         goes to the executive that has made the range.
 *   SIGNAL        goes to each executive in order.
 *   EXCEPTION     goes to each executive in order whose filter has it, each with the guest's own
 *                 registers. SERVE and KILL end it.
 *   BREAK         goes to the first executive that wants it. GUEST_BREAK of the others fails with
 *                 LIMPET_ESTATE.
 *
 * If an executive has changed registers and a later one answers SERVE, the guest's own arguments
 * are restored, as after a call that Linux has carried out. RELEASE releases the guest from this
 * executive only, which then gets END as its last event. The guest and its children continue with
 * the others. When all have released it, it is an ordinary thread.
 *
 * An executive that crashes in its event gets the event again when it serves, with the same
 * registers. Executives before it do not get it again. Until then the guest waits, or continues
 * without the executive if it has LIMPET_GUEST_OPEN. If the executive crashes in the same event
 * again, the guest gets SIGKILL, and Linux's log has a line. Events are the same if their kind,
 * their first word and the guest's instruction are the same, also with signals in between. END is
 * not repeated.
 *
 * GUEST_WAIT, GUEST_WAKE and GUEST_FILTER concern the calling executive: wakes of another one do
 * not end its waits, and each has its own filter. GUEST_INFO, _WAKE and _BREAK accept all guests
 * that have the executive in their chain and were not released by it.
 */
#ifndef LIMPET_GUEST_H
#define LIMPET_GUEST_H

#include <stdint.h>
#include <limpet/limits.h>

#define LIMPET_GUEST_VERSION 1

#define LIMPET_GUEST_EVENT(kind, id) ((unsigned long)(kind) << 32 | (unsigned long)(id))
#define LIMPET_GUEST_KIND(event) ((unsigned int)((event) >> 32))
#define LIMPET_GUEST_ID(event) ((unsigned int)(event))

/*
 * Kinds of events. GUEST_SERVE selects by LIMPET_GUEST_WANTS(kind) those that the executive gets.
 * It always gets CALL. An executive that wants SIGNAL or EXCEPTION must select one of them before
 * its first guest starts.
 */
enum limpet_guest_event {
	/*
	 * The guest made a system call that its filter asks for. Words: 0 number (the low 32 bits of rax with their
	 * sign, as Linux reads it), 1 to 5 the first five arguments. The sixth one is register LIMPET_GUEST_R9 of
	 * GUEST_REGISTERS. Answers: all.
	 */
	LIMPET_GUEST_CALL = 1,
	/*
	 * Linux, or an executive behind this one, has carried out a call that was answered with PASS_RESULT. Words: 0
	 * number, 1 result, 2: 1 if a signal interrupted the call, so that Linux may start it again as a new call; the
	 * result is then -EINTR. Answers: SERVE replaces the result, PASS keeps it; KILL. AGAIN: the guest makes its
	 * own call again, as a new event. PASS_RESULT after a change of registers: Linux carries out the call that they
	 * describe, and RESULT comes again. If the answer comes too late, the result is kept, but an executive that has
	 * replaced the call by another number has committed itself: LIMPET_GUEST_COMMIT. A call that a tracer skips has a
	 * result, too. rt_sigreturn, a successful execve, and a call during which a tracer changes rip or rsp have no such
	 * event.
	 */
	LIMPET_GUEST_RESULT = 2,
	/*
	 * The guest touched a page of a range that GUEST_MAP made, for the first time or after GUEST_REVOKE. Words: 0
	 * address of the page, 1: 1 for a write. Answers: SERVE with the address in the executive of the page to map,
	 * and LIMPET_GUEST_PAGES for more than one; others end in SIGBUS, as a file that is too short.
	 */
	LIMPET_GUEST_FAULT = 3,
	/*
	 * A guest begins, before its first instruction. Words: 0 Linux's id of the thread, 1 of its process, 2: 1 + id
	 * of the guest that made it, or 0, 3: enum limpet_guest_origin. Answers: PASS, KILL, RELEASE.
	 */
	LIMPET_GUEST_BEGIN = 4,
	/* The guest executes another program, before its first instruction. Words and answers as for BEGIN. */
	LIMPET_GUEST_EXEC = 5,
	/*
	 * The guest has ended or was released. Words: 0 Linux's id of the thread, 1 of its process, 2 exit status as
	 * wait(2) has it, 3 to 5: if Linux has ended the process in this thread by the default action of a signal with
	 * that status, words 1 to 3 as SIGNAL has them, else 0. A process that another thread ends by SIGKILL, SIGTERM and
	 * other signals without a core dump is marked as ended when the signal is sent, so these words are 0 then. The
	 * guest is not there any more, so GUEST_COPY, _WAIT, _MAP and _REVOKE fail. Any answer. SIGKILL can end a guest
	 * while a handler thread handles an event. That thread continues without the guest, and END comes after its
	 * answer.
	 */
	LIMPET_GUEST_END = 6,
	/*
	 * The guest returns to its own program, and GUEST_BREAK has requested this event, or the
	 * guest has slept in Linux since its last return. With this event an executive can schedule
	 * its guests: the others wait in GUEST_WAIT. Words: 0: 1 if it has slept, 1: ticks that its
	 * thread has run. Answers: PASS, KILL, RELEASE. The event can also be spurious.
	 */
	LIMPET_GUEST_BREAK = 7,
	/*
	 * Linux has delivered a signal. If the guest has a handler for it, the signal frame is
	 * built, and the handler's first instruction is next. GUEST_REGISTERS then returns the
	 * handler's registers, so LIMPET_GUEST_RDX is the address of the interrupted program's
	 * ucontext_t. If the signal has stopped the process, the process has continued. A signal
	 * that is ignored, or that the guest takes by sigtimedwait() or a signalfd, makes no event.
	 * END reports a signal that ends the process. Words: 0 LIMPET_GUEST_SIGNAL_NUMBER(),
	 * _FATE() and _MISSED(); 1 LIMPET_GUEST_SIGNAL_CODE() and _ERROR(); 2 to 5 the 32 bytes of
	 * siginfo_t from offset 16 on, which contain an address, a sender or a timer. Answers:
	 * PASS, KILL, RELEASE. A signal cannot be suppressed, because Linux has removed it from its
	 * queue.
	 *
	 * Each delivered signal makes one event, in the order of delivery. RESULT of a call that it
	 * has interrupted comes before it. If several signals are pending, Linux builds the frame
	 * of the second on top of the first. The events come in the order of the frames, and the
	 * handler of the last one runs first.
	 */
	LIMPET_GUEST_SIGNAL = 8,
	/*
	 * The processor has raised an exception in the guest's program, for which Linux is about to
	 * send SIGILL, SIGTRAP, SIGBUS, SIGFPE or SIGSEGV, and the filter selects it
	 * (LIMPET_GUEST_FILTER_FAULTS). Page faults that Linux resolves make no event. Words: 0
	 * signal, 1 si_code, 2 si_addr, or 0 if that is unknown (si_code SI_KERNEL), 3 vector of
	 * the processor, 4 its error code. GUEST_REGISTERS reads and changes the registers of the
	 * faulting instruction. Answer SERVE: Linux sends no signal, and the guest continues with
	 * these registers. After other answers the registers are the guest's own. PASS: Linux
	 * delivers the signal, and SIGNAL or END follows. KILL. RELEASE: as PASS. If another signal
	 * must be delivered before the executive answers, and the instruction is executed again
	 * (not SIGTRAP, not vector 4), that signal is delivered first, and the event comes again.
	 *
	 * A guest with a tracer makes no event for SIGTRAP. If the process has blocked or ignored
	 * the signal, this setting is lost before the event, because Linux unblocks such a signal,
	 * and sets the default action. A signal that a program sends itself by a system call makes
	 * no event. A stack or signal frame that Linux cannot use makes one, with SI_KERNEL and the
	 * vector of an older exception.
	 */
	LIMPET_GUEST_EXCEPTION = 9,
	LIMPET_GUEST_EVENTS
};
#define LIMPET_GUEST_WANTS(kind) (1ul << (kind))

/* Words 0 and 1 of SIGNAL. _MISSED: events before this one that were dropped, because LIMPET_GUEST_SIGNALS waited. */
#define LIMPET_GUEST_SIGNAL_NUMBER(word) ((unsigned int)(word) & 0xff)
#define LIMPET_GUEST_SIGNAL_FATE(word)                                                             \
	((unsigned int)(word) >> 8 & 0xff) /* enum limpet_guest_fate */
#define LIMPET_GUEST_SIGNAL_MISSED(word) ((unsigned int)((word) >> 32))
#define LIMPET_GUEST_SIGNAL_CODE(word) ((int)(word))	      /* si_code */
#define LIMPET_GUEST_SIGNAL_ERROR(word) ((int)((word) >> 32)) /* si_errno */
/*
 * Events SIGNAL of one guest that can wait. More than one waits only after several stops in a row, or while no handler
 * thread is free for longer than a signal waits.
 */
#define LIMPET_GUEST_SIGNALS 8

enum limpet_guest_fate {
	LIMPET_GUEST_HANDLED = 1, /* the guest's handler runs */
	LIMPET_GUEST_STOPPED = 2, /* the signal had stopped the process, which has continued */
};

enum limpet_guest_origin {
	LIMPET_GUEST_BY_ENTER = 0,  /* the thread has called LIMPET_GUEST_IOC_ENTER */
	LIMPET_GUEST_BY_ATTACH = 1, /* LIMPET_GUEST_IOC_ATTACH */
	LIMPET_GUEST_BY_FORK = 2,   /* another guest made a process */
	LIMPET_GUEST_BY_THREAD = 3, /* another guest made a thread */
};

/* GUEST_ANSWER: operation, with value. */
enum limpet_guest_answer {
	LIMPET_GUEST_SERVE = 0,	      /* the call is done; value: its result */
	LIMPET_GUEST_PASS = 1,	      /* the next executive, or Linux, carries the call out */
	LIMPET_GUEST_PASS_RESULT = 2, /* as PASS, and the executive gets RESULT */
	LIMPET_GUEST_KILL = 3, /* the process of the guest ends by signal `value`, or by SIGKILL */
	/*
	 * The guest continues without this executive. Without any executive it is an ordinary
	 * thread. A call is carried out.
	 */
	LIMPET_GUEST_RELEASE = 4,
	LIMPET_GUEST_AGAIN =
		5, /* a signal has ended a wait: it is delivered, and the call is made again */
	LIMPET_GUEST_ANSWERS
};
/* Operation of an answer to FAULT: maps `count` pages, 1 to 64, from the one that was touched. */
#define LIMPET_GUEST_PAGES(count) (LIMPET_GUEST_SERVE | (unsigned long)(count) << 8)

/*
 * GUEST_REGISTERS(first, change, value, value, value) reads and changes registers first to first +
 * 2 of the guest, by the numbers of FAULT_READ. If bit n of `change` is set, register first + n
 * gets value n. Words 0 to 2 return the registers before the change. Changes of the arguments (rdi
 * rsi rdx r10 r8 r9) or the number (rax) of a passed call are undone after Linux has carried it
 * out, so that the guest has its own values again. Registers can be changed in CALL and EXCEPTION;
 * in RESULT unless the guest has several executives, or a signal or a tracer comes before it
 * continues; and in EXEC and in BEGIN of a child, whose program starts with them. In other events a
 * change fails with LIMPET_ESTATE. BEGIN, EXEC, SIGNAL and EXCEPTION return the guest's registers
 * at that time, other events those of its last call.
 *
 * Bit LIMPET_GUEST_COMMIT of `change` makes the answer to this event count. Without it the guest waits
 * for an answer for at most 100 ms if a signal, a tracer or the freezer wants it. Then the guest takes
 * the signal, the answer is dropped, and a call is sent again as a new event. With the bit the guest
 * waits. If the answer takes two more seconds, the guest gets SIGKILL, and Linux's log has a line. The
 * bit holds until the answer or the next GUEST_WAIT. So an executive commits itself before it makes a
 * change that it must make only once. LIMPET_ESTATE: the guest has not waited, and the answer is
 * dropped. RESULT of a call that the executive has replaced by another number is committed from its
 * beginning.
 */
#define LIMPET_GUEST_COMMIT 8ul
#define LIMPET_GUEST_RAX 0
#define LIMPET_GUEST_RDX 3
#define LIMPET_GUEST_RSI 4
#define LIMPET_GUEST_RDI 5
#define LIMPET_GUEST_RSP 7
#define LIMPET_GUEST_R8 8
#define LIMPET_GUEST_R9 9
#define LIMPET_GUEST_R10 10
#define LIMPET_GUEST_RIP 16

/* GUEST_INFO(guest, what): selects the returned words. */
enum limpet_guest_what {
	LIMPET_GUEST_NAMES = 0, /* 0: Linux's id of the thread, 1: of its process */
	LIMPET_GUEST_USE = 1, /* 0: ticks that the thread has run, 1: 1 while it sleeps in Linux */
	/*
	 * 0: current time stamp, 1, 2: the guest's CLOCK_MONOTONIC and CLOCK_REALTIME at that time,
	 * in ns. Only for the guest of the event.
	 */
	LIMPET_GUEST_CLOCKS = 2,
};

enum limpet_guest_copy {
	LIMPET_GUEST_READ = 0,	/* from the guest to the executive */
	LIMPET_GUEST_WRITE = 1, /* from the executive to the guest */
};

/*
 * A filter has a bit for each system call by its number. If it is set, the call goes to the
 * executive. Each executive of a chain has its own filter. A call that is in no filter goes to
 * Linux directly. The last bit is for all other numbers and for 32-bit system calls (int 0x80,
 * SYSCALL in compatibility mode). If it is set, they fail with ENOSYS. SYSENTER always fails with
 * SIGSEGV, because an executive could execute it, too. One more word is for the event EXCEPTION. Its
 * bit n selects the exceptions for which Linux sends signal n. Other bits of it are ignored.
 */
#define LIMPET_GUEST_CALL_WORDS 8
#define LIMPET_GUEST_FILTER_REST (LIMPET_GUEST_CALL_WORDS * 64 - 1)
#define LIMPET_GUEST_FILTER_FAULTS LIMPET_GUEST_CALL_WORDS /* index of that word */
#define LIMPET_GUEST_FILTER_WORDS (LIMPET_GUEST_CALL_WORDS + 1)

/*
 * /dev/limpet/guest. Programs also include <sys/ioctl.h>. Every call returns 0 or more, or -1 with
 * errno.
 */
#define LIMPET_GUEST_DEVICE "/dev/limpet/guest"
#define LIMPET_GUEST_ANY 0xffffffffu /* in place of an executive: the only first one */

/* Flags of ENTER and ATTACH. Children that are guests inherit them. */
/*
 * Children and threads do not become guests. A program that the guest executes is not a guest,
 * except the first after ENTER.
 */
#define LIMPET_GUEST_ALONE 1u
/*
 * When the system ends, the guest continues as an ordinary process. While its executive cannot take
 * calls, they go to Linux. Without this flag the guest gets SIGKILL when the system ends, and its
 * calls wait for the executive.
 */
#define LIMPET_GUEST_OPEN 2u

/*
 * ENTER makes the calling thread a guest, also after the descriptor is closed. `pid` is ignored. It
 * needs no privilege except to open the device. Without CAP_SYS_ADMIN the thread gets no_new_privs,
 * so that an executive that its user has chosen cannot control a program with other rights.
 *
 * ATTACH makes all threads of process `pid` guests when they next return to user level, and also
 * the threads and processes that these create before that. Threads that are guests already do not
 * change, and host threads do not become guests. It needs CAP_SYS_PTRACE.
 *
 * A guest runs on the CPU of its executive. The filter is that of the executive that `component`
 * names. The executives after it start with a filter of all calls. Errors:
 *
 *   ENODEV    no system, or not the named one, is loaded
 *   ENOENT    the system has no such executive, or that one or one after it does not serve yet
 *   ENOTUNIQ  LIMPET_GUEST_ANY, and the system has several first executives; or LIMPET_SYSTEM_ANY,
 *             and several systems are loaded
 *   EBUSY     the calling thread, or the first thread of the process, is a guest already, or the
 *             process has guests of another system
 *   EMFILE    LIMPET_GUESTS_MAX guests exist; some threads may then be attached
 *   EDQUOT    LIMPET_GUESTS_OF_USER guests count for the thread's real user, who is not root; some
 *             threads may then be attached. A guest counts for the user that it was a guest of first,
 *             and a child for the user of its parent
 *   ECANCELED ENTER: another process has released the thread before it was a guest
 *   ENOMEM    memory is short
 *   EXDEV     the thread must not run on the executive's CPU
 *   EINVAL    unknown flags
 *   ESRCH     ATTACH: the process does not exist
 *   EPERM     ATTACH: the caller has no CAP_SYS_PTRACE, or the process is a thread of the kernel
 */
struct limpet_guest_enter {
	uint32_t pid;
	uint32_t component; /* index of the first executive in the image, or LIMPET_GUEST_ANY */
	uint32_t flags;
	uint32_t system; /* id of the system that has the executive, or LIMPET_SYSTEM_ANY: the only one */
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
};

/*
 * FILTER sets the filter of the first executive for all guests of process `pid`. RELEASE sets an
 * empty filter, and releases the guests when they are next on their way to user level. Both need
 * CAP_SYS_PTRACE. ESRCH: the process does not exist. ENOENT: it has no guests. EPERM: the caller
 * has no CAP_SYS_PTRACE.
 */
struct limpet_guest_filter {
	uint32_t pid;
	uint32_t reserved; /* 0 */
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS];
};

enum limpet_guest_state {
	LIMPET_GUEST_FREE = 0,	 /* its own program runs, or it is in Linux */
	LIMPET_GUEST_INSIDE = 1, /* its executive handles an event */
	LIMPET_GUEST_WAITS = 2,	 /* its executive waits in GUEST_WAIT */
	LIMPET_GUEST_MOVED = 3,	 /* a thread of the system handles its event */
	LIMPET_GUEST_QUEUED = 4, /* an event of it waits for a handler thread or its executive */
};

struct limpet_guest_info {
	uint32_t pid,
		tid; /* Linux's ids in the caller's namespace; 0: it is not in the namespace */
	uint32_t id;
	uint32_t cpu;	    /* of the system */
	uint32_t component; /* index of the first executive; the image names the others */
	uint32_t flags;
	uint32_t state;	 /* enum limpet_guest_state */
	uint32_t system; /* id of its system */
	uint64_t calls;	 /* number of events CALL of all its executives */
	uint64_t others; /* number of other events */
	uint64_t parked; /* number of interrupts that arrived while the executive had the CPU */
	uint64_t moved;	 /* number of events that moved to the host thread */
	uint64_t filter[LIMPET_GUEST_FILTER_WORDS]; /* calls that an executive gets */
};

/*
 * LIST copies records of the guests with ids from `first` on, in order, at most `count`. Returns
 * the number of records in `buffer`, or 0 if there are no more guests, or no system is loaded. A
 * caller without CAP_SYS_PTRACE gets only the guests of its own user. Guests that begin or end
 * meanwhile can be missing. EFAULT: `buffer` is not writable.
 */
struct limpet_guest_list {
	uint64_t buffer; /* address of struct limpet_guest_info[count] */
	uint32_t first, count;
};

#define LIMPET_GUEST_IOC_ENTER _IOW('g', 1, struct limpet_guest_enter)
#define LIMPET_GUEST_IOC_ATTACH _IOW('g', 2, struct limpet_guest_enter)
#define LIMPET_GUEST_IOC_RELEASE _IO('g', 3) /* argument: the process */
#define LIMPET_GUEST_IOC_FILTER _IOW('g', 4, struct limpet_guest_filter)
#define LIMPET_GUEST_IOC_LIST _IOW('g', 5, struct limpet_guest_list)

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the requests of `limpet guest` to the module, and its reactions to the answers. It is
 * linked with --wrap=ioctl and --wrap=open, so that the test answers for the devices. Commands run
 * in separate processes, as they do for users.
 */
#include "test.h"
#include "guest_image.h"
#include "said.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <client/guest.h>
#include <limpet/device.h>

#define GUESTS 200

/* The answers of the module and its requests. Commands in other processes share this memory. */
static struct module {
	int error; /* errno of all requests but LIST, or 0 */
	struct limpet_guest_enter enter;
	struct limpet_guest_filter filter;
	unsigned long request, process; /* the last request, and the argument of RELEASE */
	unsigned int guests, lists;	/* existing guests, and pieces that were read */
	uint32_t pid;			/* pid of the last guest */
	bool unprivileged;		/* the control device cannot be opened */
	int wrong;			/* 1: LIST returns too many; 2: LIST repeats itself */
} *module;

/* Ids have gaps: guest number i has id 3 * i. */
static int list(const struct limpet_guest_list *want)
{
	struct limpet_guest_info *to = (void *)(uintptr_t)want->buffer;
	uint32_t count = 0;

	module->lists++;
	for (unsigned int i = module->wrong == 2 ? 0 : (want->first + 2) / 3;
	     i < module->guests && count < want->count; i++)
		to[count++] = (struct limpet_guest_info){
			.id = 3 * i, .pid = i == module->guests - 1 ? module->pid : 1
		};
	return module->wrong == 1 ? (int)want->count + 1 : (int)count;
}

/* The control device: a running system with the records of guest_image.h, and without counters. */
static bool control(unsigned long request, void *argument)
{
	const struct limpet_ioc_image *want = argument;

	if (request == LIMPET_IOC_SELECT && argument) {
		errno = ENODEV; /* the system has id 0 */
		return false;
	}
	if (request == LIMPET_IOC_INFO)
		*(struct limpet_ioc_info *)argument =
			(struct limpet_ioc_info){ .version = LIMPET_DEVICE_VERSION,
						  .state = LIMPET_STATE_RUNNING };
	else if (request == LIMPET_IOC_IMAGE)
		memcpy((void *)(uintptr_t)want->buffer, &guest_image, want->size);
	else
		return request == LIMPET_IOC_STAT || request == LIMPET_IOC_SELECT;
	return true;
}

int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	(void)fd;
	if (control(request, argument))
		return 0;
	if (request == LIMPET_IOC_SELECT)
		return -1;
	module->request = request;
	if (request == LIMPET_GUEST_IOC_LIST)
		return list(argument);
	if (request == LIMPET_GUEST_IOC_ENTER || request == LIMPET_GUEST_IOC_ATTACH)
		module->enter = *(struct limpet_guest_enter *)argument;
	else if (request == LIMPET_GUEST_IOC_FILTER)
		module->filter = *(struct limpet_guest_filter *)argument;
	else if (request == LIMPET_GUEST_IOC_RELEASE)
		module->process = (uintptr_t)argument;
	else
		abort();
	errno = module->error;
	return errno ? -1 : 0;
}

int __real_open(const char *path, int flags, int mode);
int __wrap_open(const char *path, int flags, int mode);
int __wrap_open(const char *path, int flags, int mode)
{
	if (strncmp(path, "/dev/limpet/", 12) != 0)
		return __real_open(path, flags, mode);
	if (!(flags & O_CLOEXEC))
		abort();
	errno = EACCES;
	if (!strcmp(path, LIMPET_DEVICE) && module->unprivileged)
		return -1;
	return __real_open("/dev/null", flags, mode);
}

/*
 * Runs `limpet guest` with words that end with NULL. Returns its status in the form of waitpid().
 * `said` gets all of its output.
 */
static int run(const char *const *words, struct said *said)
{
	int count = 1, status = -1;
	char *argv[16] = { "guest" };
	pid_t child;

	for (; words[count - 1]; count++)
		argv[count] = (char *)words[count - 1];
	fflush(stdout);
	said_begin(said);
	child = fork();
	if (!child) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		optind = 0;
		count = guest_command.run(&guest_command, count, argv);
		fflush(stdout);
		_exit(count);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	said_end(said);
	return status;
}

#define RUN(said, ...) run((const char *const[]){ __VA_ARGS__, NULL }, said)
#define EXITS(code) ((code) << 8)

static void the_program_gets_its_own_options(void **state)
{
	struct said said;

	(void)state;
	assert_int_equal(RUN(&said, "run", "--calls", "read", "sh", "-c", "exit 7"), EXITS(7));
	assert_string_equal(said.text, "");
	assert_int_equal(module->request, LIMPET_GUEST_IOC_ENTER);
	assert_int_equal(module->enter.component, LIMPET_GUEST_ANY);
	assert_int_equal(module->enter.flags, 0);
	assert_int_equal(module->enter.filter[0], 1);
	assert_int_equal(RUN(&said, "run", "--alone", "--open", "--", "sh", "-c", "kill -9 $$"),
			 SIGKILL);
	assert_int_equal(module->enter.flags, LIMPET_GUEST_ALONE | LIMPET_GUEST_OPEN);
	assert_int_equal(guest_calls_count(module->enter.filter), GUEST_CALLS);
	assert_int_equal(RUN(&said, "run", "test", "--alone", "=", "--alone"), EXITS(0));
	assert_int_equal(module->enter.flags, 0);
	assert_int_equal(RUN(&said, "run", "--", "test", "--", "=", "--"), EXITS(0));
}

static void a_program_that_cannot_run_has_a_code_of_the_shell(void **state)
{
	struct said said;

	(void)state;
	assert_int_equal(RUN(&said, "run", "/nonexistent/x"), EXITS(127));
	assert_string_equal(
		said.text,
		"limpet guest run: /nonexistent/x: The program does not exist, or its interpreter is "
		"missing. Correct its path, or PATH.\n");
	assert_int_equal(RUN(&said, "run", "/dev/null"), EXITS(126));
	assert_string_equal(said.text,
			    "limpet guest run: /dev/null: The file is not executable. Check its "
			    "permissions.\n");
	module->error = ENODEV;
	assert_int_equal(RUN(&said, "run", "true"), EXITS(COMMAND_REFUSED));
	assert_string_equal(
		said.text,
		"limpet guest run: No system runs. Start one with `limpet run IMAGE`.\n");
}

static void other_processes_are_attached_and_released(void **state)
{
	struct said said;

	(void)state;
	assert_int_equal(RUN(&said, "attach", "12", "--open", "--calls", "!all"), 0);
	assert_int_equal(module->request, LIMPET_GUEST_IOC_ATTACH);
	assert_int_equal(module->enter.pid, 12);
	assert_int_equal(module->enter.flags, LIMPET_GUEST_OPEN);
	assert_int_equal(guest_calls_count(module->enter.filter), 0);
	assert_int_equal(RUN(&said, "filter", "--calls", "rest", "13"), 0);
	assert_int_equal(module->request, LIMPET_GUEST_IOC_FILTER);
	assert_int_equal(module->filter.pid, 13);
	assert_true(module->filter.filter[7] == 1ul << 63);
	assert_int_equal(RUN(&said, "release", "14"), 0);
	assert_int_equal(module->request, LIMPET_GUEST_IOC_RELEASE);
	assert_int_equal(module->process, 14);
	assert_string_equal(said.text, "");
	module->error = EBUSY;
	assert_int_equal(RUN(&said, "attach", "12"), EXITS(COMMAND_REFUSED));
	assert_string_equal(said.text,
			    "limpet guest attach: Process 12 is a guest already. Run `limpet "
			    "guest release 12` first.\n");
}

static void an_executive_is_found_by_its_name(void **state)
{
	struct said said;

	(void)state;
	assert_int_equal(RUN(&said, "run", "--executive", "tracer", "true"), 0);
	assert_int_equal(module->enter.component, 1);
	assert_int_equal(RUN(&said, "attach", "--executive=boot", "12"), 0);
	assert_int_equal(module->enter.component, 0);
	assert_int_equal(RUN(&said, "run", "--executive", "trace", "true"), EXITS(COMMAND_REFUSED));
	assert_string_equal(said.text,
			    "limpet guest run: --executive trace: System 'demo' has no "
			    "component of that name. `limpet ps` lists its components.\n");
	module->unprivileged = true;
	assert_int_equal(RUN(&said, "run", "true"), 0);
	assert_int_equal(module->enter.component, LIMPET_GUEST_ANY);
	assert_int_equal(module->enter.flags, 0);
	assert_int_equal(RUN(&said, "run", "--executive", "tracer", "true"),
			 EXITS(COMMAND_REFUSED));
	assert_string_equal(
		said.text,
		"limpet guest run: /dev/limpet/control: The command needs the capability "
		"CAP_SYS_ADMIN. Run it as root.\n");
}

/* Returns whether a guest that starts at this executive is open, with an option or NULL. */
static bool is_open(const char *executive, const char *option)
{
	struct said said;

	module->enter.flags = ~0u;
	if (option)
		assert_int_equal(RUN(&said, "attach", "12", "--executive", executive, option), 0);
	else
		assert_int_equal(RUN(&said, "attach", "12", "--executive", executive), 0);
	assert_int_equal(module->enter.flags & ~LIMPET_GUEST_OPEN, 0);
	return module->enter.flags;
}

static void the_system_file_says_whether_guests_are_open(void **state)
{
	struct limpet_image_component *tracer = &guest_image.component[1];
	struct limpet_image_component *guard = &guest_image.component[2];
	struct said said;

	(void)state;
	tracer->flags = guard->flags = LIMPET_COMPONENT_EXECUTIVE;
	assert_false(is_open("guard", NULL));
	assert_true(is_open("guard", "--open"));
	guard->flags |= LIMPET_COMPONENT_GUESTS_OPEN;
	assert_false(is_open("guard", NULL)); /* the tracer behind it lets them wait */
	tracer->flags |= LIMPET_COMPONENT_GUESTS_OPEN;
	assert_true(is_open("guard", NULL));
	assert_false(is_open("guard", "--closed"));
	assert_int_equal(RUN(&said, "run", "true"),
			 0); /* guard is the only one that is not behind another one */
	assert_int_equal(module->enter.component, LIMPET_GUEST_ANY);
	assert_int_equal(module->enter.flags, LIMPET_GUEST_OPEN);
	assert_int_equal(RUN(&said, "run", "--closed", "true"), 0);
	assert_int_equal(module->enter.flags, 0);
	module->unprivileged = true;
	assert_int_equal(RUN(&said, "run", "true"), 0);
	assert_int_equal(module->enter.flags, 0);
	module->unprivileged = false;
	guard->flags = LIMPET_COMPONENT_EXECUTIVE;
	assert_true(is_open("tracer", NULL));
	assert_false(is_open("guard", NULL));
	guard->flags |= LIMPET_COMPONENT_GUESTS_OPEN;
	guard->guest = 0; /* two executives, and none is behind another one */
	assert_int_equal(RUN(&said, "run", "true"), 0);
	assert_int_equal(module->enter.flags, 0);
	guard->guest = 1;
	assert_int_equal(RUN(&said, "run", "--open", "--closed", "true"), EXITS(COMMAND_USAGE));
	assert_non_null(strstr(said.text, "--open and --closed exclude each other"));
	tracer->flags = guard->flags = 0;
}

static void the_list_is_read_in_pieces(void **state)
{
	struct guest_list guests;

	(void)state;
	module->guests = GUESTS;
	assert_int_equal(guest_list_read(0, &guests), 0);
	assert_int_equal(guests.count, GUESTS);
	for (unsigned int i = 0; i < GUESTS; i++)
		assert_int_equal(guests.guest[i].id, 3 * i);
	assert_int_equal(module->lists, GUESTS / 64 + 2);
	guest_list_free(&guests);
	module->guests = 0;
	assert_int_equal(guest_list_read(0, &guests), 0);
	assert_int_equal(guests.count, 0);
	guest_list_free(&guests);
}

static void guests_are_printed_with_their_executive(void **state)
{
	struct said said;

	(void)state;
	module->guests = 1;
	module->pid = 0;
	assert_int_equal(RUN(&said, "ps"), 0);
	assert_non_null(strstr(said.text, "\n  0    0      0  boot       free "));
	module->unprivileged = true;
	assert_int_equal(RUN(&said, "ps"), 0);
	assert_non_null(strstr(said.text, "\n  0    0      0  0          free "));
	assert_int_equal(RUN(&said, "ps", "--json"), 0);
	assert_non_null(strstr(said.text, "\"executive\": null"));
}

static void a_wrong_list_is_refused(void **state)
{
	struct guest_list guests;

	(void)state;
	module->guests = GUESTS;
	module->wrong = 1;
	assert_int_equal(guest_list_read(0, &guests), -EPROTO);
	module->wrong = 2;
	assert_int_equal(guest_list_read(0, &guests), -EPROTO);
	assert_null(guests.guest);
}

static void only_a_guest_is_killed(void **state)
{
	struct said said;
	char pid[16], line[160];
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		while (true)
			pause();
	snprintf(pid, sizeof(pid), "%d", child);
	module->guests = GUESTS;
	module->pid = 1;
	assert_int_equal(RUN(&said, "kill", pid), EXITS(COMMAND_REFUSED));
	snprintf(
		line, sizeof(line),
		"limpet guest kill: Process %d is not a guest. `limpet guest ps` lists the guests, and "
		"kill(1) ends other processes.\n",
		child);
	assert_string_equal(said.text, line);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	module->pid = (uint32_t)child;
	assert_int_equal(RUN(&said, "kill", pid, "--signal", "usr1"), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, SIGUSR1);
	assert_int_equal(RUN(&said, "kill", pid), EXITS(COMMAND_REFUSED));
	snprintf(
		line, sizeof(line),
		"limpet guest kill: Process %d does not exist. `limpet guest ps` lists the guests.\n",
		child);
	assert_string_equal(said.text, line);
}

static int module_reset(void **state)
{
	(void)state;
	*module = (struct module){ .pid = 1 };
	return 0;
}

static int setup(void **state)
{
	(void)state;
	module = mmap(NULL, sizeof(*module), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return module == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_program_gets_its_own_options, module_reset),
		cmocka_unit_test_setup(a_program_that_cannot_run_has_a_code_of_the_shell,
				       module_reset),
		cmocka_unit_test_setup(other_processes_are_attached_and_released, module_reset),
		cmocka_unit_test_setup(an_executive_is_found_by_its_name, module_reset),
		cmocka_unit_test_setup(the_system_file_says_whether_guests_are_open, module_reset),
		cmocka_unit_test_setup(the_list_is_read_in_pieces, module_reset),
		cmocka_unit_test_setup(guests_are_printed_with_their_executive, module_reset),
		cmocka_unit_test_setup(a_wrong_list_is_refused, module_reset),
		cmocka_unit_test_setup(only_a_guest_is_killed, module_reset),
	};

	return cmocka_run_group_tests_name("guest_device", tests, setup, NULL);
}

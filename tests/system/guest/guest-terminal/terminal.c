// SPDX-License-Identifier: GPL-2.0
/*
 * Starts an interactive shell in a session with its own terminal, types commands and control characters, and prints a
 * transcript of the events. The transcript has no process ids and times, so it is the same in each run.
 *
 *   terminal plain|MODE [COMMAND...]   prints the transcript. MODE: this program is a guest, and sets the probe's mode.
 *                                      COMMAND starts the shell: it gets the shell and its arguments as arguments
 *   terminal enter MODE COMMAND...     sets the probe's mode and executes the command
 *   terminal check                     checks that the probe has seen the calls of the guests, without a violation
 *   terminal JOB                       is a job of the shell, see `jobs` below
 *
 * The shell, its jobs and this program append lines to LOG, which is the transcript.
 */
#include "tests/system/lib/guest.h"

#include <sys/wait.h>
#include <termios.h>

#define LOG "/tmp/terminal.log"
#define LIMIT 30.0

/* --- the transcript */

static int records;

static void __attribute__((format(printf, 1, 2))) record(const char *format, ...)
{
	char line[200];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(line, sizeof(line) - 1, format, values);
	va_end(values);
	line[length++] = '\n';
	if (write(records, line, (size_t)length) != length)
		_exit(99);
}

/* Returns the error of a call, as a number, because its text depends on the C library. */
static const char *error_name(int result)
{
	static char text[20];

	if (result >= 0)
		return "no error";
	snprintf(text, sizeof(text), "error %d", errno);
	return text;
}

/* --- jobs */

static void job_wait(void)
{
	record("job: runs");
	for (;;)
		pause();
}

static void handle_winch(int signal)
{
	struct winsize size = { 0 };

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	record("job: signal %d, %d rows, %d columns", signal, size.ws_row, size.ws_col);
}

static void job_winch(void)
{
	signal(SIGWINCH, handle_winch);
	job_wait();
}

static void handle_hangup(int signal)
{
	char byte;

	record("job: signal %d", signal);
	const int got = (int)read(STDIN_FILENO, &byte, 1);

	record("job: read: %d, %s", got, error_name(got));
	record("job: tcgetpgrp: %s", error_name(tcgetpgrp(STDIN_FILENO)));
	_exit(0);
}

static void job_hangup(void)
{
	signal(SIGHUP, handle_hangup);
	job_wait();
}

/*
 * Status of jobs that the shell reports by a built-in command. It is odd, because busybox sets bit 0 of that status
 * if a SIGCHLD has interrupted its output to the terminal.
 */
#define STATUS 7

/* Reads lines to the end. */
static void job_read(void)
{
	char line[100];
	int got;

	while ((got = (int)read(STDIN_FILENO, line, sizeof(line))) > 0)
		record("job: read: %d bytes", got);
	_exit(STATUS);
}

/* Waits for the terminal's output, for which a job in the background gets SIGTTOU. */
static void job_drain(void)
{
	record("job: tcdrain: %s", error_name(tcdrain(STDIN_FILENO)));
	_exit(STATUS);
}

static volatile sig_atomic_t input_signals;

static void handle_input(int signal)
{
	(void)signal;
	if (++input_signals == 3)
		_exit(STATUS);
	record("job: SIGTTIN");
}

/* Handles SIGTTIN, so that Linux restarts read(), which then gives the same signal. */
static void job_input(void)
{
	const struct sigaction action = { .sa_handler = handle_input, .sa_flags = SA_RESTART };
	char byte;

	sigaction(SIGTTIN, &action, NULL);
	record("job: read: %ld", (long)read(STDIN_FILENO, &byte, 1));
}

/* Reads a line as a background group with SIGTTIN ignored, which fails, and then in the foreground. */
static void group_read(int orders, int answers)
{
	char line[100] = "";

	setpgid(0, 0);
	signal(SIGTTIN, SIG_IGN);
	record("group: read in the background: %s",
	       error_name((int)read(STDIN_FILENO, line, sizeof(line))));
	if (write(answers, "x", 1) != 1 || read(orders, line, 1) != 1)
		_exit(1);
	record("group: read: %ld bytes", (long)read(STDIN_FILENO, line, sizeof(line)));
	_exit(0);
}

static void job_groups(void)
{
	int orders[2], answers[2];
	char byte;
	pid_t pid;

	if (pipe(orders) || pipe(answers))
		_exit(1);
	pid = fork();
	if (!pid)
		group_read(orders[0], answers[1]);
	if (read(answers[0], &byte, 1) != 1)
		_exit(1);
	record("job: tcsetpgrp of no process: %s", error_name(tcsetpgrp(STDIN_FILENO, 4000000)));
	record("job: tcsetpgrp of another session: %s", error_name(tcsetpgrp(STDIN_FILENO, 1)));
	record("job: tcsetpgrp: %s", error_name(tcsetpgrp(STDIN_FILENO, pid)));
	record("job: the group is %s", tcgetpgrp(STDIN_FILENO) == pid ? "the child's" : "another");
	record("job: the session is %s",
	       tcgetsid(STDIN_FILENO) == getsid(0) ? "its own" : "another");
	if (write(orders[1], "x", 1) != 1)
		_exit(1);
	waitpid(pid, NULL, 0);
	signal(SIGTTOU, SIG_IGN);
	record("job: tcsetpgrp back: %s", error_name(tcsetpgrp(STDIN_FILENO, getpgrp())));
}

static const struct {
	const char *name;
	void (*run)(void);
} jobs[] = {
	{ "wait", job_wait },	  { "read", job_read },	  { "winch", job_winch },
	{ "hangup", job_hangup }, { "drain", job_drain }, { "input", job_input },
	{ "groups", job_groups },
};

/* --- the user */

static int master;
static pid_t shell, job;
static const char *self;

/* Copies the shell's output to stderr, so that the terminal always has space. */
static void output_drain(void)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(master, bytes, sizeof(bytes))) > 0)
		if (write(STDERR_FILENO, bytes, (size_t)got) != got)
			record("the shell's output is lost");
}

/* Waits until the condition is true. Otherwise the transcript ends with it. */
#define AWAIT(what, condition)                                                                     \
	do {                                                                                       \
		const double end_ = seconds() + LIMIT;                                             \
		bool met_;                                                                         \
                                                                                                   \
		while (!(met_ = (condition)) && seconds() < end_) {                                \
			output_drain();                                                            \
			pause_us(2000);                                                            \
		}                                                                                  \
		if (!met_) {                                                                       \
			record("timeout: %s", what);                                               \
			kill(shell, SIGKILL);                                                      \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static void type(const char *text)
{
	if (write(master, text, strlen(text)) != (ssize_t)strlen(text))
		record("typing fails: error %d", errno);
}

/* Returns the number of lines in the transcript. */
static int lines(void)
{
	static char text[1 << 16];
	const int fd = open(LOG, O_RDONLY | O_CLOEXEC);
	const ssize_t got = read(fd, text, sizeof(text));
	int count = 0;

	close(fd);
	for (ssize_t i = 0; i < got; i++)
		count += text[i] == '\n';
	return count;
}

/* Types a command of the shell, and waits for this number of lines of it. */
static void command(const char *text, int wanted)
{
	const int before = lines();
	char line[300];

	snprintf(line, sizeof(line), "%s\n", text);
	type(line);
	AWAIT(text, lines() >= before + wanted);
}

/* Starts this program as a job, and waits until it has recorded this number of lines. */
static void command_job(const char *name, int wanted)
{
	char line[300];

	snprintf(line, sizeof(line), "%s %s", self, name);
	command(line, wanted);
}

static void shell_back(const char *after)
{
	AWAIT("the shell in the foreground", tcgetpgrp(master) == shell);
	record("user: the shell is in the foreground after %s", after);
}

static void job_front(const char *after)
{
	AWAIT("a job in the foreground", tcgetpgrp(master) > 0 && tcgetpgrp(master) != shell);
	job = tcgetpgrp(master);
	record("user: a job is in the foreground after %s", after);
}

static void job_state(char wanted)
{
	AWAIT("the job's state", task_state(job) == wanted);
	record("user: the job's state is %c", task_state(job));
}

static void status(void)
{
	command("echo \"shell: status $?\" >>" LOG, 1);
}

static void jobs_list(void)
{
	command("jobs >>" LOG, 1);
}

#define ID "/tmp/terminal.id"

/* Returns the id of the shell's last job in the background, or 0 if the shell has not written it yet. */
static pid_t id_read(void)
{
	FILE *file = fopen(ID, "r");
	pid_t pid = 0;
	char end = 0;

	if (file && (fscanf(file, "%d%c", &pid, &end) != 2 || end != '\n'))
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

/* Starts a job in the background, and waits until it has recorded this number of lines. */
static void command_background(const char *text, int wanted)
{
	char line[300];

	unlink(ID);
	snprintf(line, sizeof(line), "%s & echo $! >" ID, text);
	command(line, wanted);
	AWAIT("the job's id", (job = id_read()));
}

static void check_keys(void)
{
	static const struct {
		const char *name, *key;
	} keys[] = { { "^C", "\003" }, { "^\\", "\034" } };

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		command_job("wait", 1);
		job_front(keys[i].name);
		type(keys[i].key);
		shell_back(keys[i].name);
		status();
	}
}

static void check_stops(void)
{
	command_job("wait", 1);
	job_front("its start");
	type("\032");
	shell_back("^Z");
	status();
	job_state('T');
	jobs_list();
	type("fg\n");
	job_front("fg");
	job_state('S');
	type("\032");
	shell_back("^Z");
	job_state('T');
	type("bg\n");
	job_state('S');
	shell_back("bg");
	jobs_list();
	type("kill %1; wait %1\n");
	status();
}

/* Tests jobs in the background that read, or wait for the terminal's output. */
static void check_background(void)
{
	char line[200];

	snprintf(line, sizeof(line), "%s read", self);
	command_background(line, 0);
	job_state('T');
	jobs_list();
	type("fg\n");
	job_front("fg");
	command("a line of the user", 1);
	type("\004");
	shell_back("^D");
	status();
	snprintf(line, sizeof(line), "%s drain", self);
	command_background(line, 0);
	job_state('T');
	jobs_list();
	command("fg", 1);
	shell_back("fg");
	status();
	snprintf(line, sizeof(line), "%s input", self);
	command_background(line, 2);
	command("wait $!; echo \"shell: status $?\" >>" LOG, 1);
}

static void check_window(void)
{
	struct winsize size = { .ws_row = 40, .ws_col = 100 };

	command_job("winch", 1);
	job_front("its start");

	const int before = lines();

	ioctl(master, TIOCSWINSZ, &size);
	AWAIT("SIGWINCH", lines() > before);
	ioctl(master, TIOCSWINSZ, &size); /* the same size gives no signal */
	pause_us(50000);
	type("\003");
	shell_back("^C");
	status();
}

static void check_groups(void)
{
	command_job("groups", 6);
	command("a line for the group", 2);
	shell_back("the job");
	status();
}

static void check_hangup(void)
{
	int before, state = 0;

	command_job("hangup", 1);
	job_front("its start");
	before = lines();
	close(master);
	for (int i = 0; i < LIMIT * 100 && waitpid(shell, &state, WNOHANG) != shell; i++)
		pause_us(10000);
	for (int i = 0; i < LIMIT * 100 && lines() < before + 3; i++)
		pause_us(10000);
	record("user: the shell has ended with status 0x%x", state);
}

#define LINES_START 4 /* before the shell runs */

/* Starts the shell in a session of its own, by the command, if there is one. */
static void shell_start(char **by, int count)
{
	char *arguments[20] = { 0 };
	const char *name = ptsname(master);

	for (int i = 0; i < count && i < 16; i++)
		arguments[i] = by[i];
	arguments[count] = "/bin/busybox";
	arguments[count + 1] = "sh";
	arguments[count + 2] = "-i";
	shell = fork();
	if (shell)
		return;
	const pid_t session = setsid();
	const int terminal = open(name, O_RDWR | O_NOCTTY);

	record("shell: has a session: %d", session == getpid());
	record("shell: TIOCSCTTY: %s", error_name(ioctl(terminal, TIOCSCTTY, 0)));
	record("shell: is in the foreground: %d", tcgetpgrp(terminal) == getpid());
	for (int fd = 0; fd < 3; fd++)
		dup2(terminal, fd);
	setenv("PS1", "$ ", 1);
	setenv("TERM", "dumb", 1);
	setenv("HOME", "/tmp", 1);
	signal(SIGHUP, SIG_DFL);
	execvp(arguments[0], arguments);
	record("shell: execve: error %d", errno);
	_exit(1);
}

#define CALLS_MIN 500 /* of all sessions before */

static int probe_checked(void)
{
	section("the probe saw the calls");
	EXPECT(probe_counter(CALLS) >= CALLS_MIN);
	probe_check();
	return sections_finish();
}

static int job_run(const char *name)
{
	for (unsigned int i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if (!strcmp(name, jobs[i].name)) {
			jobs[i].run();
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	self = argv[0];
	records = open(LOG, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (argc < 2 || records < 0)
		return 2;
	if (job_run(argv[1]))
		return 0;
	if (!strcmp(argv[1], "enter")) {
		probe_mode(atol(argv[2]));
		execvp(argv[3], argv + 3);
		return 3;
	}
	if (!strcmp(argv[1], "check"))
		return probe_checked();
	if (strcmp(argv[1], "plain") != 0)
		probe_mode(atol(argv[1]));
	if (ftruncate(records, 0))
		return 4;
	master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	record("user: has a terminal: %d", master >= 0 && !grantpt(master) && !unlockpt(master));
	shell_start(argv + 2, argc - 2);
	AWAIT("the shell", lines() >= LINES_START);
	command("echo \"shell: runs\" >>" LOG, 1);
	check_keys();
	check_stops();
	check_background();
	check_window();
	check_groups();
	check_hangup();
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The program limpet-bridge TABLE DOMAIN FORM, which `limpet bridge` executes. FORM is json or text. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cli/command/bridge/link.h>
#include <cli/common/json.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define RETRY_MS 100	   /* time between attempts to open a channel */
#define THROTTLE_MS 1	   /* time before another attempt to publish to slow subscribers */
#define FINISH DDS_SECS(2) /* time limit of all links together */

static struct table table;
static struct port ports[TABLE_ROWS];
static unsigned int ports_used;
static struct link links[TABLE_ROWS];
static int wake_fd;
static volatile sig_atomic_t stop, show;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		show = 1;
	else
		stop = 1;
}

/* Wakes the loop. Threads of DDS call it. */
static void loop_wake(void)
{
	const uint64_t one = 1;

	if (write(wake_fd, &one, sizeof(one)) < 0)
		return; /* the counter is at its maximum, so the loop wakes up without it */
}

/* --- counts */

static void counts_print_json(bool finished)
{
	struct json json;

	json_begin(&json, stdout);
	json_array(&json, "topics");
	for (unsigned int i = 0; i < table.rows; i++) {
		const struct link *link = &links[i];

		json_object(&json, NULL);
		json_text(&json, "channel", link->row->channel);
		json_text(&json, "direction", link->row->publish ? "publish" : "subscribe");
		json_text(&json, "topic", link->row->topic);
		json_text(&json, "type", link->row->type);
		json_number(&json, "peers", link->peers);
		json_number(&json, "messages", link->count.passed);
		json_number(&json, "refused", link->count.refused);
		json_number(&json, "without_subscriber", link->count.alone);
		json_number(&json, "lost", link->count.lost);
		json_number(&json, "connections", link->port->connects);
		if (finished)
			json_bool(&json, "acknowledged", link->acknowledged);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_end(&json);
}

static void counts_print_text(void)
{
	printf("%-20s %-9s %-28s %5s %12s %8s %12s %8s\n", "channel", "direction", "topic", "peers",
	       "messages", "refused", "unsubscribed", "lost");
	for (unsigned int i = 0; i < table.rows; i++) {
		const struct link *link = &links[i];

		printf("%-20s %-9s %-28s %5" PRIu32 " %12" PRIu64 " %8" PRIu64 " %12" PRIu64
		       " %8" PRIu64 "\n",
		       link->row->channel, link->row->publish ? "publish" : "subscribe",
		       link->row->topic, link->peers, link->count.passed, link->count.refused,
		       link->count.alone, link->count.lost);
	}
}

static void counts_print(bool json, bool finished)
{
	if (json)
		counts_print_json(finished);
	else
		counts_print_text();
	fflush(stdout);
}

/* --- the loop */

static bool ports_open(void)
{
	for (unsigned int i = 0; i < ports_used; i++)
		if (!port_open(&ports[i]))
			return false;
	return true;
}

static bool links_pass(void)
{
	bool more = false;

	for (unsigned int i = 0; i < table.rows; i++) {
		link_look(&links[i]);
		more |= link_pass(&links[i]);
	}
	return more;
}

/* Returns the time that the loop may wait, in milliseconds. */
static int loop_timeout(bool more)
{
	if (more)
		return 0;
	for (unsigned int i = 0; i < table.rows; i++)
		if (link_throttled(&links[i]))
			return THROTTLE_MS;
	/* A link may have closed its port after ports_open(). */
	for (unsigned int i = 0; i < ports_used; i++)
		if (ports[i].fd < 0)
			return RETRY_MS;
	return -1;
}

static void loop_wait(int timeout, const sigset_t *mask)
{
	const struct timespec limit = { timeout / 1000, timeout % 1000 * 1000000 };
	struct pollfd fds[TABLE_ROWS + 1] = { { .fd = wake_fd, .events = POLLIN } };
	uint64_t count;

	for (unsigned int i = 0; i < table.rows; i++)
		fds[1 + (links[i].port - ports)].events |= link_events(&links[i]);
	/* A stopped component's channel signals POLLHUP always, so poll it only if a link reads from it. */
	for (unsigned int i = 0; i < ports_used; i++)
		fds[1 + i].fd = fds[1 + i].events || !ports[i].ended ? ports[i].fd : -1;
	if (ppoll(fds, 1 + ports_used, timeout < 0 ? NULL : &limit, mask) < 0)
		return;
	if (fds[0].revents && read(wake_fd, &count, sizeof(count)) < 0)
		return;
	for (unsigned int i = 0; i < ports_used; i++)
		if (ports[i].fd >= 0 && fds[1 + i].revents & POLLHUP)
			port_hang_up(&ports[i]);
}

/* Runs until SIGINT or SIGTERM. Returns false after a reported error. */
static bool loop_run(bool json, const sigset_t *mask)
{
	while (!stop) {
		if (!ports_open())
			return false;
		loop_wait(loop_timeout(links_pass()), mask);
		if (show)
			counts_print(json, false);
		show = 0;
	}
	return true;
}

/* --- start */

static struct port *port_find(const struct row *row)
{
	struct port *port = ports;

	while (port < ports + ports_used && strcmp(port->name, row->channel))
		port++;
	if (port == ports + ports_used) {
		*port = (struct port){ .name = row->channel, .fd = -1 };
		ports_used++;
	}
	port->reads |= row->publish;
	return port;
}

/* Creates the participant. ROS 2 reads the enclave from its user data. */
static dds_entity_t participant_make(dds_domainid_t domain)
{
	static const char data[] = "enclave=/;";
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t participant;

	dds_qset_userdata(qos, data, sizeof(data) - 1);
	dds_qset_entity_name(qos, "limpet-bridge");
	participant = dds_create_participant(domain, qos, NULL);
	dds_delete_qos(qos);
	if (participant < 0)
		report("DDS cannot use the network in domain %u: %s. Check network and CYCLONEDDS_URI.",
		       domain, dds_strretcode(participant));
	return participant;
}

static bool links_make(dds_entity_t participant)
{
	for (unsigned int i = 0; i < table.rows; i++)
		if (!link_make(&links[i], &table.row[i], port_find(&table.row[i]), participant,
			       loop_wake))
			return false;
	return true;
}

/*
 * Sets the handlers, and blocks the signals, so that the threads that DDS starts later do not receive them. Returns the
 * mask for ppoll(), which unblocks them.
 */
static sigset_t signals_take(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGUSR1 };
	const struct sigaction action = { .sa_handler = on_signal };
	sigset_t taken, before;

	sigemptyset(&taken);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		sigaction(numbers[i], &action, NULL);
		sigaddset(&taken, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &taken, &before);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigdelset(&before, numbers[i]);
	return before;
}

static int bridge(dds_domainid_t domain, bool json)
{
	const sigset_t mask = signals_take();
	const dds_entity_t participant = participant_make(domain);
	bool ok;

	wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (wake_fd < 0)
		report("eventfd: %s", strerror(errno));
	ok = participant >= 0 && wake_fd >= 0 && links_make(participant);
	if (ok)
		report("%u topic%s in domain %u", table.rows, table.rows == 1 ? "" : "s", domain);
	ok = ok && loop_run(json, &mask);
	if (ok) {
		const dds_time_t end = dds_time() + FINISH;

		for (unsigned int i = 0; i < table.rows; i++)
			link_finish(&links[i], end);
		counts_print(json, true);
	}
	if (participant >= 0)
		dds_delete(participant);
	return ok ? COMMAND_OK : COMMAND_REFUSED;
}

int main(int argc, char **argv)
{
	long domain;

	report_begin("bridge");
	if (argc != 4 || !text_number(argv[2], 0, DOMAIN_MAX, &domain)) {
		report("`limpet bridge` starts this program. It takes a table, a domain, and json or text.");
		return COMMAND_USAGE;
	}
	if (!table_read(&table, argv[1]))
		return COMMAND_REFUSED;
	return bridge((dds_domainid_t)domain, !strcmp(argv[3], "json"));
}

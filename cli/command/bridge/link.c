// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <limpet/channel.h>
#include <limpet/limits.h>

#include <cli/command/bridge/link.h>
#include <cli/common/report.h>

#define BATCH 64
/* Bytes of a read. A channel keeps a message that does not fit, so this is longer than any message. */
#define READ_SIZE (TABLE_MESSAGE + 1)
_Static_assert(READ_SIZE > LIMPET_MESSAGE_MAX(LIMPET_CHANNEL_RING_MAX), "length of a message");
/* Maximum time that dds_write() waits for slow subscribers. It is short, because all other links wait meanwhile. */
#define WRITE_WAIT DDS_MSECS(1)
/* Maximum number of samples that a reader with history keep_all holds for a slow channel. */
#define KEPT 4096

/* --- entities */

static dds_qos_t *qos_make(const struct row *row)
{
	const dds_history_kind_t history = row->keep_all ? DDS_HISTORY_KEEP_ALL
							 : DDS_HISTORY_KEEP_LAST;
	dds_qos_t *qos = dds_create_qos();

	dds_qset_reliability(qos,
			     row->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
			     WRITE_WAIT);
	dds_qset_durability(qos, row->transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL
						      : DDS_DURABILITY_VOLATILE);
	dds_qset_history(qos, history, (int32_t)row->depth);
	if (row->transient_local)
		dds_qset_durability_service(qos, 0, history, (int32_t)row->depth,
					    DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED,
					    DDS_LENGTH_UNLIMITED);
	if (row->keep_all && !row->publish)
		dds_qset_resource_limits(qos, KEPT, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
	/* A channel that publishes a topic and subscribes to it does not get its own messages. */
	dds_qset_ignorelocal(qos, DDS_IGNORELOCAL_PARTICIPANT);
	return qos;
}

static void on_data(dds_entity_t reader, void *argument)
{
	const struct link *link = argument;

	(void)reader;
	link->wake();
}

#define ON_STATUS(name, type)                                                                      \
	static void name(dds_entity_t end, const type status, void *argument)                      \
	{                                                                                          \
		(void)status;                                                                      \
		on_data(end, argument);                                                            \
	}
ON_STATUS(on_subscribers, dds_publication_matched_status_t)
ON_STATUS(on_publishers, dds_subscription_matched_status_t)
ON_STATUS(on_lost, dds_sample_lost_status_t)
ON_STATUS(on_offered, dds_offered_incompatible_qos_status_t)
ON_STATUS(on_requested, dds_requested_incompatible_qos_status_t)

static dds_listener_t *listener_make(struct link *link)
{
	dds_listener_t *listener = dds_create_listener(link);

	dds_lset_data_available(listener, on_data);
	dds_lset_publication_matched(listener, on_subscribers);
	dds_lset_subscription_matched(listener, on_publishers);
	dds_lset_sample_lost(listener, on_lost);
	dds_lset_offered_incompatible_qos(listener, on_offered);
	dds_lset_requested_incompatible_qos(listener, on_requested);
	return listener;
}

static dds_entity_t end_make(struct link *link, dds_entity_t participant)
{
	const dds_entity_t topic = layout_topic(&link->layout, link->row, participant);
	dds_listener_t *listener;
	dds_entity_t end;
	dds_qos_t *qos;

	if (topic < 0)
		return topic;
	qos = qos_make(link->row);
	listener = listener_make(link);
	if (link->row->publish)
		end = dds_create_writer(participant, topic, qos, listener);
	else
		end = dds_create_reader(participant, topic, qos, listener);
	dds_delete_listener(listener);
	dds_delete_qos(qos);
	return end;
}

bool link_make(struct link *link, struct row *row, struct port *port, dds_entity_t participant,
	       void (*wake)(void))
{
	*link = (struct link){ .row = row, .port = port, .wake = wake };
	layout_make(&link->layout, row);
	link->message = malloc(READ_SIZE);
	link->sample = calloc(1, link->layout.size);
	if (!link->message || !link->sample) {
		report("%s: There is not enough memory.", row->topic);
		return false;
	}
	link->end = end_make(link, participant);
	if (link->end < 0)
		report("%s: DDS refuses the topic with type %s: %s", row->topic, row->type,
		       dds_strretcode(link->end));
	return link->end >= 0;
}

/* --- messages */

/* Counts a message that does not fit. Reports only the first one, because a component can send any number of them. */
static void link_refuse(struct link *link, const char *wrong)
{
	if (!link->count.refused++)
		report("%s: A message for %s is dropped: %s", link->row->channel, link->row->topic,
		       wrong);
}

/*
 * Returns whether the writer has a subscriber. Does not rely on the status: when a subscriber leaves, DDS updates the
 * status milliseconds later. In this time it accepts all samples, although there is no reader.
 */
static bool writer_has_subscriber(const struct link *link)
{
	return link->peers && dds_get_matched_subscriptions(link->end, NULL, 0) != 0;
}

/*
 * Returns whether the link may publish a message. With history keep_all, each message waits for a subscriber: those in
 * the channel, and the pending one, if its subscriber has left. Messages of a stopped component do not wait.
 */
static bool link_may_publish(const struct link *link)
{
	return !link->row->keep_all || link->port->ended || writer_has_subscriber(link);
}

/* Reads a message from the channel. Returns false if the channel is empty. */
static bool link_read(struct link *link)
{
	const ssize_t length = port_read(link->port, link->message, READ_SIZE);
	const char *wrong = "its length is not that of the type";

	if (length < 0)
		return false;
	if ((size_t)length == link->row->size)
		wrong = layout_to_sample(link->row, link->message, link->sample);
	link->pending = !wrong;
	if (wrong)
		link_refuse(link, wrong);
	return true;
}

/* Publishes the pending message. Returns false if slow subscribers do not accept it now. */
static bool link_publish(struct link *link)
{
	const dds_return_t result = dds_write(link->end, link->sample);

	if (result == DDS_RETCODE_TIMEOUT)
		return false;
	link->pending = false;
	if (result) {
		link_refuse(link, dds_strretcode(result));
		return true;
	}
	link->count.passed++;
	link->count.alone += !link->peers;
	return true;
}

/* Takes a sample from the reader. Returns false if the reader has no sample. */
static bool link_take(struct link *link)
{
	void *sample = NULL;
	dds_sample_info_t info;
	const char *wrong;

	if (dds_take(link->end, &sample, &info, 1, 1) != 1)
		return false;
	if (info.valid_data) {
		wrong = layout_to_message(link->row, sample, link->message);
		link->pending = !wrong;
		if (wrong)
			link_refuse(link, wrong);
	}
	dds_return_loan(link->end, &sample, 1);
	return true;
}

/* Passes at most one message on. Returns false if that is not possible now. */
static bool link_pass_one(struct link *link)
{
	if (link->row->publish) {
		if (!link_may_publish(link) || (!link->pending && !link_read(link)))
			return false;
		return !link->pending || link_publish(link);
	}
	if (!link->pending && (link->port->fd < 0 || !link_take(link)))
		return false;
	if (link->pending && !port_write(link->port, link->message, link->row->size))
		return false;
	link->count.passed += link->pending;
	link->pending = false;
	return true;
}

bool link_pass(struct link *link)
{
	for (unsigned int i = 0; i < BATCH; i++)
		if (!link_pass_one(link))
			return false;
	return true;
}

short link_events(const struct link *link)
{
	if (link->row->publish)
		return !link->pending && link_may_publish(link) ? POLLIN : 0;
	return link->pending ? POLLOUT : 0;
}

bool link_throttled(const struct link *link)
{
	return link->row->publish && link->pending && link_may_publish(link);
}

/* --- subscribers and publishers */

static void peers_report(struct link *link, uint32_t arrivals, uint32_t peers)
{
	const char *peer = link->row->publish ? "subscriber" : "publisher";
	const uint32_t came = arrivals - link->arrivals;
	const uint32_t left = link->peers + came - peers;

	if (left)
		report("%s: %u %s%s left after %" PRIu64
		       " messages, %u now. Samples that are still in flight are lost.",
		       link->row->topic, left, peer, left == 1 ? "" : "s", link->count.passed,
		       peers);
	if (came)
		report("%s: %u %s%s came after %" PRIu64 " messages, %u now.", link->row->topic,
		       came, peer, came == 1 ? "" : "s", link->count.passed, peers);
	link->arrivals = arrivals;
	link->peers = peers;
}

static void incompatible_report(struct link *link, uint32_t count, uint32_t policy)
{
	static const struct {
		uint32_t policy;
		const char *word;
	} words[] = {
		{ DDS_RELIABILITY_QOS_POLICY_ID, "reliability" },
		{ DDS_DURABILITY_QOS_POLICY_ID, "durability" },
	};
	const char *word = "quality of service";

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].policy == policy)
			word = words[i].word;
	if (count != link->incompatible)
		report("%s: A %s is not connected, because its %s does not fit. Change it in the [[bridge]] or in that program.",
		       link->row->topic, link->row->publish ? "subscriber" : "publisher", word);
	link->incompatible = count;
}

static void writer_look(struct link *link)
{
	dds_publication_matched_status_t matched;
	dds_offered_incompatible_qos_status_t offered;

	if (!dds_get_publication_matched_status(link->end, &matched))
		peers_report(link, matched.total_count, matched.current_count);
	if (!dds_get_offered_incompatible_qos_status(link->end, &offered))
		incompatible_report(link, offered.total_count, offered.last_policy_id);
}

static void reader_look(struct link *link)
{
	dds_subscription_matched_status_t matched;
	dds_requested_incompatible_qos_status_t requested;
	dds_sample_lost_status_t lost;

	if (!dds_get_subscription_matched_status(link->end, &matched))
		peers_report(link, matched.total_count, matched.current_count);
	if (!dds_get_requested_incompatible_qos_status(link->end, &requested))
		incompatible_report(link, requested.total_count, requested.last_policy_id);
	if (dds_get_sample_lost_status(link->end, &lost) || lost.total_count == link->count.lost)
		return;
	report("%s: %" PRIu64 " samples are lost.", link->row->topic,
	       lost.total_count - link->count.lost);
	link->count.lost = lost.total_count;
}

void link_look(struct link *link)
{
	if (link->row->publish)
		writer_look(link);
	else
		reader_look(link);
}

/* --- the end */

static void writer_finish(struct link *link, dds_time_t end)
{
	dds_duration_t left;

	while (link_throttled(link) && !link_publish(link) && dds_time() < end)
		;
	if (link->pending && !link_may_publish(link)) {
		report("%s: 1 message is lost, because the topic has no subscriber.",
		       link->row->topic);
		link->acknowledged = false;
		return;
	}
	left = end - dds_time();
	if (link->row->reliable)
		link->acknowledged = !link->pending &&
				     !dds_wait_for_acks(link->end, left > 0 ? left : 0);
	if (!link->acknowledged)
		report("%s: Subscribers have not acknowledged all samples in time. Samples in flight may be "
		       "lost.",
		       link->row->topic);
}

static void reader_finish(struct link *link, dds_time_t end)
{
	uint64_t left;

	while (dds_time() < end && link_pass_one(link))
		;
	left = link->pending;
	link->pending = false;
	for (unsigned int i = 0; i < KEPT && link_take(link); i++) {
		left += link->pending;
		link->pending = false;
	}
	if (left)
		report("%s: %" PRIu64
		       " samples are lost, because channel %s has not accepted them.",
		       link->row->topic, left, link->row->channel);
}

void link_finish(struct link *link, dds_time_t end)
{
	link->acknowledged = true;
	if (link->row->publish)
		writer_finish(link, end);
	else
		reader_finish(link, end);
	link_look(link);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A plain program of Eclipse Cyclone DDS that exchanges samples with the bridge and does not know Limpet.
 *
 *   peer take TOPIC COUNT [best]    prints COUNT numbers that arrive, each on a line
 *   peer take-last TOPIC COUNT      the same with durability transient_local
 *   peer send TOPIC COUNT [RATE]    publishes the numbers from 0 on, RATE a second, and waits for acknowledgements
 *   peer send-one TOPIC NUMBER      publishes one number
 *   peer take-mixed TOPIC           prints a Mixed that arrives
 *   peer send-mixed TOPIC [NAME]    publishes a Mixed with a frame_id
 *
 * COUNT 0 means no limit. The QoS is reliable and keep_all, or with `best` best_effort and keep_all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dds/dds.h>

#include "types.h"

static dds_entity_t participant;

static dds_entity_t end_make(const char *topic, const dds_topic_descriptor_t *type, bool write,
			     bool best, bool last)
{
	dds_qos_t *qos = dds_create_qos();
	dds_entity_t entity, end;

	dds_qset_reliability(qos, best ? DDS_RELIABILITY_BEST_EFFORT : DDS_RELIABILITY_RELIABLE,
			     DDS_SECS(10));
	dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
	if (last)
		dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
	participant = dds_create_participant(DDS_DOMAIN_DEFAULT, NULL, NULL);
	entity = dds_create_topic(participant, type, topic, NULL, NULL);
	end = write ? dds_create_writer(participant, entity, qos, NULL)
		    : dds_create_reader(participant, entity, qos, NULL);
	dds_delete_qos(qos);
	if (end < 0) {
		fprintf(stderr, "peer: %s\n", dds_strretcode(end));
		exit(1);
	}
	return end;
}

static void status_wait(dds_entity_t end, uint32_t status)
{
	dds_entity_t set = dds_create_waitset(participant);

	dds_set_status_mask(end, status);
	dds_waitset_attach(set, end, 0);
	dds_waitset_wait(set, NULL, 0, DDS_INFINITY);
	dds_delete(set);
}

/* Returns the next valid sample. The caller returns it with dds_return_loan(). */
static void *sample_take(dds_entity_t reader)
{
	dds_sample_info_t info;
	void *sample;

	for (;;) {
		sample = NULL;
		while (dds_take(reader, &sample, &info, 1, 1) < 1)
			status_wait(reader, DDS_DATA_AVAILABLE_STATUS);
		if (info.valid_data)
			return sample;
		dds_return_loan(reader, &sample, 1);
	}
}

static void numbers_take(dds_entity_t reader, unsigned long count)
{
	for (unsigned long i = 0; !count || i < count; i++) {
		void *sample = sample_take(reader);

		printf("%.0f\n", ((std_msgs_msg_dds__Float64_ *)sample)->data_);
		fflush(stdout);
		dds_return_loan(reader, &sample, 1);
	}
}

static void numbers_send(dds_entity_t writer, unsigned long count, unsigned long rate)
{
	dds_time_t next = dds_time();

	for (unsigned long i = 0; !count || i < count; i++) {
		const std_msgs_msg_dds__Float64_ sample = { (double)i };

		if (dds_write(writer, &sample))
			exit(1);
		next += DDS_NSECS_IN_SEC / rate;
		dds_sleepfor(next - dds_time());
	}
}

static void number_send(dds_entity_t writer, unsigned long number)
{
	const std_msgs_msg_dds__Float64_ sample = { (double)number };

	if (dds_write(writer, &sample))
		exit(1);
}

static void mixed_take(dds_entity_t reader)
{
	void *sample = sample_take(reader);
	const limpet_test_msg_dds__Mixed_ *m = sample;

	printf("%d.%u '%s' %d [", m->stamp_.sec_, m->stamp_.nanosec_, m->frame_id_, m->valid_);
	for (uint32_t i = 0; i < m->position_._length; i++)
		printf(" %g", m->position_._buffer[i]);
	printf(" ] %g %g %g [", m->axis_[0], m->axis_[1], m->axis_[2]);
	for (uint32_t i = 0; i < m->contact_._length; i++)
		printf(" %d", m->contact_._buffer[i]);
	printf(" ] %d %d\n", m->code_, m->last_);
}

static void mixed_send(dds_entity_t writer, char *name)
{
	double position[] = { 1.5, -2 };
	bool contact[] = { true, false, true };
	limpet_test_msg_dds__Mixed_ m = { { -3, 4 },   name,
					  true,	       { 2, 2, position, false },
					  { 7, 8, 9 }, { 3, 3, contact, false },
					  -32768,      255 };

	if (dds_write(writer, &m))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *word = argc > 2 ? argv[1] : "";
	const bool mixed = strstr(word, "-mixed"), write = !strncmp(word, "send", 4);
	const unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	const bool best = argc > 4 && !strcmp(argv[4], "best");
	dds_entity_t end;

	if (argc < 3)
		return 2;
	end = end_make(argv[2],
		       mixed ? &limpet_test_msg_dds__Mixed__desc : &std_msgs_msg_dds__Float64__desc,
		       write, best, !strcmp(word, "take-last"));
	if (write)
		status_wait(end, DDS_PUBLICATION_MATCHED_STATUS);
	if (mixed && write)
		mixed_send(end, argc > 3 ? argv[3] : "base");
	else if (mixed)
		mixed_take(end);
	else if (!strcmp(word, "send-one"))
		number_send(end, count);
	else if (write)
		numbers_send(end, count, argc > 4 ? strtoul(argv[4], NULL, 10) : 1000);
	else
		numbers_take(end, count);
	if (write && dds_wait_for_acks(end, DDS_SECS(60)))
		return 1;
	dds_delete(participant);
	return 0;
}

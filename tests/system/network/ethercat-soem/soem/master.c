// SPDX-License-Identifier: GPL-2.0
/*
 * A master that SOEM implements, on the network device of the first argument. It finds the slaves, takes their
 * configuration from their EEPROMs, starts them, and exchanges process data for as many cycles as the second argument
 * says. It prints a line for each step. It ends with status 1 at the first failed step.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ethercat.h>

#define SLAVES_MAX 8
#define LINE_SLAVES 3
#define WKC 4	      /* slave 2 writes and reads (3), slave 3 reads (1) */
#define OP_CYCLES 200 /* maximum number of cycles until OP */
#define BACK_CYCLES 2 /* the outputs of a cycle come back as inputs in the next one */

static ec_slavet slaves[SLAVES_MAX];
static int slave_count;
static ec_groupt groups[1];
static uint8 eeprom[EC_MAXEEPBUF];
static uint32 eeprom_map[EC_MAXEEPBITMAP];
static ec_eringt errors;
static ec_idxstackT stack;
static boolean has_error;
static int64 dc_time;
static ec_SMcommtypet comm[EC_MAX_MAPT];
static ec_PDOassignt assign[EC_MAX_MAPT];
static ec_PDOdesct desc[EC_MAX_MAPT];
static ec_eepromSMt managers;
static ec_eepromFMMUt fmmus;
static ecx_portt port;
static uint8 image[64];

static ecx_contextt context = {
	.port = &port,
	.slavelist = slaves,
	.slavecount = &slave_count,
	.maxslave = SLAVES_MAX,
	.grouplist = groups,
	.maxgroup = 1,
	.esibuf = eeprom,
	.esimap = eeprom_map,
	.elist = &errors,
	.idxstack = &stack,
	.ecaterror = &has_error,
	.DCtime = &dc_time,
	.SMcommtype = comm,
	.PDOassign = assign,
	.PDOdesc = desc,
	.eepSM = &managers,
	.eepFMMU = &fmmus,
};

static void fail(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vprintf(format, values);
	va_end(values);
	putchar('\n');
	exit(1);
}

/* Exchanges process data once. Returns the working counter. */
static int cycle(void)
{
	ecx_send_processdata(&context);
	return ecx_receive_processdata(&context, EC_TIMEOUTRET);
}

static void slaves_find(void)
{
	int count = ecx_config_init(&context, FALSE);

	if (count != LINE_SLAVES)
		fail("%d slaves answer", count);
	for (int i = 1; i <= slave_count; i++)
		printf("slave %d: vendor %x, product %x\n", i, slaves[i].eep_man, slaves[i].eep_id);
}

static void slaves_map(void)
{
	int bytes = ecx_config_map_group(&context, image, 0);

	if (bytes != 7)
		fail("the process image has %d bytes", bytes);
	for (int i = 1; i <= slave_count; i++)
		printf("slave %d: %d bits of outputs, %d bits of inputs\n", i, slaves[i].Obits,
		       slaves[i].Ibits);
	if (groups[0].outputsWKC * 2 + groups[0].inputsWKC != WKC)
		fail("SOEM expects working counter %d",
		     groups[0].outputsWKC * 2 + groups[0].inputsWKC);
}

static void states_print(const char *words)
{
	ecx_readstate(&context);
	for (int i = 1; i <= slave_count; i++)
		printf("slave %d: %s: state %x, AL status code %x\n", i, words, slaves[i].state,
		       slaves[i].ALstatuscode);
}

static void slaves_start(void)
{
	if (ecx_statecheck(&context, 0, EC_STATE_SAFE_OP, EC_TIMEOUTSTATE * 4) !=
	    EC_STATE_SAFE_OP) {
		states_print("not in SAFE-OP");
		fail("no SAFE-OP");
	}
	puts("all slaves are in SAFE-OP");
	cycle();
	slaves[0].state = EC_STATE_OPERATIONAL;
	ecx_writestate(&context, 0);
	for (int i = 0; i < OP_CYCLES; i++) {
		cycle();
		if (ecx_statecheck(&context, 0, EC_STATE_OPERATIONAL, EC_TIMEOUTRET) ==
		    EC_STATE_OPERATIONAL) {
			puts("all slaves are in OP");
			return;
		}
	}
	states_print("not in OP");
	fail("no OP");
}

/* Exchanges data. The inputs of slave 2 must be its inverted outputs, and those of slave 3 must count the cycles. */
static void data_exchange(int cycles)
{
	uint8 count = 0;

	for (int i = 0; i < cycles; i++) {
		uint8 *out = slaves[2].outputs, *in = slaves[2].inputs;
		int wkc;

		if (i % BACK_CYCLES == 0) {
			out[0] = (uint8)(i / 2 * 7);
			out[1] = (uint8)(i / 2 * 13 + 1);
		}
		wkc = cycle();
		if (wkc != WKC)
			fail("cycle %d: working counter %d", i, wkc);
		if (i && *slaves[3].inputs != (uint8)(count + 1))
			fail("cycle %d: slave 3 counts %d after %d", i, *slaves[3].inputs, count);
		count = *slaves[3].inputs;
		for (int byte = 0; i % BACK_CYCLES == 1 && byte < 4; byte++)
			if (in[byte] != (uint8)~out[byte % 2])
				fail("cycle %d: input %d is %x, not %x", i, byte, in[byte],
				     (uint8)~out[byte % 2]);
	}
	printf("%d good cycles\n", cycles);
}

static void slaves_stop(void)
{
	slaves[0].state = EC_STATE_INIT;
	ecx_writestate(&context, 0);
	if (ecx_statecheck(&context, 0, EC_STATE_INIT, EC_TIMEOUTSTATE) != EC_STATE_INIT)
		fail("no INIT");
	puts("all slaves are in INIT");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Both programs share an emulated CPU, so a frame can take longer than on a wire. */
	soem_timeouts.ret = 100000;
	soem_timeouts.safe = soem_timeouts.eeprom = 500000;
	if (!ecx_init(&context, argv[1]))
		fail("%s cannot be opened", argv[1]);
	slaves_find();
	slaves_map();
	slaves_start();
	data_exchange(atoi(argv[2]));
	slaves_stop();
	ecx_close(&context);
	return 0;
}

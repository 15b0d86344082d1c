// SPDX-License-Identifier: GPL-2.0
/* The interrupt by which the layer reports notifications: see device.h. */
#include <linux/acpi.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <asm/hw_irq.h>

#include <host/linux/beneath/device.h>

#define GSI_FIRST 16 /* lines of the I/O APIC above the ISA interrupts */
#define GSI_LAST 23
#define TRIES_MS 100

static DEFINE_MUTEX(lock); /* protects the line */
static int irq = -1, gsi;
static bool interrupted; /* an interrupt has arrived */

static irqreturn_t events_changed(int number, void *unused)
{
	WRITE_ONCE(interrupted, true);
	beneath_channels_look();
	return IRQ_HANDLED;
}

/* A line of the I/O APIC that is not connected. The layer raises its vector instead. */
static bool line_take(void)
{
	irq = acpi_register_gsi(NULL, gsi, ACPI_EDGE_SENSITIVE, ACPI_ACTIVE_HIGH);
	if (irq < 0)
		return false;
	if (!request_irq(irq, events_changed, IRQF_NOBALANCING, "limpet", &interrupted))
		return true;
	acpi_unregister_gsi(gsi);
	irq = -1;
	return false;
}

static void line_give(void)
{
	layer_call(BARE_CALL_VECTOR, NULL, 0);
	free_irq(irq, &interrupted);
	acpi_unregister_gsi(gsi);
	irq = -1;
}

/* Returns the local APIC domain's data of the interrupt, which start with its vector. */
static const struct irq_cfg *vector_of(void)
{
	struct irq_data *data = irq_get_irq_data(irq);

	while (data && data->parent_data)
		data = data->parent_data;
	return data ? irq_data_get_irq_chip_data(data) : NULL;
}

static bool vector_report(void)
{
	const struct irq_cfg *vector = vector_of();
	unsigned int cpu = cpumask_first(irq_get_effective_affinity_mask(irq));

	return vector && !layer_call(BARE_CALL_VECTOR, (void *)(word)cpu, vector->vector);
}

void beneath_interrupt_move(void)
{
	mutex_lock(&lock);
	if (irq >= 0)
		vector_report();
	mutex_unlock(&lock);
}

static bool line_works(void)
{
	if (!vector_report())
		return false;
	for (unsigned int i = 0; i < TRIES_MS && !READ_ONCE(interrupted); i++)
		msleep(1);
	return READ_ONCE(interrupted);
}

static bool line_find(void)
{
	for (gsi = GSI_LAST; gsi >= GSI_FIRST; gsi--) {
		if (!line_take())
			continue;
		if (line_works())
			return true;
		line_give();
	}
	return false;
}

bool interrupt_find(void)
{
	bool found;

	mutex_lock(&lock);
	found = line_find();
	mutex_unlock(&lock);
	return found;
}

bool interrupt_found(void)
{
	return READ_ONCE(irq) >= 0;
}

void interrupt_release(void)
{
	mutex_lock(&lock);
	if (irq >= 0)
		line_give();
	mutex_unlock(&lock);
}

// SPDX-License-Identifier: GPL-2.0
/* Reads the layer's data of the machine from the firmware's tables. */
#include <linux/acpi.h>
#include <linux/ioport.h>
#include <linux/irq.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <asm/smp.h>

#include <host/linux/parts.h>
#include <host/bare/bare.h>

/* Calls `take` with each entry of the Multiple APIC Description Table (ACPI specification 5.2.12). */
static void madt_read(void (*take)(void *to, const struct acpi_subtable_header *entry), void *to)
{
	const struct acpi_subtable_header *entry;
	struct acpi_table_header *table;
	const void *end;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MADT, 0, &table)))
		return;
	end = (void *)table + table->length;
	for (entry = (void *)table + sizeof(struct acpi_table_madt);
	     (void *)(entry + 1) <= end && entry->length >= sizeof(*entry);
	     entry = (void *)entry + entry->length)
		take(to, entry);
	acpi_put_table(table);
}

static void io_apic_take(void *to, const struct acpi_subtable_header *header)
{
	const struct acpi_madt_io_apic *entry = (const void *)header;
	struct bare_layer *layer = to;

	if (header->type != ACPI_MADT_TYPE_IO_APIC || header->length < sizeof(*entry))
		return;
	if (layer->io_apics == BARE_IO_APICS || !PAGE_ALIGNED(entry->address)) {
		pr_warn("limpet: The I/O APIC at 0x%x is not guarded, and components get no interrupts from it.\n",
			entry->address);
		return;
	}
	layer->io_apic[layer->io_apics++] = (struct bare_io_apic){
		.physical = entry->address,
		.first = entry->global_irq_base,
	};
}

static bool is_present(u32 apic_id)
{
	unsigned int cpu;

	for_each_present_cpu(cpu) if (per_cpu(x86_cpu_to_apicid, cpu) == apic_id) return true;
	return false;
}

/*
 * Adds 1 to *to if the entry is an enabled processor that is not present in Linux. An APIC ID of all ones is invalid,
 * as in Linux.
 */
static void absent_count(void *to, const struct acpi_subtable_header *header)
{
	const struct acpi_madt_local_x2apic *x2 = (const void *)header;
	const struct acpi_madt_local_apic *x1 = (const void *)header;
	u32 id = U32_MAX, flags = 0;

	if (header->type == ACPI_MADT_TYPE_LOCAL_X2APIC && header->length >= sizeof(*x2)) {
		id = x2->local_apic_id;
		flags = x2->lapic_flags;
	} else if (header->type == ACPI_MADT_TYPE_LOCAL_APIC && header->length >= sizeof(*x1)) {
		id = x1->id == U8_MAX ? U32_MAX : x1->id;
		flags = x1->lapic_flags;
	}
	*(unsigned int *)to += flags & ACPI_MADT_ENABLED && id != U32_MAX && !is_present(id);
}

int machine_check_cpus(void)
{
	unsigned int absent = 0;

	madt_read(absent_count, &absent);
	if (!absent)
		return 0;
	return refused(
		-ENODEV,
		"Linux does not use %u of the machine's processors, which would stay outside the layer and see its memory. Boot without nr_cpus= and disable_cpu_apicid=.",
		absent);
}

/* PCI Express memory mapped configuration (PCI firmware specification 4.1.2). */
static void configs_read(struct bare_layer *layer)
{
	const struct acpi_mcfg_allocation *entry;
	struct acpi_table_header *table;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return;
	for (entry = (void *)table + sizeof(struct acpi_table_mcfg);
	     (void *)(entry + 1) <= (void *)table + table->length && layer->configs < BARE_CONFIGS;
	     entry++)
		layer->config[layer->configs++] = (struct bare_config){
			.physical = entry->address,
			.segment = entry->pci_segment,
			.first = entry->start_bus_number,
			.last = entry->end_bus_number,
		};
	acpi_put_table(table);
}

/* ACPI specification 4.8.3.6; other kinds of registers are not watched. */
static void reset_read(struct bare_layer *layer)
{
	const struct acpi_generic_address *reset = &acpi_gbl_FADT.reset_register;

	if (!(acpi_gbl_FADT.flags & ACPI_FADT_RESET_REGISTER) ||
	    reset->space_id != ACPI_ADR_SPACE_SYSTEM_IO || reset->address > 0xffff)
		return;
	layer->reset_port = reset->address;
	layer->reset_value = acpi_gbl_FADT.reset_value;
}

/*
 * Returns whether Linux has set entries of an IOMMU's table, in place of vectors, in I/O APICs and
 * devices.
 */
static bool interrupts_remapped(void)
{
	for (unsigned int irq = 0; irq < NR_IRQS_LEGACY; irq++) {
		const struct irq_data *data = irq_get_irq_data(irq);

		if (data && data->chip && data->chip->name && !strncmp(data->chip->name, "IR-", 3))
			return true;
	}
	return false;
}

void machine_read(struct bare_layer *layer)
{
	layer->remapped = interrupts_remapped();
	madt_read(io_apic_take, layer);
	configs_read(layer);
	reset_read(layer);
}

/* Returns whether the resource is RAM, which Linux cannot lose. */
static bool is_ram(const struct limpet_image_resource *resource)
{
	return resource->kind == LIMPET_RESOURCE_MEMORY &&
	       region_intersects(resource->first, resource->count, IORESOURCE_SYSTEM_RAM,
				 IORES_DESC_NONE) != REGION_DISJOINT;
}

int machine_allows(struct limpet_ioc_load *load, const struct limpet_image *image)
{
	const struct limpet_image_resource *resource = (const void *)image + image->resources_at;

	for (u32 i = 0; i < image->resources; i++) {
		if (is_ram(&resource[i]))
			return system_refuse(
				load,
				"Memory 0x%llx to 0x%llx is Linux's RAM. Assign the registers of a device instead.",
				resource[i].first, resource[i].first + resource[i].count - 1);
		if (resource[i].kind == LIMPET_RESOURCE_INTERRUPT &&
		    resource[i].first != LIMPET_LINE_LINUX && interrupts_remapped()) {
			system_refuse(
				load,
				"Linux remaps interrupts with an IOMMU, so components cannot get interrupts of devices. Boot Linux with intremap=off.");
			return -EOPNOTSUPP;
		}
	}
	return image_check_barrier(load, image);
}

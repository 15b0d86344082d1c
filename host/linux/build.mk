# SPDX-License-Identifier: GPL-2.0
# The module. core.o: the portable kernel, hal/x86 and entry/, compiled once, with no Linux header on
# the include path, no Linux symbol, stack protector or tracing hook, and optimised as one piece. (Its
# returns are marked for Linux, which makes plain ones of them where the processor allows.) Then, for
# each kernel, host/linux by kbuild in build/module-KERNEL/.

CORE_FLAGS := -std=gnu11 -O2 -g -ffreestanding -nostdinc \
	-isystem $(shell $(CC) -print-file-name=include 2>/dev/null) \
	-I. -Ihal -Ihal/x86 -Iinclude -Ibuild/core \
	-mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fno-pie -fno-stack-protector \
	-fno-jump-tables -mfunction-return=thunk-extern -fno-strict-aliasing -fomit-frame-pointer -fcf-protection=none \
	-fno-asynchronous-unwind-tables -flto -Wall -Wextra -Werror -MMD -MP
CORE_SOURCES := $(wildcard kernel/*.c hal/*.c hal/x86/*.c) entry/switch.c entry/exception.c entry/guest_switch.c \
	host/bare/tables.c host/bare/policy.c host/bare/svm/control.c $(IMAGE_CHECK)
CORE_ASM := entry/syscall.S entry/trap.S entry/barrier.S entry/beside.S entry/guest.S
CORE_OBJECTS := $(CORE_SOURCES:%.c=build/core/%.o) $(CORE_ASM:%.S=build/core/%.o)

build/core/offsets.s: entry/offsets.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CORE_FLAGS) -fno-lto -MT $@ -S $< -o $@

build/core/offsets.h: build/core/offsets.s
	$(Q)sed -n 's/^.*->\([A-Z0-9_]*\) \$$\(-\?[0-9]*\).*$$/#define \1 \2/p' $< > $@

build/core/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CORE_FLAGS) -c $< -o $@

build/core/%.o: %.S build/core/offsets.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CORE_FLAGS) -c $< -o $@

build/core/core.o: $(CORE_OBJECTS) host/linux/build.mk
	@echo "kernel core"
	$(Q)$(CC) $(CORE_FLAGS) -Wno-maybe-uninitialized -r -nostdlib -flinker-output=nolto-rel -o build/core/linked.o $(CORE_OBJECTS)
	$(Q)objcopy -L memcpy -L memset --rename-section .text.unlikely=.text build/core/linked.o
	$(Q)$(LD) -r -o build/core/one-text.o build/core/linked.o
	$(Q)$(call LIST_RETURNS,build/core/one-text.o,core,entry_syscall) >build/core/returns.S
	$(Q)$(call LIST_LOADS,build/core/one-text.o,core,entry_syscall) >>build/core/returns.S
	$(Q)objcopy --wildcard --strip-symbol 'barrier_site_*' build/core/one-text.o
	$(Q)$(CC) $(CORE_FLAGS) -c build/core/returns.S -o build/core/returns.o
	$(Q)$(LD) -r -o $@ build/core/one-text.o build/core/returns.o

# NAME_returns: the distances of all returns from the symbol BASE, of a file's text. A return is a jump with a relocation,
# which is at the byte after the opcode.
LIST_RETURNS = readelf -rsW $(1) | awk 'BEGIN { print ".section .rodata\n.globl $(2)_returns, $(2)_returns_end\n.balign 4\n$(2)_returns:" } \
	$$1 == "Relocation" { text = $$3 ~ /\.rela\.text\047/ } \
	$$5 == "__x86_return_thunk" && $$6 == "-" { printf text ? ".long 0x%s - 1 - base\n" : ".error \"a return at 0x%s is not in .text\"\n", $$1 } \
	$$8 == "$(3)" { base = $$2 } \
	END { print ".set base, 0x" base "\n$(2)_returns_end:\n.section .note.GNU-stack, \"\", @progbits" }'

# NAME_loads: the distances of all loads of page tables from the symbol BASE (hal_page_table_load), lowest first. Each has
# a symbol.
LIST_LOADS = readelf -sW $(1) | sort -k2,2 | awk 'BEGIN { print ".section .rodata\n.globl $(2)_loads, $(2)_loads_end\n.balign 4\n$(2)_loads:" } \
	$$8 ~ /^barrier_site_/ { print ".long 0x" $$2 " - base_of_loads" } \
	$$8 == "$(3)" { base = $$2 } \
	END { print ".set base_of_loads, 0x" base "\n$(2)_loads_end:" }'

# The layer beneath: the same kernel with host/bare, an image of its own, linked to one address.
BARE_FLAGS := $(CORE_FLAGS) -Ibuild/bare
BARE_SOURCES := $(wildcard kernel/*.c hal/*.c hal/x86/*.c) entry/exception.c $(IMAGE_CHECK) \
	$(patsubst %,host/bare/%.c,apic apic_access apic_msr apic_processor apic_timer call channel cpu death exit guest io_apic \
		layer memory msr pci policy port resource resource_event restart run system tables trace svm/control svm/state)
BARE_ASM := entry/syscall.S entry/trap.S entry/barrier.S host/bare/msr_access.S host/bare/svm/guard.S host/bare/svm/vmrun.S host/bare/svm/switch.S
BARE_OBJECTS := $(BARE_SOURCES:%.c=build/bare/%.o) $(BARE_ASM:%.S=build/bare/%.o)

build/bare/offsets.s: host/bare/offsets.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BARE_FLAGS) -fno-lto -MT $@ -S $< -o $@

build/bare/bare-offsets.h: build/bare/offsets.s
	$(Q)sed -n 's/^.*->\([A-Z0-9_]*\) \$$\(-\?[0-9]*\).*$$/#define \1 \2/p' $< > $@

build/bare/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(BARE_FLAGS) -c $< -o $@

build/bare/%.o: %.S build/bare/bare-offsets.h build/core/offsets.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(BARE_FLAGS) -c $< -o $@

build/bare/bare.bin: $(BARE_OBJECTS) host/bare/image.lds host/linux/build.mk
	@echo "layer beneath"
	$(Q)$(CC) $(BARE_FLAGS) -Wno-maybe-uninitialized -r -nostdlib -flinker-output=nolto-rel -o build/bare/bare.o $(BARE_OBJECTS)
	$(Q)$(LD) -q -T host/bare/image.lds -o build/bare/bare.elf build/bare/bare.o
	$(Q)$(call LIST_RETURNS,build/bare/bare.elf,bare,bare_header) >build/bare/bare-returns.S
	$(Q)$(call LIST_LOADS,build/bare/bare.elf,bare,bare_header) >>build/bare/bare-returns.S
	$(Q)objcopy -O binary build/bare/bare.elf $@

-include $(BARE_OBJECTS:.o=.d) build/bare/offsets.d
-include $(CORE_OBJECTS:.o=.d) build/core/offsets.d

# The build folder has links to the sources, in the same subfolders. Links to deleted sources are removed.
MODULE_SOURCES := $(wildcard host/linux/*.[chS] host/linux/*/*.[chS]) host/linux/Kbuild

# KERNEL=running builds for the kernel of this machine, against its installed headers. DKMS uses it. The harness builds
# for all other kernels.
RUNNING_BUILD ?= /lib/modules/$(shell uname -r)/build
KBUILD ?= $(if $(filter running,$*),$(MAKE) -C $(RUNNING_BUILD),$(PYTHON) -m tests.harness.kbuild $* make)

# Warnings of objtool, Linux's checker of kernel code, fail the build for these kernels. The objects are then removed,
# because kbuild does not check an object again that has not changed.
WITHOUT_WARNINGS := 6.1 6.12 newest newest-rt newest-cloud

# The module has no BTF, because pahole cannot read the debug information of core.o, which has link-time optimisation.
# Another configuration of the debug kernel has other structures.
build/module-6.1-debug/limpet.ko: tests/harness/guest/debug.config
build/module-%/limpet.ko: build/core/core.o build/bare/bare.bin $(MODULE_SOURCES)
	@mkdir -p $(sort $(dir $(MODULE_SOURCES:host/linux/%=$(@D)/%))) && find $(@D) -xtype l -delete
	@for file in $(MODULE_SOURCES:host/linux/%=%); do ln -sfn $(CURDIR)/host/linux/$$file $(@D)/$$file; done
	@cp build/core/core.o $(@D)/core.o_shipped
	@echo 'source_$(CURDIR)/$(@D)/core.o := $(CURDIR)/$(@D)/core.o_shipped' > $(@D)/.core.o.cmd
	@echo "module for Linux $*"
	+$(Q)$(KBUILD) -s M=$(CURDIR)/$(@D) LIMPET=$(CURDIR) CONFIG_DEBUG_INFO_BTF_MODULES= modules >$(@D)/kbuild.log 2>&1; \
		status=$$?; cat $(@D)/kbuild.log; [ $$status = 0 ] || exit $$status; \
		[ -z "$(filter $*,$(WITHOUT_WARNINGS))" ] || ! grep -q 'warning: objtool' $(@D)/kbuild.log || \
		{ find $(@D) -name '*.o' -delete; rm $@; exit 1; }

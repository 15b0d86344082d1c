# SPDX-License-Identifier: GPL-2.0
# build/restart/restart.bin: code of 32 bits that runs wherever it is: linked to two addresses it is the
# same, and fits before the plan.

RESTART_FLAGS := -m32 -march=i686 -std=gnu11 -O2 -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
	-fcf-protection=none -mgeneral-regs-only -fno-asynchronous-unwind-tables \
	-fno-tree-loop-distribute-patterns -I. -Wall -Wextra -Werror
RESTART_OBJECTS := build/restart/entry.o build/restart/restart.o
RESTART_SIZE_MAX := 4096

build/restart/%.o: host/restart/%.c host/restart/restart.h host/restart/bus_masters.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(RESTART_FLAGS) -c $< -o $@

build/restart/%.o: host/restart/%.S host/restart/restart.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(RESTART_FLAGS) -D__ASSEMBLER__ -c $< -o $@

build/restart/restart.bin: $(RESTART_OBJECTS)
	@echo "code of restarts"
	$(Q)$(LD) -m elf_i386 --oformat binary -e 0 -Ttext 0x400000 -o $@.moved $^
	$(Q)$(LD) -m elf_i386 --oformat binary -e 0 -Ttext 0 -o $@ $^
	$(Q)cmp $@ $@.moved && test $$(stat -c %s $@) -le $(RESTART_SIZE_MAX)

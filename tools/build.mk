# SPDX-License-Identifier: BSD-2-Clause
# Components, systems and interface pages; included by the top Makefile.
#
#   make components                   build/components/NAME.o for all component folders NAME or GROUP/NAME
#                                     below a folder of components
#   make systems                      build/systems/NAME.limpet, .txt and .svg of all systems
#   make interface-pages              build/docs/interfaces/NAME.md
#   make guest-calls                  build/docs/guest-calls.md: the table of system calls of lib/guest
#   make schema                       build/system.schema.json: the JSON Schema of system files, for editors
#   make check-compose                tests of composer, generator and image checker
#   make COMPONENT_DIRS="components DIR" ...    also those in folder DIR, outside the tree;
#                                     likewise INTERFACE_DIRS and SYSTEM_DIRS
#   make V=1 ...                      shows the commands

BUILD ?= build
COMPONENT_DIRS ?= components
SYSTEM_DIRS ?= systems
INTERFACE_DIRS ?= interfaces
PYTHON ?= /usr/bin/python3
V ?=

# FreeRTOS is not in the tree. FREERTOS=DIR names a folder with its kernel and its demo, and adds the systems of lib/freertos/demo.
ifneq ($(FREERTOS),)
override COMPONENT_DIRS += lib/freertos/demo
override SYSTEM_DIRS += lib/freertos/demo
endif
freertos_folder = $(abspath $(patsubst %/$(1),%,$(firstword $(wildcard $(patsubst %,$(FREERTOS)/%/$(1),$(2))))))
FREERTOS_KERNEL = $(call freertos_folder,tasks.c,. kernel Source FreeRTOS/Source)
FREERTOS_DEMO = $(call freertos_folder,Common,. Demo FreeRTOS/Demo demo/FreeRTOS/Demo)

COMPOSE_FILES := $(wildcard tools/compose/*.py)
RUNTIME_FILES := $(wildcard $(foreach d,runtime sync buffer channel fifo socket topic http guest executive rtlinux rust,lib/$(d)/*.[chS]) shared/*/*.[ch])
ABI_FILES := $(wildcard include/limpet/*.h)
INTERFACE_FILES := $(wildcard $(INTERFACE_DIRS:%=%/*/interface.toml))
COMPONENT_FILES := $(wildcard $(COMPONENT_DIRS:%=%/*/component.toml) $(COMPONENT_DIRS:%=%/*/*/component.toml))
COMPONENT_OBJECTS := $(COMPONENT_FILES:%/component.toml=%)
COMPONENT_NAMES := $(notdir $(COMPONENT_OBJECTS))
COMPONENT_TWICE := $(strip $(foreach n,$(sort $(COMPONENT_NAMES)),$(if $(word 2,$(filter $(n),$(COMPONENT_NAMES))),$(n))))
ifneq ($(COMPONENT_TWICE),)
$(error $(COMPONENT_DIRS): two components are named $(COMPONENT_TWICE). System files name a component by its folder's name only. Rename one)
endif
COMPONENT_OBJECTS := $(foreach d,$(COMPONENT_OBJECTS),$(BUILD)/components/$(notdir $(d)).o)
SYSTEM_FILES := $(wildcard $(SYSTEM_DIRS:%=%/*.toml))
SYSTEM_IMAGES := $(foreach f,$(SYSTEM_FILES),$(BUILD)/systems/$(notdir $(f:.toml=.limpet)))
INTERFACE_PAGES := $(foreach f,$(INTERFACE_FILES),$(BUILD)/docs/interfaces/$(notdir $(f:%/interface.toml=%)).md)

# Functions of the C library that lib/posix replaces.
POSIX_LIBRARY := sched_setscheduler sched_getscheduler sched_setparam sched_getparam
POSIX_FILES := $(wildcard lib/posix/*.[chS])

# Evaluated when the first component is compiled, because Python may not be installed when this file is read.
COMPONENT_CFLAGS = $(eval COMPONENT_CFLAGS := $$(shell tools/limpet-component --print-flags))$(COMPONENT_CFLAGS)
RUNTIME_SOURCES := $(filter-out %.h,$(RUNTIME_FILES)) $(BUILD)/guest/table.c
RUNTIME := $(foreach r,runtime runtime-fpu runtime-pool runtime-pool-fpu,$(BUILD)/lib/$(r).a) $(BUILD)/lib/posix.o
STUBS := $(BUILD)/interfaces/.made

.PHONY: components systems interface-pages guest-calls schema check-compose
components: $(COMPONENT_OBJECTS)
# Components outside the tree are built even if no system file names them, so that their errors are found.
OUTSIDE_FILES := $(filter-out components/%,$(COMPONENT_FILES))
OUTSIDE_OBJECTS := $(foreach f,$(OUTSIDE_FILES),$(BUILD)/components/$(notdir $(f:%/component.toml=%)).o)
systems: $(SYSTEM_IMAGES) $(OUTSIDE_OBJECTS)
interface-pages: $(INTERFACE_PAGES)

SCHEMA := $(BUILD)/system.schema.json
schema: $(SCHEMA)
$(SCHEMA): $(COMPOSE_FILES) $(ABI_FILES) docs/reference/system-toml.md
	@mkdir -p $(@D)
	@echo "schema $@"
	$(Q)$(PYTHON) -B -m tools.compose.schema >$@

# Stubs of all interfaces: <import/NAME.h>, <export/NAME.h>, for the runtime and for unit tests; <host/NAME.h>, for
# Linux processes.
$(STUBS): $(INTERFACE_FILES) $(COMPOSE_FILES)
	@mkdir -p $(@D)
	@set -e; for file in $(INTERFACE_FILES); do \
		name=$$(basename $$(dirname $$file)); \
		$(PYTHON) -B -m tools.compose.interface $$file --client $(@D)/import/$$name.h --host $(@D)/host/$$name.h \
			--header $(@D)/export/$$name.h --server $(@D)/export/$$name.S; \
	done
	@touch $@

# lib/guest's table of Linux's system calls, from the headers of the newest kernel, which has the most calls; its numbers
# are <guest/numbers.h>.
GUEST_KERNEL := 6.12
GUEST := $(BUILD)/guest/.made
$(GUEST): $(wildcard lib/guest/*.toml tools/guest/*.py) tools/compose/errors.py
	@mkdir -p $(@D)
	@headers=$$($(PYTHON) -B -m tests.harness.kernels $(GUEST_KERNEL) headers) && $(PYTHON) -B -m tools.guest --headers $$headers \
		--table $(@D)/table.c --numbers $(BUILD)/lib/include/guest/numbers.h --page $(BUILD)/docs/guest-calls.md
	@touch $@
guest-calls: $(GUEST)
$(BUILD)/guest/table.c $(BUILD)/lib/include/guest/numbers.h: $(GUEST)

# The runtime for components without and with vector registers, which differ in the stubs, and for those with a pool of
# stacks, which differ in the start routine and limpet_thread_id().
define RUNTIME_RULE
$(BUILD)/$(1)/%.o: % $(filter %.h,$(RUNTIME_FILES)) $(ABI_FILES) $(STUBS)
	@mkdir -p $$(@D)
	$(if $(V),,@)$$(CC) $$(COMPONENT_CFLAGS) $(2) -I$(BUILD)/interfaces -I$(BUILD)/lib/include -c -o $$@ $$<
$(patsubst %,$(BUILD)/$(1)/%.o,$(filter lib/guest/% lib/executive/%,$(RUNTIME_SOURCES))): $(GUEST)

$(BUILD)/lib/$(1).a: $(RUNTIME_SOURCES:%=$(BUILD)/$(1)/%.o)
	@mkdir -p $$(@D) && rm -f $$@
	$(if $(V),,@)$$(AR) rcsD $$@ $$^
endef
$(eval $(call RUNTIME_RULE,runtime,-mgeneral-regs-only))
$(eval $(call RUNTIME_RULE,runtime-fpu,-DLIMPET_FPU))
$(eval $(call RUNTIME_RULE,runtime-pool,-mgeneral-regs-only -DLIMPET_STACK_POOL))
$(eval $(call RUNTIME_RULE,runtime-pool-fpu,-DLIMPET_FPU -DLIMPET_STACK_POOL))

# The names of Linux's system calls, for messages of lib/posix: a line for each, NAME(read).
POSIX_NAMES := $(BUILD)/lib/include/posix/names.h
$(POSIX_NAMES):
	@mkdir -p $(@D)
	@echo '#include <asm/unistd.h>' | $(CC) -E -dM -xc - | sed -n 's/^#define __NR_\([a-z0-9_]*\) [0-9]*$$/NAME(\1)/p' | sort >$@

# lib/posix with the runtime, for programs: of its names they see only those that the composer needs.
$(BUILD)/lib/posix/%.o: lib/posix/% $(filter %.h,$(RUNTIME_FILES) $(POSIX_FILES)) $(ABI_FILES) $(STUBS) $(POSIX_NAMES)
	@mkdir -p $(@D)
	$(if $(V),,@)$(CC) $(COMPONENT_CFLAGS) -mgeneral-regs-only -I$(BUILD)/interfaces -I$(BUILD)/lib/include -c -o $@ $<

$(BUILD)/lib/posix.o: $(patsubst lib/%,$(BUILD)/lib/%.o,$(filter-out %.h,$(POSIX_FILES))) $(BUILD)/lib/runtime.a
	$(if $(V),,@)$(LD) -r -z noexecstack -u __limpet_start -u posix_fault $(POSIX_LIBRARY:%=-u %) -o $@ $^
	$(if $(V),,@)objcopy -G __limpet_start -G limpet_thread_begin -G posix_fault $(POSIX_LIBRARY:%=-G %) $@

# Source packages of Debian that components are made of: links to the cache.
PACKAGES = $(shell sed -n 's/^package *= *"\(.*\)"/\1/p' $(1)/component.toml)
$(BUILD)/packages/%:
	@$(PYTHON) -B -m tests.harness.sources $* $@
.PRECIOUS: $(BUILD)/packages/%

# The package `freertos` is two links, made again in each run because FREERTOS can change.
.PHONY: freertos-links
freertos-links:
	@test -n '$(FREERTOS_KERNEL)' -a -n '$(FREERTOS_DEMO)' || { echo "FREERTOS=$(FREERTOS): the folder has no FreeRTOS \
	kernel (tasks.c) or no demo (Common), name the top folder of a release of FreeRTOS"; exit 1; }
	@mkdir -p $(BUILD)/packages/freertos
	@ln -sfn $(FREERTOS_KERNEL) $(BUILD)/packages/freertos/kernel
	@ln -sfn $(FREERTOS_DEMO) $(BUILD)/packages/freertos/demo
$(BUILD)/packages/freertos: freertos-links ;
$(BUILD)/components/freertos-demo.o: $(wildcard lib/freertos/*.[chS])

# One component: rebuilt whole when a file of its folder, a library, the runtime or an interface changes.
# Schedulers share lib/sched, and nested ones the policy of their namesake.
define COMPONENT_RULE
$(BUILD)/components/$(notdir $(1)).o: $(wildcard $(1)/* $(1:.nested=)/* $(if $(findstring sched.,$(1)),lib/sched/*)) $(RUNTIME) $(INTERFACE_FILES) $(COMPOSE_FILES) \
		$(if $(wildcard $(1)/*.rs),$(wildcard lib/rust/*.rs $(1)/*/*.rs)) | $(patsubst %,$(BUILD)/packages/%,$(call PACKAGES,$(1)))
	@echo "component $(notdir $(1))"
	@tools/limpet-component $(1) -o $$@ $(INTERFACE_DIRS:%=--interfaces %) --runtime $(BUILD)/lib --packages $(BUILD)/packages $(if $(V),-v)
endef
$(foreach f,$(COMPONENT_FILES),$(eval $(call COMPONENT_RULE,$(f:%/component.toml=%))))

# A system is rebuilt when one of its components is. The first function returns FILE:OBJECT of all components in the
# system files $(1). The second returns the object of such a word $(1) if it belongs to $(2). The composer refuses
# unknown components.
SYSTEM_OBJECTS = $(shell awk -F'"' '/^image *=/ { print FILENAME ":$(BUILD)/components/" $$2 ".o" }' $(1) /dev/null)
SYSTEM_OBJECT = $(filter $(2),$(lastword $(subst :, ,$(1))))
$(foreach has,$(call SYSTEM_OBJECTS,$(SYSTEM_FILES)),$(eval \
	$(BUILD)/systems/$(notdir $(basename $(firstword $(subst :, ,$(has))))).limpet: $(call SYSTEM_OBJECT,$(has),$(COMPONENT_OBJECTS))))

define SYSTEM_RULE
$(BUILD)/systems/%.limpet: $(1)/%.toml $(BUILD)/components/booter.o $(COMPOSE_FILES) $(wildcard $(1)/*-files/*)
	@mkdir -p $$(@D)
	@echo "system $$*"
	@tools/limpet-compose $$< -o $$@ $(COMPONENT_DIRS:%=--components %) \
		$(INTERFACE_DIRS:%=--interfaces %) --objects $(BUILD)/components \
		--report $$(@:.limpet=.txt) $(if $(shell command -v dot),--svg $$(@:.limpet=.svg))
endef
$(foreach folder,$(SYSTEM_DIRS),$(eval $(call SYSTEM_RULE,$(folder))))

$(BUILD)/docs/interfaces/%.md: $(INTERFACE_FILES) $(COMPOSE_FILES)
	@mkdir -p $(@D)
	@$(PYTHON) -B -m tools.compose.interface $(filter %/$*/interface.toml,$(INTERFACE_FILES)) --page $@

# The kernel module's checker, for limpet-compose --check.
$(BUILD)/tools/image-check: tools/compose/image-check.c $(wildcard shared/image/*.[ch]) $(ABI_FILES)
	@mkdir -p $(@D)
	$(if $(V),,@)$(CC) -std=gnu11 -O2 -Wall -Wextra -Werror -Ishared -Iinclude -o $@ $(filter %.c,$^)

check-compose:
	@$(PYTHON) -B -m pytest -q tests/unit/compose tests/unit/image tests/compose

# SPDX-License-Identifier: BSD-2-Clause
#
# Builds components and systems outside Limpet's tree. In a Makefile of yours:
#
#   LIMPET := /path/to/limpet
#   include $(LIMPET)/components/limpet-component.mk
#
# Each folder next to the Makefile that has a component.toml becomes build/FOLDER.o, each SYSTEM.toml becomes
# build/SYSTEM.limpet. interfaces/ and packages/ next to it are searched before Limpet's. Targets:
#   all
#   unit-test     compiles and runs tests/NAME_test.c, .cpp or .rs on this machine
#   system-test   runs tests/NAME.sh with build/NAME.limpet in QEMU; KERNEL=... selects the kernel
#   test          unit-test and system-test
#   clean

ifndef LIMPET
$(error LIMPET is not set: write LIMPET := /path/to/limpet above the include)
endif

LIMPET_BUILD      ?= build
LIMPET_COMPONENTS ?= $(patsubst %/component.toml,%,$(wildcard */component.toml))
LIMPET_SYSTEMS    ?= $(wildcard *.toml)

LIMPET_OBJECTS    := $(LIMPET_COMPONENTS:%=$(LIMPET_BUILD)/%.o)
LIMPET_IMAGES     := $(LIMPET_SYSTEMS:%.toml=$(LIMPET_BUILD)/%.limpet)
LIMPET_INTERFACES := $(wildcard interfaces/*/interface.toml)
LIMPET_FOLDERS    := $(if $(LIMPET_INTERFACES),--interfaces interfaces) \
	--interfaces $(LIMPET)/interfaces

LIMPET_PACKAGES   := --packages packages --packages $(LIMPET)/build/packages

.PHONY: all clean limpet-tree unit-test system-test test
.DEFAULT_GOAL := all

all: $(LIMPET_OBJECTS) $(LIMPET_IMAGES)

clean:
	rm -rf $(LIMPET_BUILD)

test: unit-test system-test

# A unit test includes the source of its component. The component's headers declare the functions of its imports, and
# the test defines these functions.
LIMPET_UNIT_TESTS := $(patsubst tests/%_test.c,$(LIMPET_BUILD)/tests/%,$(wildcard tests/*_test.c)) \
	$(patsubst tests/%_test.cpp,$(LIMPET_BUILD)/tests/%,$(wildcard tests/*_test.cpp)) \
	$(patsubst tests/%_test.rs,$(LIMPET_BUILD)/tests/%,$(wildcard tests/*_test.rs))
LIMPET_UNIT_FLAGS ?= -std=gnu11 -O1 -g -Wall -Wextra -fsanitize=address,undefined
LIMPET_UNIT_CXXFLAGS ?= $(filter-out -std=%,$(LIMPET_UNIT_FLAGS))

$(LIMPET_BUILD)/tests/%: tests/%_test.c $(LIMPET_BUILD)/%.o
	@mkdir -p $(@D)
	@$(CC) $(LIMPET_UNIT_FLAGS) -DLIMPET_FAKE_KERNEL -I$(LIMPET_BUILD)/$*.d -I$* -I$(LIMPET)/lib -I$(LIMPET)/shared \
		-I$(LIMPET)/include -o $@ $< $(if $(shell grep -l '^libc' $*/component.toml),,$(LIMPET)/lib/runtime/info.c)

$(LIMPET_BUILD)/tests/%: tests/%_test.cpp $(LIMPET_BUILD)/%.o
	@mkdir -p $(@D)
	@$(CXX) $(LIMPET_UNIT_CXXFLAGS) -DLIMPET_FAKE_KERNEL -I$(LIMPET_BUILD)/$*.d -I$* -I$(LIMPET)/lib -I$(LIMPET)/shared \
		-I$(LIMPET)/include -o $@ $<

# A unit test in Rust is a module of its component.
$(LIMPET_BUILD)/tests/%: tests/%_test.rs $(LIMPET_BUILD)/%.o
	@mkdir -p $(@D)
	@$(LIMPET)/tools/limpet-component $* --unit-test -o $@ $(LIMPET_FOLDERS)

unit-test: $(LIMPET_UNIT_TESTS)
	@for test in $^; do $$test || { echo "unit test $${test##*/}: FAILED"; exit 1; }; echo "unit test $${test##*/}: ok"; done

system-test: all
	@for test in $(wildcard tests/*.sh); do name=$$(basename $$test .sh); \
		$(LIMPET)/tools/limpet-kit try $(LIMPET_BUILD)/$$name.limpet --script $$test $(KERNEL:%=--kernel %) || exit 1; \
		echo "system test $$name: ok"; done

# Limpet's own components and the runtime, which has its own idea of what is up to date.
limpet-tree:
	@$(if $(wildcard $(LIMPET)/Makefile),$(MAKE) -s -C $(LIMPET) --no-print-directory components)

$(LIMPET)/build/lib/runtime.a: | limpet-tree ;

define limpet_component_rule
$(LIMPET_BUILD)/$(1).o: $(wildcard $(1)/*) $(LIMPET_INTERFACES) $(LIMPET)/build/lib/runtime.a
	@mkdir -p $$(@D)
	@echo "component $(1)"
	@$(LIMPET)/tools/limpet-component $(1) -o $$@ $(LIMPET_FOLDERS) --runtime $(LIMPET)/build/lib \
		$(LIMPET_PACKAGES)
endef
$(foreach name,$(LIMPET_COMPONENTS),$(eval $(call limpet_component_rule,$(name))))

$(LIMPET_BUILD)/%.limpet: %.toml $(LIMPET_OBJECTS) | limpet-tree
	@mkdir -p $(@D)
	@echo "system $*"
	@$(LIMPET)/tools/limpet-compose $< -o $@ --report $(@:.limpet=.txt) --debug $(@:.limpet=.debug) \
		$(if $(shell command -v dot),--svg $(@:.limpet=.svg)) --components . --components $(LIMPET)/components \
		$(LIMPET_FOLDERS) --objects $(LIMPET_BUILD) --objects $(LIMPET)/build/components

# SPDX-License-Identifier: BSD-2-Clause
#
# Builds components and systems outside Limpet's tree. In a Makefile of yours:
#
#   LIMPET := /path/to/limpet
#   include $(LIMPET)/components/limpet-component.mk
#
# Each folder beside the Makefile that has a component.toml becomes build/FOLDER.o, each SYSTEM.toml
# becomes build/SYSTEM.limpet; interfaces/ and packages/ beside it are searched before Limpet's. Targets: all, clean.

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

.PHONY: all clean limpet-tree
.DEFAULT_GOAL := all

all: $(LIMPET_OBJECTS) $(LIMPET_IMAGES)

clean:
	rm -rf $(LIMPET_BUILD)

# Limpet's own components and the runtime, which has its own idea of what is up to date.
limpet-tree:
	@$(MAKE) -C $(LIMPET) --no-print-directory components

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
	@$(LIMPET)/tools/limpet-compose $< -o $@ --report $(@:.limpet=.txt) --components . --components $(LIMPET)/components \
		$(LIMPET_FOLDERS) --objects $(LIMPET_BUILD) --objects $(LIMPET)/build/components

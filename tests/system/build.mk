# SPDX-License-Identifier: GPL-2.0
# Parts of system tests, besides the C programs that the top Makefile builds:
#
#   tests/system/GROUP/NAME/COMPONENT/component.toml   a component, to build/components/COMPONENT.o
#   tests/system/GROUP/NAME/SYSTEM.toml                a system of it and of components/, to
#                                                      build/system/GROUP/NAME/SYSTEM.limpet, next to run.sh in the guest
#   tests/system/lib/MODULE/                           a module for each kernel, build/MODULE-KERNEL/MODULE.ko,
#                                                      with the headers of tests/system/lib/module

TEST_COMPONENTS := $(patsubst %/component.toml,%,$(wildcard tests/system/*/*/component.toml tests/system/*/*/*/component.toml))
TEST_SYSTEMS := $(filter-out %/test.toml %/component.toml,$(wildcard tests/system/*/*.toml tests/system/*/*/*.toml))
TEST_IMAGES := $(TEST_SYSTEMS:tests/%.toml=build/%.limpet)
TEST_MODULES := $(patsubst tests/system/lib/%/Kbuild,%,$(wildcard tests/system/lib/*/Kbuild))
# The cloud kernel 6.1 does not export the functions that the module banks calls.
TEST_MODULE_FILES := $(filter-out build/banks-6.1-cloud/banks.ko,$(foreach m,$(TEST_MODULES),$(KERNELS:%=build/$(m)-%/$(m).ko)))

$(foreach f,$(TEST_COMPONENTS),$(eval $(call COMPONENT_RULE,$(f))))
$(foreach c,$(TEST_COMPONENTS),build/components/$(notdir $(c)).o): $(wildcard tests/system/hostile/lib/* tests/system/lib/*.c)

# The network stack and its clients with faults.
$(foreach c,net http.files http.status http.parse http.accept tcp.sink,$(eval \
	build/components/$(c).frail.o: $(wildcard components/*/$(c)/*.[ch])))

# Schedulers with faults, which use another scheduler's policy.
build/components/sched.frail.o build/components/sched.frail.nested.o: components/system/sched.fixed-priority/policy.h

# Programs that call components.
build/system/channel/call/caller: $(STUBS)

# Components, too: some systems are composed by build.py.
TEST_COMPONENT_OBJECTS := $(foreach c,$(TEST_COMPONENTS),build/components/$(notdir $(c)).o)
test-programs: $(TEST_COMPONENT_OBJECTS) $(TEST_IMAGES) $(TEST_MODULE_FILES)

TEST_OBJECTS := $(COMPONENT_OBJECTS) $(TEST_COMPONENT_OBJECTS)
$(foreach has,$(call SYSTEM_OBJECTS,$(TEST_SYSTEMS)),$(eval \
	$(patsubst tests/%.toml,build/%.limpet,$(firstword $(subst :, ,$(has)))): $(call SYSTEM_OBJECT,$(has),$(TEST_OBJECTS))))

$(TEST_IMAGES): build/%.limpet: tests/%.toml build/components/booter.o $(COMPOSE_FILES) $(wildcard tests/system/*/*/files/*)
	@mkdir -p $(@D)
	@echo "system $*"
	@tools/limpet-compose $< -o $@ $(COMPONENT_DIRS:%=--components %) --components $(<D) \
		$(INTERFACE_DIRS:%=--interfaces %) --objects build/components

# $(1) is the module. Each kernel has its own objects in a copy of the module's folder.
define TEST_MODULE_RULE
build/$(1)-%/$(1).ko: $(wildcard tests/system/lib/$(1)/* tests/system/lib/module/*.h)
	@mkdir -p $$(@D)
	@cp $$^ $$(@D)/
	+@$$(PYTHON) -m tests.harness.kbuild $$* make -s M=$$(CURDIR)/$$(@D) \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules
endef
$(foreach m,$(TEST_MODULES),$(eval $(call TEST_MODULE_RULE,$(m))))

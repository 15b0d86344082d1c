# SPDX-License-Identifier: GPL-2.0
# The targets of Limpet that people run. `make help` lists them.

SYSTEM ?= demo
# Empty means each target's own default.
KERNEL ?=
CPUS ?=
MODE ?=
BATCH ?=
SUITE ?=
RELEASE ?=
ACCEL ?= tcg
# Python packages come from Debian, so this must be Debian's Python.
PYTHON ?= /usr/bin/python3
# Versions of clang-format format differently. Debian 12 and 13 both have this one.
CLANG_FORMAT ?= clang-format-19

# V=1 shows the commands.
Q := $(if $(V),,@)

export ACCEL LIMPET_CACHE
export PYTHONDONTWRITEBYTECODE = 1
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := all

STOCK := 6.1 6.12 6.1-rt 6.12-rt
# Kernels on which `make test-all` runs only these properties: attach, run, hostile components, stop and detach.
MINOR := 6.1-cloud 6.12-cloud 7.2 newest-rt newest-cloud
MINOR_PROPERTIES := attach-detach hostile-calls hostile-stop guest-calls beneath-attach
RESULTS := build/results
PYTEST := $(PYTHON) -m pytest --import-mode=importlib -p no:cacheprovider -o junit_family=xunit1
# Limits of lines of code: the first limit, and each raise with its reason.
#   core 8000
#     +500 Linux's ends of channels, with network devices
#     +250 TAP devices
#     +150 guests
#     +250 several systems at a time
#     +350 mitigations of speculation at entries (281 lines), signals to components' threads that compute (33)
#      +70 Linux up to 7.3
#     +210 FIFOs and shared buffers
#      +80 no routing through components, processors without INVPCID
#     +130 accounts of jobs, separate rights of components, suspend, the cause of a host process's death
#      +40 comparison with untried kernels
#      +80 calls for a debugger
#      +30 added memory
#     +170 branch predictor barriers between components
#      +20 a major number for the nodes of channels, and memory that is allocated without locks
#   layer 4000
#     +100 mitigations of speculation (85 lines)
#   guests 2950
#     +250 guests that executives schedule
#     +850 executives that stack (451 lines), signals and exceptions (325)
#      +50 other calls of Linux, address spaces
SLOC_LIMIT := 10330
BARE_LIMIT := 4100
GUEST_LIMIT := 4100
# Page-table isolation in beside mode, which only processors with Meltdown execute.
ISOLATE_LIMIT := 400
SLOC_FOLDERS := $(wildcard kernel hal entry host/linux)
GUEST_PARTS := $(wildcard kernel/guest* entry/guest* host/linux/guest)
C_FOLDERS := $(wildcard bench cli components entry hal host include interfaces kernel lib shared tests tools)
# These are not C: assembler macros, and the expected output of the interface generator.
C_FILES = $(shell find $(C_FOLDERS) -regex '.*[.]\(c\|h\|cpp\)' -not -path '*/snapshot/*' -not -path entry/asm.h -not -path entry/registers.h -not -name snip_asm.h)

# The check of images, which the module, the layer, the booter, the command and the tools link.
IMAGE_CHECK := $(sort $(wildcard shared/image/check*.c))

# Each part of the tree has its own rules.
-include packaging/version.mk host/linux/build.mk host/restart/build.mk components/build.mk tools/build.mk cli/build.mk
-include bench/build.mk tests/unit/build.mk tests/model/build.mk tests/objtool/build.mk docs/site/build.mk packaging/install.mk

.PHONY: help all product run try test check downloads bench debug-test fresh-test test-all test-results clean deps module components systems \
	cli test-programs format format-check objtool sparse sparse-module check-parts check-others unit unit-programs \
	unit-python lines system-test minor-test fresh-run

help:	## this text
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile docs/site/build.mk packaging/install.mk | expand -t 16
	@echo
	@echo 'SYSTEM=demo  KERNEL="6.1 6.12 6.1-rt 6.12-rt newest newest-rt newest-cloud 7.2 running"  CPUS="1 2"  MODE=beside|beneath  BATCH=1  SUITE=table1|table2|table2-beneath|table3|net|host|sched|fault|trace|beneath|scale|exec|rtlinux|rtlinux-beneath  ACCEL=tcg|kvm'

# --- build

product: module components systems cli bench-programs liblimpet
	@:
all: product test-programs	## everything, for KERNEL (default: 6.1 6.12)

deps: build/.deps
build/.deps: tests/harness/deps.sh
	@mkdir -p $(@D)
	@tests/harness/deps.sh
	@touch $@
# These targets need the packages before their own rules start, independent of -j. Make updates makefiles first, so an
# empty makefile depends on the packages.
ifneq ($(filter all product run try bench test test-all debug-test minor-test fresh-test system-test check docs deb,$(or $(MAKECMDGOALS),all)),)
include build/.deps
endif

KERNELS = $(or $(KERNEL),6.1 6.12)
ifneq ($(wildcard host/linux/build.mk),)
module: $(KERNELS:%=build/module-%/limpet.ko)
endif
ifneq ($(wildcard cli/build.mk),)
cli: build/cli/limpet build/cli/limpet-top $(BRIDGE)
endif

# A C file in a property's folder is a static program of the guest.
TEST_FOLDERS := $(patsubst %/test.toml,%,$(wildcard tests/system/*/test.toml tests/system/*/*/test.toml))
TEST_PROGRAMS := $(patsubst tests/%.c,build/%,$(wildcard $(TEST_FOLDERS:%=%/*.c)))
test-programs: $(TEST_PROGRAMS)
$(TEST_PROGRAMS): build/%: tests/%.c $(wildcard include/limpet/*.h tests/system/lib/*.h tests/system/*/*/*.h) build/lib/liblimpet.a
	@mkdir -p $(@D)
	@echo "program $*"
	$(Q)$(CC) -static -O2 -g -Wall -Wextra -Werror -I. -Iinclude -Icli -Ibuild/interfaces -pthread -o $@ $(filter %.c %.a,$^)
-include tests/system/build.mk
# The demo and the suites also make Linux misbehave.
bench-programs: $(KERNELS:%=build/harm-%/harm.ko)

# --- run

run: KERNEL := $(or $(KERNEL),6.1)
run:	## attach to a stock Linux in QEMU, run SYSTEM, show its figures, then a shell
	@$(MAKE) -j2 product KERNEL=$(KERNEL)
	@$(PYTHON) -m bench.demo --system $(SYSTEM) --kernel $(KERNEL) --cpus $(or $(CPUS),1) \
		--mode $(or $(MODE),beside) $(if $(BATCH),--batch)

try: KERNEL := $(or $(KERNEL),6.1)
try:	## the same without figures: attach, run IMAGE (default: SYSTEM's), show ps and log
	@$(MAKE) -j2 product KERNEL=$(KERNEL)
	@$(PYTHON) -m tests.harness.boot --kernel $(KERNEL) --cpus $(or $(CPUS),1) --limpet --name try \
		--image $(or $(IMAGE),build/systems/$(SYSTEM).limpet) \
		--script tests/harness/guest/run-system --timeout 120 --programs-only

bench: KERNEL := $(or $(KERNEL),6.1)
bench:	## measure (SUITE alone, or all; LIMPET_LONG=1: for hours); build/bench.jsonl and tables
	@$(MAKE) -j2 product KERNEL="$(KERNEL)"
	@$(PYTHON) -m bench --kernels "$(KERNEL)" --cpus "$(or $(CPUS),1)" $(SUITE:%=--suite %)

# --- test

# Build everything first, so that parallel test runs do not build the same files.
BUILD_ALL = $(MAKE) -j2 all KERNEL="$(KERNELS)" || status=1
# Downloads wait for the network, so they run during the build. A failed one prints one line and does not fail the build,
# because the test that needs it fails.
DOWNLOADS = "kernels newest build" newer_qemu bochs
DOWNLOAD_ALL = for part in $(DOWNLOADS); do said=$$(nice $(PYTHON) -m tests.harness.$$part 2>&1) || \
	echo "download of $$part failed: $$(echo "$$said" | tail -n 1)"; done
downloads:	# alone
	@$(DOWNLOAD_ALL)

# fresh-run runs beside the rest of check, because each waits at times, and beside the first system tests, if it takes
# longer. Both install files, and `deb` does so from the same folder, so it is done before. It uses one processor, so the
# unit programs, which install nothing, run beside it. Some unit tests wait for a process in bounded time. The system
# tests come after them, because two emulators use both processors. The emulator of fresh-run waits for one of theirs.
test:	## check, then the system tests on 6.1 (one processor) and 6.12 (two), and fresh-test
	@rm -rf $(RESULTS)
	@status=0; { $(DOWNLOAD_ALL); } & $(BUILD_ALL); $(MAKE) -k -j2 deb unit-programs || status=1; \
		nice -n 5 $(MAKE) fresh-run & fresh=$$!; $(MAKE) -j2 check-others || status=1; \
		$(MAKE) system-test || status=1; wait $$fresh || status=1; exit $$status

# Takes hours. Cases that have passed with this tree do not run again, so an interrupted run can continue.
test-all test-results: export LIMPET_RECORD = docs/test-results.jsonl
test-all test-results: export LIMPET_RECORD_SINCE = $(SINCE)
test-all: export LIMPET_LONG = 1
test-all:	## the same on all kernels, with one and two processors and more rounds, debug-test and minor-test
	@rm -rf $(RESULTS)
	@status=0; $(BUILD_ALL); $(MAKE) check || status=1; $(MAKE) system-test KERNEL="$(STOCK)" || status=1; \
		$(MAKE) objtool KERNEL="newest $(MINOR)" || status=1; $(MAKE) system-test KERNEL=newest || status=1; \
		$(MAKE) minor-test || status=1; $(MAKE) debug-test || status=1; $(MAKE) fresh-test RELEASE="bookworm trixie" || status=1; \
		$(PYTHON) -m tests.harness.record || status=1; exit $$status

test-results:	## write the results of test-all to docs/test-results.md
	@$(PYTHON) -m tests.harness.record docs/test-results.md

debug-test:	## the system tests on the debug kernel (KASAN, lockdep, DEBUG_VM)
	@$(MAKE) system-test KERNEL=6.1-debug

minor-test: KERNEL := $(or $(KERNEL),$(MINOR))
minor-test:	## some system tests on kernels for virtual machines, the newest real-time kernel, and an older new one
	@$(MAKE) -j2 all KERNEL="$(KERNEL)"
	@mkdir -p $(RESULTS)
	@KERNEL="$(KERNEL)" CPUS="$(or $(CPUS),1)" MODE="$(MODE)" PROPERTIES="$(MINOR_PROPERTIES)" $(PYTEST) -v \
		tests/system/test_system.py --junitxml=$(RESULTS)/system-minor.xml

fresh-test: deb	## run README's commands and install the packages in fresh roots of RELEASE (bookworm, trixie; default: trixie)
	@$(MAKE) fresh-run

fresh-run:
	@mkdir -p $(RESULTS)
	@RELEASE="$(RELEASE)" $(PYTEST) -v tests/fresh --junitxml=$(RESULTS)/fresh.xml

system-test:	# in steps: kernels and QEMUs are there before anything counts time. Tests say what cannot be had
	@$(MAKE) -j2 all KERNEL="$(KERNELS)"
	-@$(PYTHON) -m tests.harness.newer_qemu >/dev/null
	-@$(PYTHON) -m tests.harness.bochs >/dev/null
	@mkdir -p $(RESULTS)
	@KERNEL="$(KERNEL)" CPUS="$(CPUS)" MODE="$(MODE)" $(PYTEST) -v tests/system \
		--junitxml=$(RESULTS)/system-$(subst $() $(),-,$(strip $(KERNELS))).xml

check:	## format, sparse, unit tests, model of the rings, line count
	@$(MAKE) -j2 check-parts
# The longest part is first, so that the parts end at about the same time.
check-parts: unit-python unit-programs check-others
check-others: unit-python format-check sparse $(if $(wildcard tests/objtool),objtool) $(if $(wildcard tests/model),model) lines

format-check:
	@$(if $(C_FOLDERS),$(CLANG_FORMAT) --dry-run -Werror $(C_FILES))
	@echo 'format: clean'

format:	## reformat all C files
	@$(CLANG_FORMAT) -i $(C_FILES)

# Checks the portable core with its own flags. Any output of sparse is a failure.
sparse: $(if $(wildcard host/linux/build.mk),build/module-6.1/limpet.ko)
	@mkdir -p build
	@status=0; for file in $(CORE_SOURCES) $(BARE_SOURCES); do \
		sparse $(filter-out -MMD -MP -Werror,$(CORE_FLAGS)) $$file || status=1; done >build/sparse.log 2>&1; \
	cat build/sparse.log; [ $$status -eq 0 ] && [ ! -s build/sparse.log ]
	@$(if $(wildcard host/linux/build.mk),$(MAKE) sparse-module)
	@echo 'sparse: clean'

# Builds the module's own part again, in a copy, with sparse as the checker.
sparse-module: build/module-6.1/limpet.ko
	@mkdir -p build/sparse && cp -rLu build/module-6.1/. build/sparse
	@$(MAKE) -s -C $$($(PYTHON) -m tests.harness.kernels 6.1 build) M=$(CURDIR)/build/sparse \
		LIMPET=$(CURDIR) C=2 CF=-Wsparse-error CONFIG_DEBUG_INFO_BTF_MODULES= modules

objtool: $(KERNELS:%=objtool-%)	## Linux's own checks of returns, retpolines and untraining, on entries and the core

# Runs cmocka programs, which tests/unit/build.mk and cli/build.mk add to UNIT_PROGRAMS, and pytest.
unit: unit-programs unit-python

unit-programs: $(UNIT_PROGRAMS)
	@mkdir -p $(RESULTS)
	@$(if $(UNIT_PROGRAMS),$(PYTHON) -m tests.harness.cmocka $(RESULTS) $(UNIT_PROGRAMS))

# Needs the programs, because some tests run or read them. Two processes share the files of tests.
unit-python: $(UNIT_PROGRAMS)
	@mkdir -p $(RESULTS)
	@MAKEFLAGS= $(PYTEST) -q -n 2 --dist loadfile $(wildcard tests/unit tests/compose) --junitxml=$(RESULTS)/unit.xml

lines:
	@$(if $(SLOC_FOLDERS),$(PYTHON) -m tests.harness.lines --limit $(SLOC_LIMIT) $(SLOC_FOLDERS) --without $(GUEST_PARTS) host/linux/isolate)
	@$(PYTHON) -m tests.harness.lines --limit $(ISOLATE_LIMIT) host/linux/isolate
	@$(PYTHON) -m tests.harness.lines --limit $(BARE_LIMIT) host/bare
	@$(if $(GUEST_PARTS),$(PYTHON) -m tests.harness.lines --limit $(GUEST_LIMIT) $(GUEST_PARTS))

clean:	## remove build/ (the kernels in the cache stay)
	rm -rf build

# SPDX-License-Identifier: GPL-2.0
# The programs that measure Linux, for the guest: static, without dependencies.

BENCH_CC ?= musl-gcc
BENCH_PROGRAMS := peers null_syscall yield job cyclic ticks minor_fault spawn ferry receive load streams call early taken
BENCH_FLAGS := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -static -I. -Ilib -Ishared -Iinclude -Icli \
	-Ibuild/interfaces

bench-programs: $(BENCH_PROGRAMS:%=build/bench/%)

# Tests run this program.
unit-python: build/bench/cyclic

build/bench/cyclic build/bench/early: bench/figure_histogram.c lib/runtime/histogram.c
build/bench/early: bench/clock.c bench/clock.h
build/bench/ferry: cli/client/channel.c $(wildcard components/probe/ferry/*.h cli/client/channel.h shared/channel/end.h)
build/bench/call: cli/client/call.c cli/client/channel.c $(wildcard cli/client/*.h) | $(STUBS)
build/bench/%: bench/%.c bench/figure.c bench/figure.h
	@mkdir -p $(@D)
	$(BENCH_CC) $(BENCH_FLAGS) -o $@ $(filter %.c,$^) -lm

.PHONY: bench-programs

# SPDX-License-Identifier: BSD-2-Clause
# lib/guest on the build machine, with sanitizers. `traced` makes real calls and `signalled` gets signals, which
# test_strace.py compares with strace.

GUNIT := build/unit/guest
GUNIT_FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -Iinclude -Ilib -Ishared -Ibuild/lib/include -Itests/unit/components \
	-fsanitize=address,undefined -fno-sanitize-recover=all -MMD -MP
GUNIT_LIBRARY := $(patsubst %,$(GUNIT)/%.o,$(wildcard lib/guest/*.c) build/guest/table.c lib/runtime/text.c lib/runtime/format.c)
GUNIT_PROGRAMS := $(patsubst tests/unit/guest/%.c,$(GUNIT)/%,$(wildcard tests/unit/guest/*_test.c))
UNIT_PROGRAMS += $(GUNIT_PROGRAMS)
unit-python: $(GUNIT)/traced $(GUNIT)/signalled

$(GUNIT_PROGRAMS): $(GUNIT)/%: $(GUNIT)/tests/unit/guest/%.c.o $(GUNIT)/tests/unit/guest/memory.c.o $(GUNIT_LIBRARY)
	$(CC) -fsanitize=address,undefined -o $@ $^ -lcmocka
$(GUNIT)/traced: $(patsubst %,$(GUNIT)/%.o,$(wildcard tests/unit/guest/traced*.c)) $(GUNIT_LIBRARY)
	$(CC) -fsanitize=address,undefined -o $@ $^
$(GUNIT)/signalled: $(GUNIT)/tests/unit/guest/signalled.c.o $(GUNIT_LIBRARY)
	$(CC) -fsanitize=address,undefined -o $@ $^

$(GUNIT)/%.o: % build/lib/include/guest/numbers.h
	@mkdir -p $(@D)
	$(CC) $(GUNIT_FLAGS) -c $< -o $@

-include $(wildcard $(GUNIT)/*/*/*.d $(GUNIT)/*/*/*/*.d)
.PRECIOUS: $(GUNIT)/%.o

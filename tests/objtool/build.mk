# SPDX-License-Identifier: GPL-2.0
# Linux's own checker of kernel code, as Debian builds it for modules, on what is entered from user level or from a guest:
# that no return is a plain one, no indirect jump without a retpoline, no address taken of code without ENDBR (except in the
# layer, which switches IBT off), and that each way from a guarded entry untrains returns before the first one. Linux 6.1's
# does not know the notes of the layer's entries. It prints nothing if all is well; copies are checked, because it changes
# files.
OBJTOOL = SRCARCH=x86 $(PYTHON) -m tests.harness.kbuild $(1) objtool
OBJTOOL_FLAGS := --link --no-unreachable --retpoline

objtool-%: build/module-%/limpet.ko build/objtool/linux.o
	@echo "objtool of Linux $*"
	$(Q)cp build/core/core.o build/objtool/core-$*.o && cp build/bare/bare.o build/objtool/bare-$*.o
	$(Q)$(LD) -r -o build/objtool/entries-$*.o build/core/core.o build/module-$*/beside/guard.o build/objtool/linux.o
	$(Q)found=$$({ \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls --ibt build/objtool/core-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls build/objtool/bare-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --noinstr --unret build/objtool/bare-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --noinstr --unret build/objtool/entries-$*.o; } 2>&1) && \
		[ -z "$$found" ] || { echo "$$found"; exit 1; }

build/objtool/linux.o: tests/objtool/linux.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c $< -o $@

# SPDX-License-Identifier: GPL-2.0
# Runs Linux's own checker of kernel code, as Debian builds it for modules, on code that is entered from user level or
# from a guest. It refuses plain returns, indirect jumps without a retpoline, and addresses of code without ENDBR
# (except in the layer, which switches IBT off). Each path from a guarded or isolated entry must untrain returns
# before the first one. Linux 6.1's checker does not know the notes of the layer's entries. It prints nothing without
# errors. It changes files, so it checks copies.
#
# kbuild's own run of the checker does not read the assembly of host/linux (OBJECT_FILES_NON_STANDARD in Kbuild),
# because it expects C functions. isolate/entry.S and beneath/bare_switch.S are therefore checked here. Untraining is
# not checked in bare_switch.S, because no entry from user level or from a guest begins there: Linux calls
# bare_launch, and the layer untrains returns after VMRUN before it continues in bare_leave. It is not checked either
# for an NMI from the kernel in isolate_trap, which returns to Linux's handler before that untrains (CAVEATS.md).
OBJTOOL = SRCARCH=x86 $(PYTHON) -m tests.harness.kbuild $(1) objtool
OBJTOOL_FLAGS := --link --no-unreachable --retpoline

objtool-%: build/module-%/limpet.ko build/objtool/linux.o
	@echo "objtool of Linux $*"
	$(Q)cp build/core/core.o build/objtool/core-$*.o && cp build/bare/bare.o build/objtool/bare-$*.o
	$(Q)cp build/module-$*/isolate/entry.o build/objtool/isolate-$*.o
	$(Q)cp build/module-$*/beneath/bare_switch.o build/objtool/switch-$*.o
	$(Q)$(LD) -r -o build/objtool/entries-$*.o build/core/core.o build/module-$*/beside/guard.o build/module-$*/isolate/entry.o \
		build/objtool/linux.o
	$(Q)found=$$({ \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls --ibt build/objtool/core-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls --ibt build/objtool/isolate-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls --ibt build/objtool/switch-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --module --rethunk --sls build/objtool/bare-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --noinstr --unret build/objtool/bare-$*.o; \
		$(call OBJTOOL,$*) $(OBJTOOL_FLAGS) --noinstr --unret build/objtool/entries-$*.o; } 2>&1) && \
		[ -z "$$found" ] || { echo "$$found"; exit 1; }

build/objtool/linux.o: tests/objtool/linux.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c $< -o $@

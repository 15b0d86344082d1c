# SPDX-License-Identifier: GPL-2.0
# Runs shared/channel/end.h in every order that two processors allow. channel.c lists the checked claims.
#   model    builds and runs it; SCENARIO=scribbled-traffic: only this scenario, which takes half a minute

MODEL := build/model/channel
MODEL_FLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -fno-strict-aliasing -Iinclude -Ilib -Ishared -Itests/model
MODEL_SOURCES := $(wildcard tests/model/*.c)

$(MODEL): $(MODEL_SOURCES) $(wildcard tests/model/*.h) shared/channel/end.h include/limpet/channel.h
	@mkdir -p $(@D)
	$(CC) $(MODEL_FLAGS) -o $@ $(MODEL_SOURCES)

model: $(MODEL)	## the channels' rings, in every order of two processors' accesses
	@$(MODEL) $(SCENARIO)

.PHONY: model

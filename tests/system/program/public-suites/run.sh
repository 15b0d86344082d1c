#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/cases.sh

attach
# In a counted guest these seconds pass without waiting, unless a case computes. gnulib's tests of locks compute for many
# seconds, and an alarm ends its searches in long texts after 50 s.
cases_run 60
cases_judge
holds "detach" limpet detach
linux_is_well
finish

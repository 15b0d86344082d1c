#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/cases.sh

attach
# In a counted guest these seconds pass without waiting, unless a case computes.
cases_run 15
cases_judge
holds "detach" limpet detach
linux_is_well
finish

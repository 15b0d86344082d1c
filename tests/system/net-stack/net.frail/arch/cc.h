/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../../../../components/net/arch/cc.h"

/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../../../../components/system/net/lwipopts.h"

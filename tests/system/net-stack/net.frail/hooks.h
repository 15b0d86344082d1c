/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../../../components/net/hooks.h"

// SPDX-License-Identifier: BSD-2-Clause
#include "can.h"

struct can can;

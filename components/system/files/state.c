// SPDX-License-Identifier: BSD-2-Clause
#include "files.h"

struct files files;

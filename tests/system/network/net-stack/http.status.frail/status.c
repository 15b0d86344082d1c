// SPDX-License-Identifier: BSD-2-Clause
#define FRAIL "status"
#define WHOLE "../../../../components/demo/http.status/status.c"
#include "../frail_content.h"

// SPDX-License-Identifier: BSD-2-Clause
#define FRAIL "files"
#define WHOLE "../../../../components/demo/http.files/files.c"
#include "../frail_content.h"

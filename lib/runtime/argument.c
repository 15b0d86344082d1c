// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>

int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t min, int64_t max)
{
	int64_t value = limpet_arg_number(info, name, otherwise);

	if (value >= min && value <= max)
		return value;
	limpet_print("argument %s is %ld, but must be %ld to %ld. %ld is used. Correct the system "
		     "file.\n",
		     name, value, min, max, otherwise);
	return otherwise;
}

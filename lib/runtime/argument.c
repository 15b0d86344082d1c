// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>

int64_t limpet_arg_within(const struct limpet_info *info, const char *name, int64_t otherwise,
			  int64_t least, int64_t most)
{
	int64_t value = limpet_arg_number(info, name, otherwise);

	if (value >= least && value <= most)
		return value;
	limpet_print("argument %s is %ld, but must be %ld to %ld. %ld is used. Correct the system "
		     "file.\n",
		     name, value, least, most, otherwise);
	return otherwise;
}

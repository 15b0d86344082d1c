// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>

#include <cli/command/debug/remote.h>

void reply_clear(struct remote *remote)
{
	remote->length = 0;
	remote->answer[0] = 0;
}

void reply_text(struct remote *remote, const char *format, ...)
{
	const size_t space = sizeof(remote->answer) - remote->length;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(remote->answer + remote->length, space, format, values);
	va_end(values);
	if (length > 0)
		remote->length += (size_t)length < space ? (size_t)length : space - 1;
}

void reply_bytes(struct remote *remote, uint64_t value, unsigned int bytes)
{
	for (; bytes; bytes--, value >>= 8)
		reply_text(remote, "%02x", (unsigned int)(value & 0xff));
}

void reply_status(struct remote *remote, long status)
{
	reply_clear(remote);
	reply_text(remote, status < 0 ? "E01" : "OK");
}

bool number_take(const char **at, uint64_t *value)
{
	const char *from = *at;

	*value = 0;
	for (int digit; (digit = packet_digit(**at)) >= 0; (*at)++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (unsigned int)digit;
	}
	return *at != from;
}

bool bytes_take(const char **at, unsigned int bytes, uint64_t *value)
{
	*value = 0;
	for (unsigned int i = 0; i < bytes; i++, *at += 2) {
		const int high = packet_digit((*at)[0]);
		const int low = high < 0 ? -1 : packet_digit((*at)[1]);

		if (low < 0)
			return false;
		*value |= (uint64_t)(high << 4 | low) << 8 * i;
	}
	return true;
}

bool char_take(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

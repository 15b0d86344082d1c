// SPDX-License-Identifier: BSD-2-Clause
#include <stdbool.h>

#include <runtime/format.h>
#include <runtime/memory.h>

struct out {
	char *to;
	size_t size;
	size_t length;
};

struct spec {
	size_t width;
	bool left;
	bool zero;
	bool wide; /* a long */
};

static void put(struct out *out, char c)
{
	if (out->length + 1 < out->size)
		out->to[out->length] = c;
	out->length++;
}

static void pad(struct out *out, size_t from, size_t width, char c)
{
	while (from++ < width)
		put(out, c);
}

static void put_bytes(struct out *out, const char *text, size_t length)
{
	size_t space = out->length + 1 < out->size ? out->size - out->length - 1 : 0;

	if (space)
		memcpy(out->to + out->length, text, length < space ? length : space);
	out->length += length;
}

static void put_text(struct out *out, const struct spec *spec, const char *text, size_t length)
{
	if (!spec->left)
		pad(out, length, spec->width, ' ');
	put_bytes(out, text, length);
	if (spec->left)
		pad(out, length, spec->width, ' ');
}

static void put_number(struct out *out, struct spec *spec, unsigned long value, unsigned int base,
		       bool negative)
{
	char text[24];
	size_t at = sizeof(text);

	do {
		text[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	if (negative && spec->zero) {
		put(out, '-');
		spec->width -= spec->width > 0;
	} else if (negative) {
		text[--at] = '-';
	}
	if (spec->zero && !spec->left)
		pad(out, sizeof(text) - at, spec->width, '0');
	put_text(out, spec->zero && !spec->left ? &(struct spec){ 0 } : spec, text + at,
		 sizeof(text) - at);
}

/* Reads flags, width and length of a conversion. Returns the position of its letter. */
static const char *spec_read(struct spec *spec, const char *f)
{
	*spec = (struct spec){ 0 };
	for (; *f == '-' || *f == '0'; f++)
		*(*f == '-' ? &spec->left : &spec->zero) = true;
	for (; *f >= '0' && *f <= '9'; f++)
		spec->width = spec->width * 10 + (size_t)(*f - '0');
	for (; *f == 'l' || *f == 'z'; f++)
		spec->wide = true;
	return f;
}

static void put_signed(struct out *out, struct spec *spec, long value)
{
	put_number(out, spec, value < 0 ? 0ul - (unsigned long)value : (unsigned long)value, 10,
		   value < 0);
}

static void put_string(struct out *out, const struct spec *spec, const char *text)
{
	if (!text)
		text = "(null)";
	put_text(out, spec, text, strlen(text));
}

size_t limpet_vformat(char *to, size_t size, const char *f, va_list values)
{
	struct out out = { to, size, 0 };
	struct spec spec;
	char c;

	for (; *f; f++) {
		if (*f != '%') {
			put(&out, *f);
			continue;
		}
		f = spec_read(&spec, f + 1);
		switch (*f) {
		case 'd':
		case 'i':
			put_signed(&out, &spec,
				   spec.wide ? va_arg(values, long) : va_arg(values, int));
			break;
		case 'u':
		case 'x':
			put_number(&out, &spec,
				   spec.wide ? va_arg(values, unsigned long)
					     : va_arg(values, unsigned int),
				   *f == 'x' ? 16 : 10, false);
			break;
		case 'p':
			put_number(&out, &spec, (unsigned long)va_arg(values, void *), 16, false);
			break;
		case 'c':
			c = (char)va_arg(values, int);
			put_text(&out, &spec, &c, 1);
			break;
		case 's':
			put_string(&out, &spec, va_arg(values, const char *));
			break;
		case 0:
			f--;
			break;
		default:
			put(&out, *f);
		}
	}
	to[out.length < size ? out.length : size - 1] = 0;
	return out.length;
}

size_t limpet_format(char *to, size_t size, const char *format, ...)
{
	va_list values;
	size_t length;

	va_start(values, format);
	length = limpet_vformat(to, size, format, values);
	va_end(values);
	return length;
}

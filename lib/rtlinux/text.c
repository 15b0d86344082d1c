// SPDX-License-Identifier: BSD-2-Clause
/* Implements the formats of the kernel's vsprintf(), which have no floating point, and functions for strings. */
#include "core.h"

#include <runtime/print.h>
#include <runtime/text.h>

struct output {
	char *to;
	size_t size, length;
};

static void put(struct output *out, char letter)
{
	if (out->length + 1 < out->size)
		out->to[out->length] = letter;
	out->length++;
}

struct directive {
	bool left, zero, plus, other;
	int width, precision;
	int size; /* bytes of an integer: 8 for l, L, ll, z; 2 for h; else 4 */
};

static void put_field(struct output *out, const struct directive *directive, const char *text,
		      int length)
{
	for (int i = length; !directive->left && i < directive->width; i++)
		put(out, ' ');
	for (int i = 0; i < length; i++)
		put(out, text[i]);
	for (int i = length; directive->left && i < directive->width; i++)
		put(out, ' ');
}

static void put_number(struct output *out, struct directive *directive, unsigned long value,
		       unsigned int base, bool negative, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[80];
	int at = sizeof(text), min = directive->precision, rest = directive->width;

	do
		text[--at] = digits[value % base];
	while (value /= base);
	rest -= (negative || directive->plus) + (directive->other && base == 16 ? 2 : 0);
	if (min < 0)
		min = directive->zero && !directive->left ? rest : 1;
	while ((int)sizeof(text) - at < min && at > 4)
		text[--at] = '0';
	if (directive->other && base == 16) {
		text[--at] = upper ? 'X' : 'x';
		text[--at] = '0';
	}
	if (negative || directive->plus)
		text[--at] = negative ? '-' : '+';
	put_field(out, directive, text + at, (int)sizeof(text) - at);
}

static unsigned long integer(va_list *values, const struct directive *directive, bool sign)
{
	if (directive->size == 8)
		return va_arg(*values, unsigned long);
	if (directive->size == 2)
		return sign ? (unsigned long)(short)va_arg(*values, int)
			    : (unsigned short)va_arg(*values, int);
	return sign ? (unsigned long)(long)va_arg(*values, int) : va_arg(*values, unsigned int);
}

static int digits(const char **format)
{
	int value = 0;

	for (; **format >= '0' && **format <= '9'; (*format)++)
		value = value < 10000 ? value * 10 + **format - '0' : value;
	return value;
}

static int number_or_star(const char **format, va_list *values)
{
	if (**format != '*')
		return digits(format);
	(*format)++;
	return va_arg(*values, int);
}

static struct directive directive_read(const char **format, va_list *values)
{
	struct directive directive = { .precision = -1, .size = 4 };

	for (;; (*format)++) {
		if (**format == '-')
			directive.left = true;
		else if (**format == '0')
			directive.zero = true;
		else if (**format == '+')
			directive.plus = true;
		else if (**format == '#')
			directive.other = true;
		else if (**format != ' ')
			break;
	}
	directive.width = number_or_star(format, values);
	if (**format == '.') {
		(*format)++;
		directive.precision = number_or_star(format, values);
	}
	for (; **format == 'l' || **format == 'L' || **format == 'z' || **format == 'h';
	     (*format)++)
		directive.size = **format == 'h' ? 2 : 8;
	return directive;
}

static void put_string(struct output *out, const struct directive *directive, const char *text)
{
	int length = 0;

	if (!text)
		text = "<NULL>";
	while (text[length] && (directive->precision < 0 || length < directive->precision))
		length++;
	put_field(out, directive, text, length);
}

static void convert(struct output *out, struct directive *directive, char kind, va_list *values)
{
	unsigned long value;
	char letter;

	switch (kind) {
	case 'd':
	case 'i':
		value = integer(values, directive, true);
		put_number(out, directive, (long)value < 0 ? -value : value, 10, (long)value < 0,
			   false);
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		directive->plus = false;
		value = integer(values, directive, false);
		put_number(out, directive, value,
			   kind == 'u'	 ? 10
			   : kind == 'o' ? 8
					 : 16,
			   false, kind == 'X');
		break;
	case 'p':
		directive->other = true;
		put_number(out, directive, (unsigned long)va_arg(*values, void *), 16, false,
			   false);
		break;
	case 'c':
		letter = (char)va_arg(*values, int);
		put_field(out, directive, &letter, 1);
		break;
	case 's':
		put_string(out, directive, va_arg(*values, const char *));
		break;
	default:
		put(out, '%');
		if (kind && kind != '%')
			put(out, kind);
	}
}

int vsnprintf(char *to, size_t size, const char *format, va_list given)
{
	struct output out = { to, size, 0 };
	va_list values;

	va_copy(values, given);
	for (; *format; format++) {
		struct directive directive;

		if (*format != '%') {
			put(&out, *format);
			continue;
		}
		format++;
		directive = directive_read(&format, &values);
		convert(&out, &directive, *format, &values);
		if (!*format)
			break;
	}
	va_end(values);
	if (size)
		to[out.length < size ? out.length : size - 1] = 0;
	return (int)out.length;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(to, size, format, values);
	va_end(values);
	return length;
}

int vsprintf(char *to, const char *format, va_list values)
{
	return vsnprintf(to, (size_t)-1 / 2, format, values);
}

int sprintf(char *to, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = vsprintf(to, format, values);
	va_end(values);
	return length;
}

#define LINE_MAX 512

/* Writes to the log, which is another component. */
static void write_inside(const char *text, size_t length)
{
	INSIDE;

	limpet_write(text, length);
}

/* A level of printk(), "<4>", is not shown. */
int rtl_printf(const char *format, ...)
{
	char text[LINE_MAX];
	const char *from = text;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	if (length >= LINE_MAX)
		length = LINE_MAX - 1;
	if (length >= 3 && text[0] == '<' && text[1] >= '0' && text[1] <= '7' && text[2] == '>')
		from += 3;
	write_inside(from, (size_t)(text + length - from));
	return length;
}

void conpr(const char *text)
{
	write_inside(text, strlen(text));
}

void conprn(unsigned int number)
{
	rtl_printf("%x", number);
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size; a++, b++, size--)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

char *strcpy(char *to, const char *from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strncpy(char *to, const char *from, size_t size)
{
	size_t i = 0;

	for (; i < size && from[i]; i++)
		to[i] = from[i];
	for (; i < size; i++)
		to[i] = 0;
	return to;
}

char *strcat(char *to, const char *from)
{
	strcpy(to + strlen(to), from);
	return to;
}

char *strchr(const char *text, int letter)
{
	for (; *text != (char)letter; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *strncat(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);
	char *end = to + strlen(to);

	memcpy(end, from, length);
	end[length] = 0;
	return to;
}

char *strrchr(const char *text, int letter)
{
	const char *found = NULL;

	do
		if (*text == (char)letter)
			found = text;
	while (*text++);
	return (char *)found;
}

char *strstr(const char *text, const char *part)
{
	size_t length = strlen(part);

	for (; strncmp(text, part, length) != 0; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

size_t strspn(const char *text, const char *letters)
{
	size_t length = 0;

	while (text[length] && strchr(letters, text[length]))
		length++;
	return length;
}

size_t strcspn(const char *text, const char *letters)
{
	size_t length = 0;

	while (text[length] && !strchr(letters, text[length]))
		length++;
	return length;
}

char *strpbrk(const char *text, const char *letters)
{
	text += strcspn(text, letters);
	return *text ? (char *)text : NULL;
}

char *strsep(char **text, const char *letters)
{
	char *first = *text, *end = first ? strpbrk(first, letters) : NULL;

	if (end)
		*end++ = 0;
	*text = end;
	return first;
}

char *strtok(char *text, const char *letters)
{
	static char *rest;
	char *word;

	if (text)
		rest = text;
	do
		word = strsep(&rest, letters);
	while (word && !*word);
	return word;
}

size_t strnlen(const char *text, size_t size)
{
	size_t length = 0;

	while (length < size && text[length])
		length++;
	return length;
}

void *memchr(const void *from, int byte, size_t size)
{
	const unsigned char *at = from;

	for (; size; at++, size--)
		if (*at == (unsigned char)byte)
			return (void *)at;
	return NULL;
}

unsigned long simple_strtoul(const char *text, char **end, unsigned int base)
{
	unsigned long value = 0;

	if (text[0] == '0' && (text[1] | 0x20) == 'x' && (!base || base == 16)) {
		text += 2;
		base = 16;
	} else if (!base) {
		base = text[0] == '0' ? 8 : 10;
	}
	for (;; text++) {
		unsigned int letter = (unsigned char)*text | 0x20;
		unsigned int digit = letter >= 'a' ? letter - 'a' + 10
						   : (unsigned int)(*text - '0');

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	if (end)
		*end = (char *)text;
	return value;
}

long simple_strtol(const char *text, char **end, unsigned int base)
{
	return *text == '-' ? -(long)simple_strtoul(text + 1, end, base)
			    : (long)simple_strtoul(text, end, base);
}

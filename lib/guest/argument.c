// SPDX-License-Identifier: BSD-2-Clause
/* Prints one argument of a call. */
#include <guest/put.h>

/* Returns the number in an argument's register, with the size of its type. */
static word argument_load(const struct guest_line *line, const struct guest_value *value)
{
	return number_load(&line->arguments[value->at], value->size, value->sign);
}

/* Returns the count or size that belongs to a pointer, as the caller gave it. */
static word count_given(const struct guest_line *line, const struct guest_value *value)
{
	if (value->link >= GUEST_LINK_CONSTANT)
		return (word)(value->link - GUEST_LINK_CONSTANT);
	if (value->link < 0)
		return 0;
	return argument_load(line, guest_call_argument(line->call, (unsigned int)value->link));
}

/* Returns the count of valid elements. For an output argument this is at most the call's result. */
static word count_valid(const struct guest_line *line, const struct guest_value *value)
{
	word given = count_given(line, value), result = line->result < 0 ? 0 : (word)line->result;

	if (value->link == GUEST_LINK_RESULT)
		return result;
	return value->way == GUEST_OUT && result < given ? result : given;
}

/*
 * Returns the size of a socket address. For an input address an argument has the size. For an output address
 * it is the smaller of the two values of the call's GUEST_LENGTH, or 0 if these are unknown.
 */
static word sockaddr_length(const struct guest_line *line, const struct guest_value *value)
{
	int length = line->length_after < line->length ? line->length_after : line->length;

	if (value->way == GUEST_IN)
		length = (int)line->arguments[(unsigned int)value->link];
	else if (!line->length_known)
		length = 0;
	return length < 0 ? 0 : (word)length;
}

static void put_length(struct guest_line *line, word address)
{
	if (!line->length_known)
		put_address(line, address);
	else if (line->length_after == line->length)
		text_add(&line->text, "[%d]", line->length);
	else
		text_add(&line->text, "[%d => %d]", line->length, line->length_after);
}

static void put_sigset_at(struct guest_line *line, word address, word size)
{
	word set;

	if (address && size == sizeof(set) && guest_read(line, &set, address, sizeof(set)))
		put_sigset(line, set);
	else
		put_address(line, address);
}

static void put_structs_at(struct guest_line *line, const struct guest_value *value, word address)
{
	if (value->link == GUEST_LINK_NONE)
		put_struct(line, value->of, address);
	else
		put_structs(line, value->of, address,
			    value->link == GUEST_LINK_RESULT ? count_valid(line, value)
							     : count_given(line, value));
}

/* Returns whether a pointer's target can be read now. */
static bool is_valid(const struct guest_line *line, const struct guest_value *value)
{
	if (value->way == GUEST_LEFT)
		return line->result == -GUEST_EINTR || result_is_restart(line->result);
	if (value->way == GUEST_OUT && line->returns == GUEST_RETURNS_PID)
		return line->result > 0;
	return value->way == GUEST_IN || value->kind == GUEST_MSGHDR || line->result >= 0;
}

static void put_target(struct guest_line *line, const struct guest_value *value, word address)
{
	switch (value->kind) {
	case GUEST_STRING:
		put_string(line, address, TEXT_MAX);
		break;
	case GUEST_PATH:
		put_string(line, address, PATH_LENGTH);
		break;
	case GUEST_NAME:
		put_string(line, address, NAME_LENGTH);
		break;
	case GUEST_BUFFER:
		put_bytes(line, address, count_valid(line, value));
		break;
	case GUEST_STRINGS:
		put_strings(line, address);
		break;
	case GUEST_ENVIRONMENT:
		put_environment(line, address);
		break;
	case GUEST_STRUCT:
		put_structs_at(line, value, address);
		break;
	case GUEST_CLONEARGS:
		put_clone_args(line, address, count_given(line, value));
		break;
	case GUEST_SOCKADDR:
		put_sockaddr(line, address, sockaddr_length(line, value));
		break;
	case GUEST_IOVEC:
		put_iovec(line, address, count_given(line, value),
			  value->way == GUEST_OUT ? (word)line->result : ~0ul);
		break;
	case GUEST_MSGHDR:
		put_msghdr(line, address, value->way == GUEST_OUT ? (word)line->result : ~0ul);
		break;
	case GUEST_SIGSET:
		put_sigset_at(line, address, count_given(line, value));
		break;
	case GUEST_STATUS:
		put_status(line, address);
		break;
	case GUEST_FDSET:
		put_fdset(line, address, (long)count_given(line, value));
		break;
	case GUEST_CPUSET:
		put_cpuset(line, address, count_valid(line, value));
		break;
	case GUEST_DIRENTS:
		put_dirents(line, address, (word)line->result);
		break;
	default:
		put_address(line, address);
	}
}

void put_argument(struct guest_line *line, const struct guest_value *value)
{
	word number = argument_load(line, value);

	if (value->kind == GUEST_CLONEFLAGS)
		put_cloneflags(line, value->of, number);
	else if (value->kind < GUEST_ADDRESS || value->kind == GUEST_DEVICE)
		put_number(line, value, number);
	else if (value->kind == GUEST_LENGTH)
		put_length(line, number);
	else if (is_valid(line, value))
		put_target(line, value, number);
	else
		put_address(line, number);
}

// SPDX-License-Identifier: BSD-2-Clause
/* Lists of buffers, and messages. */
#include <guest/put.h>

/* Fields of GUEST_STRUCT_iovec and GUEST_STRUCT_msghdr in lib/guest/structs.toml. */
enum { IOVEC_BASE, IOVEC_LENGTH };
enum {
	MESSAGE_NAME,
	MESSAGE_NAME_LENGTH,
	MESSAGE_VECTOR,
	MESSAGE_VECTOR_COUNT,
	MESSAGE_CONTROL,
	MESSAGE_CONTROL_LENGTH,
	MESSAGE_FLAGS
};

static bool iovec_element(struct guest_line *line, word address, void *context)
{
	unsigned char copy[GUEST_SIZE_iovec];
	word *left = context, length, valid;

	if (!guest_read(line, copy, address, GUEST_SIZE_iovec))
		return false;
	length = struct_load(GUEST_STRUCT_iovec, IOVEC_LENGTH, copy);
	valid = length < *left ? length : *left;
	text_add(&line->text, "{iov_base=");
	put_bytes(line, struct_load(GUEST_STRUCT_iovec, IOVEC_BASE, copy), valid);
	text_add(&line->text, ", iov_len=%lu}", length);
	*left -= valid;
	return true;
}

/* `bytes` of the buffers' contents are valid. */
void put_iovec(struct guest_line *line, word address, word count, word bytes)
{
	put_list(line, address, count, GUEST_SIZE_iovec, iovec_element, &bytes);
}

static void put_message(struct guest_line *line, const unsigned char *copy, word bytes)
{
	const unsigned int of = GUEST_STRUCT_msghdr;
	word count = struct_load(of, MESSAGE_VECTOR_COUNT, copy),
	     control = struct_load(of, MESSAGE_CONTROL_LENGTH, copy);
	int name_length = (int)struct_load(of, MESSAGE_NAME_LENGTH, copy);

	if (line->ended && line->result < 0) {
		text_add(&line->text, "{msg_namelen=%d}", name_length);
		return;
	}
	text_add(&line->text, "{msg_name=");
	put_sockaddr(line, struct_load(of, MESSAGE_NAME, copy),
		     name_length < 0 ? 0 : (word)name_length);
	text_add(&line->text, ", msg_namelen=%d, msg_iov=", name_length);
	put_iovec(line, struct_load(of, MESSAGE_VECTOR, copy), count, bytes);
	text_add(&line->text, ", msg_iovlen=%lu", count);
	if (control) {
		text_add(&line->text, ", msg_control=");
		put_address(line, struct_load(of, MESSAGE_CONTROL, copy));
	}
	text_add(&line->text, ", msg_controllen=%lu, msg_flags=", control);
	put_flags(line, GUEST_SET_MSG, struct_load(of, MESSAGE_FLAGS, copy));
	text_add(&line->text, "}");
}

void put_msghdr(struct guest_line *line, word address, word bytes)
{
	unsigned char copy[GUEST_SIZE_msghdr];

	if (address && guest_read(line, copy, address, sizeof(copy)))
		put_message(line, copy, bytes);
	else
		put_address(line, address);
}

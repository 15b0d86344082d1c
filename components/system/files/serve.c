// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <export/files.h>

#include "files.h"

#define TIMEOUT_MS 1000
#define TIMEOUT_MAX 3600000

static word timeout_ms; /* maximum time that a call waits for Linux */

long serve_begin(const struct limpet_info *info)
{
	int64_t ms = limpet_arg_number(info, "timeout-ms", TIMEOUT_MS);

	if (ms < 1 || ms > TIMEOUT_MAX) {
		limpet_print(
			"argument timeout-ms is %ld, but must be 1 to %u. Correct the system file.\n",
			ms, TIMEOUT_MAX);
		return LIMPET_ERANGE;
	}
	timeout_ms = (word)ms;
	return LIMPET_OK;
}

static long enter(void)
{
	return mutex_lock(&files.lock, limpet_time() + limpet_us_to_ticks(timeout_ms * 1000));
}

static long leave(long status)
{
	mutex_unlock(&files.lock);
	return status;
}

long files_serve_share(word badge, word pages, struct files_share_results *out)
{
	struct handle *handle;
	long status;

	if (!offers_any((uint32_t)badge - 1))
		return LIMPET_ERIGHTS;
	status = enter();
	if (status)
		return status;
	while ((handle = handle_first(badge))) {
		request_close(handle->remote);
		handle_end(handle);
	}
	return leave(client_share(badge, pages, &out->address));
}

/* The caller holds the mutex. */
static long open_named(word badge, word name, word length, word how, word *result)
{
	struct limpet_files_request wire = { .what = LIMPET_FILES_OPEN };
	char copy[LIMPET_FILES_NAME];
	const char *at = length <= LIMPET_FILES_NAME ? client_memory(badge, name, length) : NULL;
	uint64_t remote;
	long status;

	if (!at)
		return LIMPET_ERANGE;
	for (word i = 0; i < length; i++)
		copy[i] = __atomic_load_n(&at[i], __ATOMIC_RELAXED);
	status = offers_check((uint32_t)badge - 1, copy, (uint32_t)length, how);
	if (!status)
		status = handle_available(badge);
	if (status)
		return status;
	wire.length = (uint32_t)length;
	wire.argument = (uint32_t)how;
	status = request_do(badge, &wire, copy, NULL, timeout_ms, &remote);
	if (status)
		return status;
	/* Other threads may have used the free record meanwhile. */
	status = handle_available(badge);
	if (status)
		request_close((uint32_t)remote);
	else
		*result = handle_make(badge, (uint32_t)remote, (uint32_t)how);
	return status;
}

long files_serve_open(word badge, word name, word length, word how, struct files_open_results *out)
{
	long status = enter();

	return status ? status : leave(open_named(badge, name, length, how, &out->handle));
}

/* Serves GET or PUT. The caller holds the mutex. */
static long transfer(word badge, word name, struct limpet_files_request *wire, word at, word length)
{
	const struct handle *handle = handle_find(badge, name);
	bool get = wire->what == LIMPET_FILES_GET;
	char *memory = client_memory(badge, at, length);
	uint64_t value;

	if (!handle)
		return LIMPET_ENOENT;
	if (!(handle->how & (get ? LIMPET_FILES_READ : LIMPET_FILES_WRITE)))
		return LIMPET_ERIGHTS;
	if (!memory || !length || wire->position > INT64_MAX)
		return LIMPET_ERANGE;
	wire->handle = handle->remote;
	wire->length = length < LIMPET_FILES_DATA ? (uint32_t)length : LIMPET_FILES_DATA;
	return request_do(badge, wire, memory, memory, timeout_ms + wire->argument, &value);
}

long files_serve_read(word badge, word handle, word position, word at, word length, word wait_ms)
{
	struct limpet_files_request wire = { .what = LIMPET_FILES_GET, .position = position };
	long status = wait_ms > LIMPET_FILES_WAIT ? LIMPET_ERANGE : enter();

	wire.argument = (uint32_t)wait_ms;
	return status ? status : leave(transfer(badge, handle, &wire, at, length));
}

long files_serve_write(word badge, word handle, word position, word at, word length)
{
	struct limpet_files_request wire = { .what = LIMPET_FILES_PUT, .position = position };
	long status = enter();

	return status ? status : leave(transfer(badge, handle, &wire, at, length));
}

/* The caller holds the mutex. */
static long size_of(word badge, word name, uint64_t *value)
{
	const struct handle *handle = handle_find(badge, name);
	struct limpet_files_request wire = { .what = LIMPET_FILES_SIZE };

	if (!handle)
		return LIMPET_ENOENT;
	wire.handle = handle->remote;
	return request_do(badge, &wire, NULL, NULL, timeout_ms, value);
}

long files_serve_size(word badge, word handle, struct files_size_results *out)
{
	long status = enter();

	return status ? status : leave(size_of(badge, handle, &out->bytes));
}

long files_serve_close(word badge, word name)
{
	long status = enter();
	struct handle *handle;

	if (status)
		return status;
	handle = handle_find(badge, name);
	if (!handle)
		return leave(LIMPET_ENOENT);
	request_close(handle->remote);
	handle_end(handle);
	return leave(LIMPET_OK);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cli/command/proxy/serve.h>
#include <limpet/error.h>

void serve_begin(struct serve *server)
{
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		server->file[i] = (struct serve_file){ .fd = -1 };
	memset(server->wait, 0, sizeof(server->wait));
}

static void file_end(struct serve_file *file)
{
	close(file->fd);
	file->fd = -1;
}

void serve_drop(struct serve *server)
{
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		if (server->file[i].fd >= 0)
			file_end(&server->file[i]);
	memset(server->wait, 0, sizeof(server->wait));
}

/* Finds the file of a handle: the lowest byte is the file's number, the other bits count the uses of that number. */
static struct serve_file *file_find(struct serve *server, uint32_t handle)
{
	struct serve_file *file;

	if ((handle & 0xff) >= SERVE_OPEN)
		return NULL;
	file = &server->file[handle & 0xff];
	return file->fd < 0 || file->turn != handle >> 8 ? NULL : file;
}

static struct serve_file *file_free(struct serve *server)
{
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		if (server->file[i].fd < 0)
			return &server->file[i];
	return NULL;
}

static const struct offer *offer_find(const struct serve *server, const char *name, size_t length)
{
	for (unsigned int i = 0; i < server->offers; i++)
		if (server->offer[i].length == length &&
		    !memcmp(server->offer[i].name, name, length))
			return &server->offer[i];
	return NULL;
}

/* Returns whether a path has no empty parts and no parts . and .., as the component also checks. */
static bool path_good(const char *path)
{
	while (*path) {
		size_t part = strcspn(path, "/");

		if (!part || (part == 1 && *path == '.') || (part == 2 && !memcmp(path, "..", 2)))
			return false;
		path += part;
		if (*path && !*++path)
			return false;
	}
	return true;
}

static int64_t do_open(struct serve *server, const struct limpet_files_request *request,
		       const char *bytes, uint64_t *value)
{
	char name[LIMPET_FILES_NAME + 1] = { 0 };
	struct serve_file *file = file_free(server);
	const struct offer *offer;
	size_t length;
	int fd;

	if (!request->length || request->length > LIMPET_FILES_NAME ||
	    memchr(bytes, 0, request->length))
		return LIMPET_ERANGE;
	memcpy(name, bytes, request->length);
	if (!path_good(name))
		return LIMPET_ERANGE;
	length = strcspn(name, "/");
	offer = offer_find(server, name, length);
	if (!offer)
		return LIMPET_ENOENT;
	if (!file)
		return LIMPET_EFULL;
	fd = offer_open(offer, name + length + !!name[length], request->argument);
	if (fd < 0)
		return fd;
	*file = (struct serve_file){ fd, request->argument, (file->turn + 1) & 0xffffff,
				     offer->kind == OFFER_SERIAL };
	*value = file->turn << 8 | (uint32_t)(file - server->file);
	return 0;
}

/* Not a status of LIMPET_E...: the request has no result yet. */
#define NOT_YET INT64_MIN

static int64_t do_get(struct serve *server, const struct limpet_files_request *request, char *data)
{
	const struct serve_file *file = file_find(server, request->handle);
	ssize_t count;

	if (!file)
		return LIMPET_ENOENT;
	if (!(file->how & LIMPET_FILES_READ))
		return LIMPET_ERIGHTS;
	if (!request->length || request->length > LIMPET_FILES_DATA ||
	    request->position > INT64_MAX || request->argument > LIMPET_FILES_WAIT)
		return LIMPET_ERANGE;
	count = file->serial ? read(file->fd, data, request->length)
			     : pread(file->fd, data, request->length, (off_t)request->position);
	if (count >= 0)
		return count; /* 0 from a serial port: the port was removed */
	return errno == EAGAIN || errno == EINTR ? NOT_YET : offer_status(errno);
}

static int64_t do_put(struct serve *server, const struct limpet_files_request *request,
		      const char *bytes)
{
	const struct serve_file *file = file_find(server, request->handle);
	ssize_t count;

	if (!file)
		return LIMPET_ENOENT;
	if (!(file->how & LIMPET_FILES_WRITE))
		return LIMPET_ERIGHTS;
	if (!request->length || request->length > LIMPET_FILES_DATA ||
	    request->position > INT64_MAX)
		return LIMPET_ERANGE;
	count = file->serial ? write(file->fd, bytes, request->length)
			     : pwrite(file->fd, bytes, request->length, (off_t)request->position);
	if (count >= 0)
		return count;
	return errno == EAGAIN || errno == EINTR ? 0 : offer_status(errno);
}

static int64_t do_size(struct serve *server, const struct limpet_files_request *request,
		       uint64_t *value)
{
	const struct serve_file *file = file_find(server, request->handle);
	struct stat is;

	if (!file)
		return LIMPET_ENOENT;
	if (fstat(file->fd, &is))
		return offer_status(errno);
	*value = file->serial ? 0 : (uint64_t)is.st_size;
	return 0;
}

static int64_t do_close(struct serve *server, const struct limpet_files_request *request)
{
	struct serve_file *file = file_find(server, request->handle);

	if (!file)
		return LIMPET_ENOENT;
	file_end(file);
	return 0;
}

static int64_t wait_begin(struct serve *server, const struct limpet_files_request *request,
			  int64_t now)
{
	for (unsigned int i = 0; i < SERVE_WAITING; i++) {
		if (server->wait[i].used)
			continue;
		server->wait[i] = (struct serve_wait){ true, *request, now + request->argument };
		return NOT_YET;
	}
	return LIMPET_EBUSY;
}

static int64_t perform(struct serve *server, const struct limpet_files_request *request,
		       const char *bytes, struct serve_answer *answer)
{
	switch (request->what) {
	case LIMPET_FILES_OPEN:
		return do_open(server, request, bytes, &answer->head.value);
	case LIMPET_FILES_GET:
		return do_get(server, request, answer->data);
	case LIMPET_FILES_PUT:
		return do_put(server, request, bytes);
	case LIMPET_FILES_SIZE:
		return do_size(server, request, &answer->head.value);
	default:
		return do_close(server, request);
	}
}

static size_t answer_end(const struct limpet_files_request *request, int64_t status,
			 struct serve_answer *answer)
{
	answer->head.id = request->id;
	answer->head.what = request->what;
	answer->head.status = status;
	return sizeof(answer->head) +
	       (request->what == LIMPET_FILES_GET && status > 0 ? (size_t)status : 0);
}

/* Checks the number of bytes after the request: its length for OPEN and PUT, else 0. */
static bool request_good(const struct limpet_files_request *request, size_t bytes)
{
	if (request->what < LIMPET_FILES_OPEN || request->what > LIMPET_FILES_CLOSE)
		return false;
	return bytes == (request->what == LIMPET_FILES_OPEN || request->what == LIMPET_FILES_PUT
				 ? request->length
				 : 0);
}

size_t serve_request(struct serve *server, const void *message, size_t size, int64_t now,
		     struct serve_answer *answer)
{
	struct limpet_files_request request;
	int64_t status;

	if (size < sizeof(request))
		return 0;
	memcpy(&request, message, sizeof(request));
	if (!request_good(&request, size - sizeof(request)))
		return 0;
	memset(&answer->head, 0, sizeof(answer->head));
	status = perform(server, &request, (const char *)message + sizeof(request), answer);
	if (status == NOT_YET)
		status = request.argument ? wait_begin(server, &request, now) : 0;
	return status == NOT_YET ? 0 : answer_end(&request, status, answer);
}

size_t serve_waiting(struct serve *server, int64_t now, struct serve_answer *answer)
{
	for (unsigned int i = 0; i < SERVE_WAITING; i++) {
		struct serve_wait *wait = &server->wait[i];
		int64_t status;

		if (!wait->used)
			continue;
		memset(&answer->head, 0, sizeof(answer->head));
		status = do_get(server, &wait->request, answer->data);
		if (status == NOT_YET && now < wait->deadline)
			continue;
		wait->used = false;
		return answer_end(&wait->request, status == NOT_YET ? 0 : status, answer);
	}
	return 0;
}

int64_t serve_deadline(const struct serve *server)
{
	int64_t first = INT64_MAX;

	for (unsigned int i = 0; i < SERVE_WAITING; i++)
		if (server->wait[i].used && server->wait[i].deadline < first)
			first = server->wait[i].deadline;
	return first;
}

int serve_wait_fd(const struct serve *server, unsigned int index)
{
	const struct serve_wait *wait = &server->wait[index];
	uint32_t place = wait->request.handle & 0xff;

	return wait->used && place < SERVE_OPEN ? server->file[place].fd : -1;
}

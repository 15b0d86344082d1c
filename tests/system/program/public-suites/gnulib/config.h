/* SPDX-License-Identifier: GPL-2.0 */
/* The definitions of gnulib's configure script for a complete compiler and C library. */
#include <stdbool.h>
#define O_BINARY 0
#define O_TEXT 0
#define _GL_UNUSED
#define _GL_INLINE static inline
#define _GL_EXTERN_INLINE static inline
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_ARG_NONNULL(numbers)
#define _GL_ATTRIBUTE_CONST
#define _GL_ATTRIBUTE_PURE
#define _GL_ATTRIBUTE_COLD
#define _GL_ATTRIBUTE_MALLOC
#define _GL_ATTRIBUTE_DEALLOC(function, number)
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_RETURNS_NONNULL
#define _GL_ATTRIBUTE_NONNULL(numbers)
#define _GL_ATTRIBUTE_ALLOC_SIZE(numbers)
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_MAYBE_UNUSED
#define _GL_ATTRIBUTE_FORMAT(words)
#define _GL_ATTRIBUTE_FORMAT_PRINTF_STANDARD(format, first)
#define _GL_CMP(a, b) (((a) > (b)) - ((a) < (b)))
#define MAYBE_UNUSED
#define HAVE_DECL_ALARM 1
#define HAVE_THREADS_H 1
#define HAVE_PTHREAD_API 1
#define HAVE_PTHREAD_RWLOCK 1
#define HAVE_PTHREAD_MUTEX_RECURSIVE 1
#define USE_POSIX_THREADS 1
#define USE_POSIX_THREADS_FROM_LIBC 1

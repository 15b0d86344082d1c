/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * <rtl_cpp.h>: what a module in C++ needs besides the interface. An object takes whole pages, because kmalloc()
 * allocates it. `new` returns 0 if no memory is left. Static objects are constructed before init_module(). They are not
 * destroyed, because the memory of the module ends with it.
 */
#ifndef RTLINUX_CPP_H
#define RTLINUX_CPP_H

#ifndef __cplusplus
#error <rtl_cpp.h> is for sources in C++
#endif

/* Several sources of a module can include this header. */
#define RTLINUX_ONCE __attribute__((weak))

RTLINUX_ONCE void *operator new(size_t size)
{
	return kmalloc(size, GFP_KERNEL);
}

RTLINUX_ONCE void *operator new[](size_t size)
{
	return kmalloc(size, GFP_KERNEL);
}

RTLINUX_ONCE void operator delete(void *object)
{
	kfree(object);
}

RTLINUX_ONCE void operator delete[](void *object)
{
	kfree(object);
}

RTLINUX_ONCE void operator delete(void *object, size_t size)
{
	(void)size;
	kfree(object);
}

RTLINUX_ONCE void operator delete[](void *object, size_t size)
{
	(void)size;
	kfree(object);
}

extern "C" {
RTLINUX_ONCE void *__dso_handle;

/* Does not register the destructor of a static object. */
RTLINUX_ONCE int __cxa_atexit(void (*destroy)(void *), void *object, void *dso)
{
	(void)destroy;
	(void)object;
	(void)dso;
	return 0;
}

RTLINUX_ONCE void __cxa_pure_virtual(void)
{
	panic("a pure virtual function was called\n");
}
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one list of errors. Kernel calls, interfaces and channels all return one of these as a
 * negative status; 0 and above is success. The numbers are part of the ABI and never change.
 */
#ifndef LIMPET_ERROR_H
#define LIMPET_ERROR_H

#define LIMPET_ERRORS(X)                                                                           \
	X(ESLOT, 1, "no capability in that slot, or the slot is outside the table")                \
	X(ETYPE, 2, "the capability is of another type than the call needs")                       \
	X(ERIGHTS, 3, "the capability does not carry the right that the call needs")               \
	X(ERANGE, 4, "an argument is outside its documented range")                                \
	X(EALIGN, 5, "an address or offset is not a multiple of the page size")                    \
	X(EBUSY, 6, "the object is in use: mapped, occupied, or has derived capabilities")         \
	X(ENOMEM, 7, "not enough frames were given for the operation")                             \
	X(EFULL, 8, "the destination slot or table entry already holds something")                 \
	X(EDEPTH, 9, "the thread's invocation stack is full")                                      \
	X(ECRASH, 10, "the component crashed, was stopped or destroyed before it returned")        \
	X(EAGAIN, 11, "not finished: the bounded step is done, call again to go on")               \
	X(ENOENT, 12, "the named object or entry does not exist")                                  \
	X(ECALL, 13, "the number of the kernel call is unknown")                                   \
	X(ECPU, 14, "the object belongs to another CPU")                                           \
	X(ETIME, 15, "the time has passed before the event came")                                  \
	X(EEMPTY, 16, "nothing is pending, and the caller asked not to wait")                      \
	X(ESTATE, 17, "the object is not in a state that allows the call")                         \
	X(EQUOTA, 18, "the caller's quota is used up")                                             \
	X(EPEER, 19, "the other side of the connection refused it or ended it")                    \
	X(ESTACK, 20, "the invoked component has no free stack")                                   \
	X(EFAULT, 21, "memory of the guest cannot be accessed")                                    \
	X(EINTR, 22, "a signal for the guest ended the wait")

#define LIMPET_ERROR_ENUM(name, number, text) LIMPET_##name = -(number),
enum limpet_error { LIMPET_OK = 0, LIMPET_ERRORS(LIMPET_ERROR_ENUM) };
#undef LIMPET_ERROR_ENUM

#endif

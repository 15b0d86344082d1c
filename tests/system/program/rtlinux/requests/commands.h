/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of the process to the module. */
struct pair {
	int first, second;
};

#define ASK_ADD 1     /* returns the argument plus 1 */
#define ASK_POINTER 2 /* reads an int at an address that is not copied */
#define ASK_SLOW 3    /* waits for the argument's number of milliseconds */
#define ASK_COMPUTE 4 /* computes until the thread has run three times, and returns this number */
#define ASK_UNLINK 5  /* removes the handler */
#define ASK_DESTROY 6 /* destroys the FIFO */
#define ASK_SWAP _IOWR('R', 1, struct pair)
#define ASK_LARGE _IOW('R', 2, char[1025])

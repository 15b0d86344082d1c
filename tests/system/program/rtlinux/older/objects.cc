// SPDX-License-Identifier: GPL-2.0
/* Classes in a module: virtual functions, new and delete, static objects, a thread that runs a member. */
#include <rtl_cpp.h>
#include <rtl_fifo.h>
#include <rtl_sched.h>
#include <math.h>
#include <pthread.h>
#include "older.h"

extern "C" {
void expect(int holds, const char *what);
int objects_test(void);
}

static int alive;
static int step = 2;
MODULE_PARM(step, "i");

class Counter
{
      public:
	Counter()
	{
		alive++;
	}
	virtual ~Counter()
	{
		alive--;
	}
	virtual int next() = 0;
};

class Steps : public Counter
{
	int value, by;

      public:
	explicit Steps(int by) : value(0), by(by)
	{
	}
	int next()
	{
		return value += by;
	}
};

class Squares : public Counter
{
	int root;
	double *last; /* an array that the object owns */

      public:
	Squares() : root(0), last(new double[4])
	{
	}
	~Squares()
	{
		delete[] last;
	}
	int next()
	{
		root++;
		last[root % 4] = pow(root, 2);
		return (int)last[root % 4];
	}
};

/* A thread that adds values of a counter. */
class Adder
{
	Counter &counter;
	pthread_t thread;

	void *run()
	{
		pthread_make_periodic_np(pthread_self(), gethrtime(), 1000000);
		for (int i = 0; i < 5; i++) {
			pthread_wait_np();
			sum += counter.next();
		}
		return this;
	}
	static void *enter(void *adder)
	{
		return static_cast<Adder *>(adder)->run();
	}

      public:
	int sum;
	explicit Adder(Counter &counter) : counter(counter), sum(0)
	{
		expect(!pthread_create(&thread, 0, enter, this), "a thread of an object");
	}
	void join()
	{
		void *value;

		expect(!pthread_join(thread, &value) && value == this, "the thread's result");
	}
};

static Steps constructed(100);

static int in_function(int by)
{
	static Steps steps(by);

	return steps.next();
}

template <class T> static T larger(T a, T b)
{
	return a > b ? a : b;
}

int objects_test(void)
{
	expect(alive == 1 && constructed.next() == 100, "a static object is constructed");
	expect(in_function(3) == 3 && in_function(9) == 6 && alive == 2,
	       "a static object of a function");

	Counter *squares = new Squares, *steps = new Steps(step);
	expect(squares && steps && alive == 4, "new");

	Adder first(*squares), second(*steps);
	first.join();
	second.join();
	delete squares;
	delete steps;
	expect(alive == 2, "delete");
	expect(!new char[2 << 20], "new without memory returns 0");
	return larger(first.sum, second.sum);
}

// SPDX-License-Identifier: BSD-2-Clause
/* Tests the language: static objects, exceptions, types at run time, objects of threads. */
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

#include "parts.h"

/* The names of these types are printed. */
namespace parts
{

struct Shape {
	virtual ~Shape() = default;
	virtual int corners() const = 0;
};

struct Named {
	virtual ~Named() = default;
	std::string name = "named";
};

struct Square : Shape, Named {
	int corners() const override
	{
		return 4;
	}
};

struct Failure : std::runtime_error {
	Failure(const std::string &text, int number) : std::runtime_error(text), number(number)
	{
	}
	int number;
};

} // namespace parts

namespace
{

using parts::Failure, parts::Named, parts::Shape, parts::Square;

/* Prints its construction and its destruction. */
class Noisy
{
      public:
	explicit Noisy(const char *name) : name_(name)
	{
		std::cout << name_ << " is constructed\n";
	}
	~Noisy()
	{
		std::cout << name_ << " is destroyed" << std::endl;
	}
	const char *name() const
	{
		return name_;
	}

      private:
	const char *name_;
};

Noisy first("static 1"), second("static 2");

thread_local Noisy each("object of a thread");

Noisy &local()
{
	static Noisy object("static of a function");
	return object;
}

struct Triangle : Shape {
	int corners() const override
	{
		return 3;
	}
};

void types()
{
	std::unique_ptr<Shape> square = std::make_unique<Square>(),
			       triangle = std::make_unique<Triangle>();
	auto &named = dynamic_cast<Named &>(*square);

	std::cout << "corners: " << square->corners() << " " << triangle->corners() << " "
		  << named.name << "\n";
	std::cout << "casts: " << (dynamic_cast<Square *>(&named) == square.get()) << " "
		  << (dynamic_cast<Square *>(triangle.get()) == nullptr) << "\n";
	std::cout << "types: " << typeid(*square).name() << " "
		  << (typeid(*square) == typeid(Square)) << "\n";
	try {
		dynamic_cast<Named &>(*triangle).name = "never";
	} catch (const std::bad_cast &) {
		std::cout << "bad cast\n";
	}
}

/* Throws at the end of a recursion. Each call has an object to destroy. */
int descend(int depth)
{
	const Noisy here("frame");

	if (!depth)
		throw Failure("at the bottom", 42);
	return descend(depth - 1) + static_cast<int>(here.name()[0]);
}

void exceptions()
{
	try {
		descend(2);
	} catch (const Failure &failure) {
		std::cout << "caught: " << failure.what() << " " << failure.number << "\n";
	}
	try {
		try {
			throw 7;
		} catch (int &number) {
			number++;
			throw;
		}
	} catch (int number) {
		std::cout << "rethrown: " << number << "\n";
	}
	try {
		try {
			throw std::logic_error("inside");
		} catch (...) {
			std::throw_with_nested(Failure("outside", 1));
		}
	} catch (const std::exception &outer) {
		try {
			std::rethrow_if_nested(outer);
		} catch (const std::exception &inner) {
			std::cout << "nested: " << outer.what() << ", " << inner.what() << "\n";
		}
	}
	volatile std::size_t size = static_cast<std::size_t>(-1) / 4;
	try {
		delete[] new char[size];
	} catch (const std::bad_alloc &) {
		std::cout << "no memory\n";
	}
}

void threads()
{
	std::exception_ptr caught;
	std::thread thread([&caught] {
		std::cout << each.name() << " in its thread\n";
		try {
			descend(1);
		} catch (...) {
			caught = std::current_exception();
		}
	});

	thread.join();
	try {
		std::rethrow_exception(caught);
	} catch (const Failure &failure) {
		std::cout << "from a thread: " << failure.what() << "\n";
	}
}

} // namespace

void language()
{
	std::cout << local().name() << ", " << first.name() << ", " << second.name() << "\n";
	types();
	exceptions();
	threads();
}

void fail(const std::string &kind)
{
	if (kind == "main")
		throw Failure("not caught", 1);
	std::thread([] { throw Failure("not caught in a thread", 2); }).join();
}

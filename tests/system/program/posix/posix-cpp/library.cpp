// SPDX-License-Identifier: BSD-2-Clause
/* Tests the standard library: containers, texts, streams, files, threads, time. */
#include <algorithm>
#include <any>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "parts.h"

using namespace std::chrono_literals;

namespace
{

void containers()
{
	std::vector<int> numbers(1000);
	std::mt19937 random(7);
	std::map<std::string, int> ordered{ { "two", 2 }, { "one", 1 }, { "three", 3 } };
	std::unordered_map<int, std::string> hashed;

	std::generate(numbers.begin(), numbers.end(),
		      [&random] { return static_cast<int>(random() % 1000); });
	std::sort(numbers.begin(), numbers.end());
	std::cout << "numbers: " << numbers.front() << " " << numbers[500] << " "
		  << std::accumulate(numbers.begin(), numbers.end(), 0) << "\n";
	for (const auto &[name, value] : ordered)
		std::cout << name << "=" << value << " ";
	for (int i = 0; i < 100; i++)
		hashed[i] = std::to_string(i * i);
	std::cout << hashed.at(12) << " " << hashed.size() << "\n";
	try {
		numbers.at(1000) = 0;
	} catch (const std::out_of_range &) {
		std::cout << "out of range\n";
	}
	std::variant<int, std::string> either = "text";
	std::optional<int> none;
	std::any any = 2.5;
	std::cout << "either: " << std::get<std::string>(either) << " " << none.value_or(-1) << " "
		  << std::any_cast<double>(any) << "\n";
	try {
		std::cout << std::get<int>(either);
	} catch (const std::bad_variant_access &) {
		std::cout << "the other type\n";
	}
}

void streams()
{
	std::ostringstream out;
	std::istringstream in("17 0x1f 2.75 word");
	int decimal, hexadecimal;
	double real;
	std::string word;

	out << std::setw(8) << std::setfill('*') << 42 << " " << std::hex << std::showbase << 255
	    << " " << std::fixed << std::setprecision(3) << 3.14159265 << " " << std::scientific
	    << 12345.678 << " " << std::boolalpha << true;
	std::cout << out.str() << "\n";
	in >> decimal >> std::hex >> hexadecimal >> real >> word;
	std::cout << decimal << " " << hexadecimal << " " << real << " " << word << " " << in.eof()
		  << "\n";
	std::wstring wide = L"wide";
	std::cout << "texts: " << wide.size() << " " << std::stod("1e3") << " "
		  << std::regex_replace("limpet 1.2", std::regex("([0-9]+)\\.([0-9]+)"), "$2.$1")
		  << "\n";
}

void files()
{
	const std::filesystem::path folder = "/tmp/limpet-cpp", path = folder / "text";
	std::string line, last;
	int lines = 0;

	std::filesystem::create_directory(folder);
	{
		std::ofstream out(path);
		for (int i = 0; i < 500; i++)
			out << "line " << i << "\n";
	}
	std::ifstream in(path);
	for (; std::getline(in, line); lines++)
		last = line;
	std::cout << "file: " << lines << " lines, the last is '" << last << "', "
		  << std::filesystem::file_size(path) << " bytes\n";
	std::fstream both(path, std::ios::in | std::ios::out);
	both.seekp(5) << "7";
	both.seekg(0);
	std::getline(both, line);
	std::cout << "changed: " << line << "\n";
	for (const auto &entry : std::filesystem::directory_iterator(folder))
		std::cout << "entry: " << entry.path().filename().string() << " "
			  << entry.is_regular_file() << "\n";
	both.close();
	in.close();
	std::cout << "removed: " << std::filesystem::remove(path) << std::filesystem::remove(folder)
		  << "\n";
	std::cout << "missing: " << std::ifstream("/tmp/missing").is_open()
		  << std::filesystem::exists(path) << "\n";
	std::error_code error;
	std::cout << "error: " << (std::filesystem::file_size(path, error) + 1 == 0) << " "
		  << (error == std::errc::no_such_file_or_directory) << "\n";
}

/* Passes numbers from one thread to another. */
class Channel
{
      public:
	void put(int number)
	{
		const std::lock_guard lock(mutex_);
		numbers_.push(number);
		changed_.notify_one();
	}
	int get()
	{
		std::unique_lock lock(mutex_);
		changed_.wait(lock, [this] { return !numbers_.empty(); });
		const int number = numbers_.front();
		numbers_.pop();
		return number;
	}

      private:
	std::mutex mutex_;
	std::condition_variable changed_;
	std::queue<int> numbers_;
};

void threads()
{
	Channel there, back;
	std::atomic<int> count{ 0 };
	std::once_flag once;
	std::thread server([&] {
		for (int number; (number = there.get()) >= 0;)
			back.put(number * number);
	});
	std::vector<std::thread> counters;
	int sum = 0;

	for (int i = 0; i < 20; i++) {
		there.put(i);
		sum += back.get();
	}
	there.put(-1);
	server.join();
	std::cout << "squares: " << sum << "\n";
	for (int i = 0; i < 4; i++)
		counters.emplace_back([&] {
			std::call_once(once, [] { std::cout << "once\n"; });
			for (int n = 0; n < 1000; n++)
				count++;
		});
	for (auto &thread : counters)
		thread.join();
	std::cout << "count: " << count << "\n";
	auto answer = std::async(std::launch::async, [] { return 6 * 7; });
	auto failure = std::async(std::launch::async,
				  []() -> int { throw std::runtime_error("in a task"); });
	std::cout << "answer: " << answer.get() << "\n";
	try {
		failure.get();
	} catch (const std::runtime_error &error) {
		std::cout << "failure: " << error.what() << "\n";
	}
}

void times()
{
	std::mutex mutex;
	std::condition_variable never;
	std::unique_lock lock(mutex);
	const auto start = std::chrono::steady_clock::now();

	std::this_thread::sleep_for(3ms);
	const auto slept = std::chrono::steady_clock::now() - start;
	std::cout << "slept: " << (slept >= 3ms) << "\n";
	std::cout << "timeout: " << (never.wait_for(lock, 2ms) == std::cv_status::timeout) << "\n";
	std::cout << "after 2020: "
		  << (std::chrono::system_clock::now().time_since_epoch() > 50 * 365 * 24h) << "\n";
}

} // namespace

void library()
{
	containers();
	streams();
	files();
	threads();
	times();
}

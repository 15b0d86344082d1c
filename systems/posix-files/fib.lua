-- SPDX-License-Identifier: BSD-2-Clause
-- Calls: Fibonacci numbers, the slow way.
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
print("fib: " .. fib(22))

-- SPDX-License-Identifier: BSD-2-Clause
-- The language and its libraries, as far as they ask the system for anything.
-- Numbers
assert(7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 3 | 4 == 7 and 1 << 62 > 0)
assert(math.maxinteger + 1 == math.mininteger and 2 ^ 53 == 2 ^ 53 + 1)
assert(string.format("%.3f %5d %x %q", math.pi, 42, 255, "a\nb") == "3.142    42 ff \"a\\\nb\"")
assert(tonumber("0x1p4") == 16 and tostring(1e15) == "1e+15" and math.type(3 // 1.0) == "float")
-- Coroutines, errors, closures, metatables
local made = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
assert(made() + made() + made() == 6)
local ok, why = pcall(error, { code = 3 })
assert(not ok and why.code == 3)
assert(select(2, xpcall(function() local x = nil; return x.y end, debug.traceback)):find("stack traceback"))
local log = {}
do
  local closed <close> = setmetatable({}, { __close = function() log[#log + 1] = "closed" end })
end
setmetatable({}, { __gc = function() log[#log + 1] = "collected" end })
collectgarbage()
assert(log[1] == "closed" and log[2] == "collected")
local weak = setmetatable({ {} }, { __mode = "v" })
collectgarbage()
assert(#weak == 0)
-- Deep recursion ends with an error, not with the stack
local function deep(n) return 1 + deep(n + 1) end
assert(not pcall(deep, 1))
-- Files
local name = os.tmpname()
local file = assert(io.open(name, "w"))
for i = 1, 500 do file:write(i, ",", i * i, "\n") end
assert(file:close())
local sum = 0
for line in io.lines(name) do sum = sum + tonumber(line:match(",(%d+)")) end
assert(sum == 41791750)
file = assert(io.open(name, "r+"))
assert(file:seek("end") == 4934 and file:seek("set", 2) == 2 and file:read("n") == 1)
file:close()
assert(os.rename(name, name .. "-new") and os.remove(name .. "-new") and not io.open(name))
assert(select(2, io.open("/checks.lua", "w")):find("Read%-only"))
assert(select(3, io.open("/nothing")) == 2)
local scratch = io.tmpfile()
scratch:write("once") scratch:seek("set")
assert(scratch:read("a") == "once")
-- Time
local now, clock = os.time(), os.clock()
assert(now >= 0 and clock >= 0 and os.date("!%Y", 0) == "1970")
assert(os.time({ year = 2000, month = 1, day = 1, hour = 0 }) == 946684800)
-- What there is not
assert(os.getenv("HOME") == nil and not io.popen("ls") and not os.execute("true"))
assert(utf8.len("Grüße") == 5 and ("x"):rep(3, "-") == "x-x-x" and string.pack("<i4", 7) == "\7\0\0\0")
print("checks: right")

-- SPDX-License-Identifier: BSD-2-Clause
-- Tables: numbers of a linear congruence, sorted by table.sort and by heap sort.
local state = 42
local function random()
  state = (state * 1103515245 + 12345) % 2147483648
  return state
end

local function sift(t, at, count)
  while 2 * at <= count do
    local child = 2 * at
    if child < count and t[child] < t[child + 1] then child = child + 1 end
    if t[at] >= t[child] then return end
    t[at], t[child] = t[child], t[at]
    at = child
  end
end

local function heap_sort(t)
  for at = #t // 2, 1, -1 do sift(t, at, #t) end
  for last = #t, 2, -1 do
    t[1], t[last] = t[last], t[1]
    sift(t, 1, last - 1)
  end
end

local a, b = {}, {}
for i = 1, 3000 do a[i] = random() b[i] = a[i] end
table.sort(a)
heap_sort(b)
for i = 1, #a do assert(a[i] == b[i]) end
print("sort: " .. a[1] .. " to " .. a[#a])

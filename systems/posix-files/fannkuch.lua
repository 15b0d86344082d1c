-- SPDX-License-Identifier: BSD-2-Clause
-- Integers: how often the first so many of a permutation are turned round until 1 is the first.
local function flips(p)
  local q, n = table.move(p, 1, #p, 1, {}), 0
  while q[1] ~= 1 do
    local i, j = 1, q[1]
    while i < j do
      q[i], q[j] = q[j], q[i]
      i, j = i + 1, j - 1
    end
    n = n + 1
  end
  return n
end

local max, seen = 0, 0
local function permute(p, k)
  if k == 1 then
    seen = seen + 1
    max = math.max(max, flips(p))
    return
  end
  for i = 1, k do
    permute(p, k - 1)
    local j = k % 2 == 0 and i or 1
    p[j], p[k] = p[k], p[j]
  end
end
permute({ 1, 2, 3, 4, 5, 6 }, 6)
print("fannkuch: " .. max .. " of " .. seen)

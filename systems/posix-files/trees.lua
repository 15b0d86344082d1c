-- SPDX-License-Identifier: BSD-2-Clause
-- Memory: many small trees, most of them garbage soon.
local function make(depth)
  if depth == 0 then return {} end
  return { make(depth - 1), make(depth - 1) }
end

local function count(tree)
  if not tree[1] then return 1 end
  return 1 + count(tree[1]) + count(tree[2])
end

local long, sum = make(9), 0
for _ = 1, 40 do sum = sum + count(make(6)) end
collectgarbage()
print("trees: " .. sum .. " and " .. count(long))

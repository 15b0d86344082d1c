-- SPDX-License-Identifier: BSD-2-Clause
-- Runs the scripts that the arguments name; each prints its result, here stands how long it took.
local wrong = 0
for _, name in ipairs(arg) do
  local before = os.clock()
  local ok, why = pcall(dofile, "/" .. name .. ".lua")
  if ok then
    print(string.format("%s took %.0f ms", name, (os.clock() - before) * 1000))
  else
    print(string.format("wrong: %s: %s", name, why))
    wrong = wrong + 1
  end
end
print(string.format("scripts: %d, wrong: %d, memory: %.0f KiB", #arg, wrong, collectgarbage("count")))
os.exit(wrong == 0)

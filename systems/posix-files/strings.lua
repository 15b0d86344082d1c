-- SPDX-License-Identifier: BSD-2-Clause
-- Strings: words counted in a text that is made up, and patterns.
local words, text = { "limpet", "rock", "tide", "shell", "wave" }, {}
for i = 1, 2000 do text[i] = words[i * i % #words + 1] end
local joined, counts = table.concat(text, " "), {}
for word in joined:gmatch("%a+") do counts[word] = (counts[word] or 0) + 1 end
local names = {}
for name, n in pairs(counts) do names[#names + 1] = name .. "=" .. n end
table.sort(names)
local turned, changes = joined:gsub("(%a+) (%a+)", "%2 %1")
assert(#turned == #joined and changes == 1000)
assert(joined:upper():lower() == joined and joined:reverse():reverse() == joined)
print("strings: " .. table.concat(names, " "))

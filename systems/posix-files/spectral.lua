-- SPDX-License-Identifier: BSD-2-Clause
-- Floating point and tables: the largest eigenvalue of a matrix that is never written down.
local function a(i, j)
  local ij = i + j - 1
  return 1.0 / (ij * (ij - 1) * 0.5 + i)
end

local function multiply(v, transposed)
  local result = {}
  for i = 1, #v do
    local sum = 0
    for j = 1, #v do sum = sum + (transposed and a(j, i) or a(i, j)) * v[j] end
    result[i] = sum
  end
  return result
end

local u, v = {}, {}
for i = 1, 30 do u[i] = 1 end
for _ = 1, 5 do
  v = multiply(multiply(u), true)
  u = multiply(multiply(v), true)
end
local uv, vv = 0, 0
for i = 1, #u do uv, vv = uv + u[i] * v[i], vv + v[i] * v[i] end
print(string.format("spectral: %.6f", math.sqrt(uv / vv)))

-- SPDX-License-Identifier: BSD-2-Clause
-- Floating point: two bodies around a heavy one, in the plane; their energy stays.
local bodies = {
  { m = 40.0, x = 0, y = 0, vx = 0, vy = 0 },
  { m = 0.04, x = 5, y = 0, vx = 0, vy = 2.8 },
  { m = 0.01, x = 0, y = 9, vx = -2.1, vy = 0 },
}

local function energy()
  local e = 0
  for i, a in ipairs(bodies) do
    e = e + a.m * (a.vx * a.vx + a.vy * a.vy) / 2
    for j = i + 1, #bodies do
      local b = bodies[j]
      e = e - a.m * b.m / math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2)
    end
  end
  return e
end

local function advance(dt)
  for i, a in ipairs(bodies) do
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy = a.x - b.x, a.y - b.y
      local d2 = dx * dx + dy * dy
      local mag = dt / (d2 * math.sqrt(d2))
      a.vx, a.vy = a.vx - dx * b.m * mag, a.vy - dy * b.m * mag
      b.vx, b.vy = b.vx + dx * a.m * mag, b.vy + dy * a.m * mag
    end
  end
  for _, a in ipairs(bodies) do a.x, a.y = a.x + dt * a.vx, a.y + dt * a.vy end
end

local before = energy()
for _ = 1, 2000 do advance(0.001) end
assert(math.abs(energy() - before) < 1e-3 * math.abs(before))
print(string.format("nbody: %.6f", before))

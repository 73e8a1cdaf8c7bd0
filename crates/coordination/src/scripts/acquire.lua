-- Gives a lease for one request to a host, or the time to wait.
-- KEYS: members, slots, places, pause of the host, pause of the limit, breaker.
-- ARGV: self, deadline, generation, lease, requests, milliseconds of the pace, places, longest time to the head of an
-- answer, longest exchange, milliseconds after which a silent member is missing, time to gather, pitch, window.
-- A wait is for 0: a slot of the pace, 1: a place, 2: what the members have not agreed on or a missing one may still use.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[2]) then return {'late', now} end
local fields = redis.call('HGETALL', KEYS[1])
local known, members = {}, {}
for i = 1, #fields, 2 do
  if fields[i]:sub(1, 2) == 'm:' then members[fields[i]:sub(3)] = fields[i + 1] else known[fields[i]] = fields[i + 1] end
end
if known.generation ~= ARGV[3] or not members[ARGV[1]] then return {'unknown', now} end
for at = 4, 5 do
  local stated = redis.call('GET', KEYS[at])
  if stated then return {'paused', now, redis.call('PTTL', KEYS[at]), tonumber(stated), at == 4 and 1 or 0} end
end
local lease = ARGV[1] .. '-' .. ARGV[4]
local breaker = redis.call('HMGET', KEYS[6], 'until', 'probe')
if breaker[1] then
  if now < tonumber(breaker[1]) then return {'open', now, tonumber(breaker[1]) - now} end
  if breaker[2] and now < tonumber(breaker[2]) then return {'open', now, 1000} end
end
local requests, per, head = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[8])
if requests > 0 then
  local born, silent, gather = tonumber(known.born), tonumber(ARGV[10]), tonumber(ARGV[11])
  local version, n, before = tonumber(known.version), tonumber(known.n), tonumber(known.before)
  if now < born + gather then return {'wait', now, born + gather - now, 2} end
  local agreed = true
  for _, member in pairs(members) do
    local index, _, version_of = member:match('^(-?%d+):(%d+):(%d+)$')
    index = tonumber(index)
    if index >= 0 and index < n and tonumber(version_of) ~= version then agreed = false end
  end
  local all = agreed and n or math.max(n, before)
  local reserve = 0
  if per > 60000 and all > 0 and requests >= 4 * all then reserve = math.max(1, math.floor(requests / (8 * all))) end
  local cap, wait = requests - reserve * all, 0
  for _, member in pairs(members) do
    local index, seen, version_of = member:match('^(-?%d+):(%d+):(%d+)$')
    index, seen = tonumber(index), tonumber(seen)
    -- Its slots are known only since the generation began.
    if seen < born then wait = math.max(wait, seen + head + per - now) end
    if index >= 0 and now > seen + silent and now < seen + silent + per + 30000 then
      local shares = (tonumber(version_of) == version or before == 0) and n or before
      if shares > 0 and index < shares then
        if requests >= shares then
          cap = cap - math.max(0, math.floor(requests / shares) - reserve)
        else
          local groups = math.ceil(shares / requests)
          local pitch = tonumber(ARGV[12])
          local cycle = groups * pitch
          local at = (now - (index % groups) * pitch) % cycle
          if at < pitch then wait = math.max(wait, pitch - at)
          elseif at > cycle - pitch + tonumber(ARGV[13]) then wait = math.max(wait, cycle - at + pitch) end
        end
      end
    end
  end
  if wait > 0 then return {'wait', now, wait, 2} end
  if cap <= 0 then return {'wait', now, math.min(per, 1000), 2} end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  local used = redis.call('ZCARD', KEYS[2])
  if used >= cap then
    local first = redis.call('ZRANGE', KEYS[2], used - cap, used - cap, 'WITHSCORES')
    return {'wait', now, math.max(1, math.min(per, tonumber(first[2]) - now)), 0}
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[7]) then return {'wait', now, 25, 1} end
if requests > 0 then
  redis.call('ZADD', KEYS[2], now + head + per, lease)
  redis.call('PEXPIRE', KEYS[2], head + per + 1000)
end
redis.call('ZADD', KEYS[3], now + ARGV[9], lease)
redis.call('PEXPIRE', KEYS[3], ARGV[9] + 1000)
local probe = 0
if breaker[1] then
  redis.call('HSET', KEYS[6], 'probe', now + ARGV[9])
  probe = 1
end
return {'go', now, probe}

-- Makes a process a member, with what it knows: its share, the other members, its own slots. A server that has restarted
-- or was flushed has no members, and begins a generation.
-- KEYS: members. ARGV: prefix, self, deadline, run, generation given up, name of a new generation, JSON of what is known.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[3]) then return {'late', now} end
local key, self, known = KEYS[1], ARGV[2], cjson.decode(ARGV[7])
local generation = redis.call('HGET', key, 'generation')
if not generation or redis.call('HGET', key, 'run') ~= ARGV[4] or generation == ARGV[5] then
  redis.call('DEL', key)
  generation = ARGV[6]
  redis.call('HSET', key, 'generation', generation, 'born', now, 'run', ARGV[4], 'version', 0, 'n', 0, 'before', 0)
end
local taken = {}
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  if fields[i]:sub(1, 2) == 'm:' and fields[i] ~= 'm:' .. self then
    taken[fields[i + 1]:match('^(-?%d+)')] = true
  end
end
if known.generation ~= generation then
  if known.version > tonumber(redis.call('HGET', key, 'version')) then
    redis.call('HSET', key, 'version', known.version, 'n', known.n, 'before', known.before)
  end
  for _, peer in ipairs(known.peers) do
    if redis.call('HEXISTS', key, 'm:' .. peer[1]) == 0 then
      local index = tostring(peer[2])
      if taken[index] then index = '-1' else taken[index] = true end
      redis.call('HSET', key, 'm:' .. peer[1], index .. ':' .. (now - peer[3]) .. ':' .. peer[4])
    end
  end
end
local mine = redis.call('HGET', key, 'm:' .. self)
local index = mine and mine:match('^(-?%d+)') or tostring(known.index)
local agreed = known.agreed
if not mine and index ~= '-1' and taken[index] then index, agreed = '-1', 0 end
redis.call('HSET', key, 'm:' .. self, index .. ':' .. now .. ':' .. agreed)
redis.call('PEXPIRE', key, 600000)
for _, limit in ipairs(known.slots) do
  local slots = ARGV[1] .. generation .. ':slots:' .. limit.name
  for _, slot in ipairs(limit.slots) do
    redis.call('ZADD', slots, now + slot[2], self .. '-' .. slot[1])
  end
  redis.call('PEXPIRE', slots, limit.ttl)
end
return {'ok', now, generation}

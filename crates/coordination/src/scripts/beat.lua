-- Says that a member is alive, and tells it the members and their shares. Shares change only once all members have
-- agreed to the last change, so a member that knows the next shares keeps within the shares of before, too.
-- KEYS: members. ARGV: self, deadline, generation, version agreed to, milliseconds after which a member is gone,
-- milliseconds in which the members of a generation gather.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[2]) then return {'late', now} end
local key, me = KEYS[1], 'm:' .. ARGV[1]
local mine = redis.call('HGET', key, me)
if not mine or redis.call('HGET', key, 'generation') ~= ARGV[3] then return {'unknown', now} end
redis.call('HSET', key, me, mine:match('^(-?%d+)') .. ':' .. now .. ':' .. ARGV[4])
redis.call('PEXPIRE', key, 600000)
local base = redis.call('HMGET', key, 'born', 'version', 'n', 'before')
local born, version, n, before = tonumber(base[1]), tonumber(base[2]), tonumber(base[3]), tonumber(base[4])
local gathered = now >= born + tonumber(ARGV[6])
local members, taken, agreed, most = {}, {}, true, 0
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  if fields[i]:sub(1, 2) == 'm:' then
    local index, seen, version_of = fields[i + 1]:match('^(-?%d+):(%d+):(%d+)$')
    index, seen = tonumber(index), tonumber(seen)
    if now - seen > tonumber(ARGV[5]) then
      redis.call('HDEL', key, fields[i])
    else
      if index >= 0 then taken[index] = true end
      if index >= 0 and index < n and tonumber(version_of) ~= version then agreed = false end
      members[#members + 1] = { fields[i], index, seen, version_of }
    end
  end
end
for _, member in ipairs(members) do
  if member[1] == me and member[2] < 0 and gathered then
    local index = 0
    while taken[index] do index = index + 1 end
    member[2] = index
    redis.call('HSET', key, me, index .. ':' .. now .. ':' .. ARGV[4])
  end
  most = math.max(most, member[2] + 1)
end
if agreed and gathered and most ~= n then
  before, n, version, agreed = n, most, version + 1, false
  redis.call('HSET', key, 'before', before, 'n', n, 'version', version)
end
local reply = { 'ok', now, version, n, before, agreed and 1 or 0 }
for _, member in ipairs(members) do
  reply[#reply + 1] = member[1]:sub(3) .. ':' .. member[2] .. ':' .. (now - member[3]) .. ':' .. member[4]
end
return reply

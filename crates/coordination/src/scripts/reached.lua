-- Counts a slot from now, the latest time at which its request has reached the host.
-- KEYS: slots. ARGV: lease, milliseconds of the pace.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) + 1000 then redis.call('PEXPIRE', KEYS[1], ARGV[2] + 1000) end
return 1

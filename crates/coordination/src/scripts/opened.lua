-- Leaves a failing host alone until the later of two ends. KEYS: breaker. ARGV: milliseconds, milliseconds to remember.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = tonumber(redis.call('HGET', KEYS[1], 'until') or 0)
redis.call('HSET', KEYS[1], 'until', math.max(known, now + ARGV[1]))
redis.call('HDEL', KEYS[1], 'probe')
redis.call('PEXPIRE', KEYS[1], ARGV[1] + ARGV[2])
return 1

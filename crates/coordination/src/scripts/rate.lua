-- GCRA. Counts one request of a client; the answer is 0, or the milliseconds until the next one is allowed.
-- KEYS: client. ARGV: milliseconds between requests, requests at once.
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local ahead = due + interval - now - interval * burst
if ahead > 0 then return math.ceil(ahead) end
redis.call('SET', KEYS[1], string.format('%.3f', due + interval), 'PX', math.ceil(due + interval - now) + 1)
return 0

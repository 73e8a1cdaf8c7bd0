-- Releases a lock that its holder still has. KEYS: lock. ARGV: holder.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0

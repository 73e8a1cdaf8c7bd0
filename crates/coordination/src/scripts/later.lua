-- Sets a mark for a time, unless it already stands for longer. KEYS: mark. ARGV: value, milliseconds.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1

-- Gives a session to a gateway, unless another one that lives has it, which is asked for it then.
--
-- KEYS: session:KEY, numbers. ARGV: the owner (GATEWAY:NUMBER), the beginning of keys, the session's name, the number of
-- the gateway's next record, or 0 if it has no block of numbers yet.
-- Returns 0, or 1, the number behind which it goes on (0: as it was), and state, from and lost.
local had, open, last = unpack(redis.call('HMGET', KEYS[1], 'owner', 'open', 'last'))
local other = had and string.match(had, '^[^:]*')
local isKilled = open == '1' and other ~= string.match(ARGV[1], '^[^:]*')
if isKilled and redis.call('EXISTS', ARGV[2] .. 'alive:' .. other) == 1 then
    redis.call('SADD', ARGV[2] .. 'wanted:' .. other, ARGV[3])
    redis.call('EXPIRE', ARGV[2] .. 'wanted:' .. other, 5)
    return {0}
end
last = tonumber(last or 0)
local base, block = 0, 1000000000
if isKilled or last >= tonumber(ARGV[4]) then
    base = redis.call('INCRBY', KEYS[2], block)
    if base <= last then
        base = (math.floor(last / block) + 1) * block
        redis.call('SET', KEYS[2], string.format('%.0f', base))
    end
end
-- Its last records never came here: whatever was given a number before may be missing.
if isKilled then redis.call('HSET', KEYS[1], 'lost', string.format('%.0f', base)) end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'open', '1')
redis.call('EXPIRE', KEYS[1], 604800)
return {1, base, redis.call('HMGET', KEYS[1], 'state', 'from', 'lost')}

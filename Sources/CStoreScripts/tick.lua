-- Says that a gateway lives: others do not take its sessions, but ask for them.
--
-- All keys of the store begin with {NAME}: and are
--   id               a random text, by which an emptied store is known
--   numbers          the last block of numbers for records that a gateway got
--   alive:GATEWAY    a string that ends when its gateway was silent for a second and a half
--   wanted:GATEWAY   a set with the names of sessions that others ask a gateway for
--   revoked          the last thousand ids of browsers whose cookies no gateway accepts any more, by the second; * for all
--                    that were made until then
--   session:KEY      a hash with the state of a session: owner, open (1 while a gateway has it), state, from (the first
--                    number that it sees), lost (the highest number of a record that may be missing), last (the highest
--                    number that a gateway had given), most and bytes (of its records)
--   calls:KEY        a stream with its records: n is the highest number up to it, r JSON, i the input, o the output
--
-- KEYS: id, alive:GATEWAY, wanted:GATEWAY, revoked. ARGV: a new id, the beginning of keys, GATEWAY, and for each id that was
-- revoked there the id and the second.
-- Returns whether it was known to live, the id, the names of sessions that it has and others ask for, and all revoked ids,
-- each with its second.
local was = redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[2], '1', 'PX', 1500)
redis.call('SET', KEYS[1], ARGV[1], 'NX')
local wanted = {}
for _, name in ipairs(redis.call('SMEMBERS', KEYS[3])) do
    local owner, open = unpack(redis.call('HMGET', ARGV[2] .. 'session:' .. name, 'owner', 'open'))
    if open == '1' and string.match(owner, '^[^:]*') == ARGV[3] then wanted[#wanted + 1] = name end
end
redis.call('DEL', KEYS[3])
for at = 4, #ARGV, 2 do redis.call('ZADD', KEYS[4], 'GT', ARGV[at + 1], ARGV[at]) end
-- If one must be forgotten, cookies that are as old are refused.
local last = redis.call('ZRANGE', KEYS[4], -1001, -1001, 'WITHSCORES')[2]
if last then
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1001)
    redis.call('ZADD', KEYS[4], 'GT', last, '*')
end
-- A gateway that does not know a browser refuses its cookie after twelve hours.
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', redis.call('TIME')[1] - 43260)
return {was, redis.call('GET', KEYS[1]), wanted, redis.call('ZRANGE', KEYS[4], 0, -1, 'WITHSCORES')}

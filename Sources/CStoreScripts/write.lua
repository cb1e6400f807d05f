-- Writes what changed of a session, if the gateway still has it.
--
-- KEYS: session:KEY, calls:KEY. ARGV: the owner, open (0 gives the session up), whether earlier records go (1), from, lost,
-- the last number that the gateway has given, the state or nothing, and for each record its number, r, i and o.
-- Returns 0 if another gateway has it, and 1.
local owner, last, lost, most, bytes = unpack(redis.call('HMGET', KEYS[1], 'owner', 'last', 'lost', 'most', 'bytes'))
if owner ~= ARGV[1] then return 0 end
-- A reader goes on behind that number, at whichever gateway it reads.
last, lost = math.max(tonumber(last or 0), tonumber(ARGV[6])), math.max(tonumber(lost or 0), tonumber(ARGV[5]))
most, bytes = tonumber(most or 0), tonumber(bytes or 0)
if ARGV[3] == '1' then
    redis.call('DEL', KEYS[2])
    bytes = 0
end
for at = 8, #ARGV, 4 do
    most = math.max(most, tonumber(ARGV[at]))
    bytes = bytes + #ARGV[at + 1] + #ARGV[at + 2] + #ARGV[at + 3]
    redis.call('XADD', KEYS[2], '*', 'n', string.format('%.0f', most), 'r', ARGV[at + 1], 'i', ARGV[at + 2],
        'o', ARGV[at + 3])
end
local count = redis.call('XLEN', KEYS[2])
if count > 11000 or bytes > 16777216 then
    -- The oldest go; their bytes are taken for those of an average record.
    local kept = math.min(10000, bytes > 16777216 and math.floor(count / 2) or count)
    redis.call('XTRIM', KEYS[2], 'MAXLEN', kept)
    bytes = bytes * kept / count
    local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
    lost = math.max(lost, first and tonumber(first[2][2]) or most)
end
redis.call('HSET', KEYS[1], 'open', ARGV[2], 'from', ARGV[4], 'last', string.format('%.0f', last),
    'lost', string.format('%.0f', lost), 'most', string.format('%.0f', most), 'bytes', string.format('%.0f', bytes))
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'state', ARGV[7]) end
-- What a gateway has and nobody uses is there after a long weekend too; what none has, for a day.
local seconds = ARGV[2] == '1' and 604800 or 86400
redis.call('EXPIRE', KEYS[1], seconds)
redis.call('EXPIRE', KEYS[2], seconds)
return 1

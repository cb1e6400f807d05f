#!/bin/sh
# Tests of what native answers to the shop, with nothing but curl: sh pay.sh
# The gateway runs before, with the same DRAWBRIDGE_TOKEN:
#
#     export DRAWBRIDGE_TOKEN=$(openssl rand -hex 16)
#     drawbridge --root examples/shop --choose pay=pay &
#
# DRAWBRIDGE_URL says where it is, if it is not at http://127.0.0.1:8080.
set -eu
: "${DRAWBRIDGE_TOKEN:?say the one that the gateway was started with}"
gateway=${DRAWBRIDGE_URL:-http://127.0.0.1:8080}
# What this test sets and counts concerns no other one.
session=pay-$$

# Asks the tester's API: api METHOD PATH [BODY]. With -f in place of --fail-with-body the near miss would be lost.
api() {
    answer=$(curl -sS --fail-with-body -X "$1" "$gateway/__drawbridge__/$2" -d "${3-}" \
        -H "Authorization: Bearer $DRAWBRIDGE_TOKEN" -H "X-Drawbridge-Session: $session") || fail "$1 $2: $answer"
}
# Calls native as a page of the shop does: call NAME [INPUT]
call() {
    curl -sS "$gateway/$1?_mobile_bridge=1" -d "${2-}" \
        -H 'Content-Type: application/json' -H "X-Drawbridge-Session: $session"
}
# Compares what came with what was wanted: is WHAT TEXT WANTED
is() {
    [ "$2" = "$3" ] || fail "$1: $2, wanted $3"
    echo "ok: $1"
}
fail() {
    printf '\nfailed: %s\n' "$1" >&2
    exit 1
}
# It may have been started a moment ago.
curl -s -o /dev/null --retry 10 --retry-delay 1 --retry-connrefused "$gateway/__drawbridge__/health" ||
    fail "no gateway at $gateway; start it, or name it by DRAWBRIDGE_URL"
trap 'api POST reset' EXIT

is 'pays by card' "$(call pay '{"orderNo": "PP-17", "item": 11, "price": 24, "channel": "card"}')" \
    '{"code":200,"data":{"code":0,"data":{"orderNo":"PP-17"}},"message":""}'
api POST calls/verify '{"name": "pay", "when": {"orderNo": "PP-17", "price": 24}, "count": 1}'

is 'says that the payment was cancelled' "$(call pay '{"channel": "chat"}')" \
    '{"code":200,"data":{"code":6001,"message":"You cancelled the payment."},"message":""}'

api PUT 'replies?name=pay' '{"$error": {"code": 1001, "message": "The card was refused."}}'
is 'takes another answer of the test alone' "$(call pay)" '{"code":1001,"message":"The card was refused."}'

is 'knows nobody at first' "$(call getUser)" \
    '{"code":200,"data":{"code":0,"data":{"signedIn":false}},"message":""}'
call login '{"by": "phone"}' >/dev/null
is 'knows the user after the login' "$(call getUser)" \
    '{"code":200,"data":{"code":0,"data":{"nick":"Ann","points":120}},"message":""}'
api POST calls/verify '{"order": ["getUser", "login", "getUser"]}'
echo 'ok: in this order'

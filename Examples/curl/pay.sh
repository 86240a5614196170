#!/usr/bin/env bash
# Takes a payment at a simulated reader step by step, with curl only.
# usage: Examples/curl/pay.sh [ADDRESS]     (default: CARDPRESENT_SIMULATOR, or http://127.0.0.1:8200)
# Start the simulator first: cardpresent simulate serve
set -euo pipefail

address=${1:-${CARDPRESENT_SIMULATOR:-http://127.0.0.1:8200}}
curl=(curl --silent --show-error --fail-with-body --max-time 30 --header 'Content-Type: application/json')
# A server that other machines can reach needs a token.
[ -z "${CARDPRESENT_TOKEN:-}" ] || curl+=(--header "Authorization: Bearer $CARDPRESENT_TOKEN")

# Prints the value of a text key in a one-line JSON object.
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$2"; }

made=$("${curl[@]}" --data '{"cards": ["visa-credit"], "seed": 1}' "$address/v1/sessions")
session=$address/v1/sessions/$(value id "${made%%\"printer\"*}")
trap '"${curl[@]}" --request DELETE "$session"' EXIT

# The same key never takes a second payment, however often the request is sent.
for _ in 1 2; do
    payment=$("${curl[@]}" --header 'Idempotency-Key: order-17' \
        --data '{"amount": "12.50", "currency": "USD", "cardholder": "by_hand"}' "$session/payments")
done
grep -q '"kind":"card"' <<<"$payment"
echo "the reader waits for a card"

"${curl[@]}" --data '{"card": "visa-credit"}' "$session/readers/reader/insert" >/dev/null
"${curl[@]}" --request POST "$session/readers/reader/remove" >/dev/null

payment=$("${curl[@]}" "$session/payments/P000001")
echo "P000001: $(value outcome "$payment")"
"${curl[@]}" "$session/payments/P000001/receipt"

[ "$(value outcome "$payment")" = approved ]

#!/usr/bin/env bash
# Takes a payment at a simulated terminal with curl, as a till with the Stripe API does. Only the address differs.
#
#     cardpresent simulate terminal --protocol stripe --port 12111 --seed 1 &
#     Examples/stripe-curl/pay.sh [ADDRESS]
set -euo pipefail

address=${1:-http://127.0.0.1:12111}

# Sends a POST with fields, and prints the object.
post() { # post PATH [FIELD...]
    local path=$1 fields=()
    shift
    for field in "$@"; do fields+=(-d "$field"); done
    curl --silent --show-error --fail-with-body -u sk_test_1: -X POST ${fields[@]+"${fields[@]}"} "$address/v1/$path"
}

# The ID of the object on standard input: it comes first.
id() { sed -n 's/^{"id":"\([^"]*\)".*/\1/p'; }

reader=$(post terminal/readers registration_code=simulated-wpe label=counter | id)
intent=$(post payment_intents amount=1250 currency=usd "payment_method_types[]=card_present" | id)
post "terminal/readers/$reader/process_payment_intent" "payment_intent=$intent" >/dev/null
# A person presents a card.
post "test_helpers/terminal/readers/$reader/present_payment_method" >/dev/null
status=$(curl --silent --show-error --fail-with-body -u sk_test_1: "$address/v1/payment_intents/$intent" |
    sed -n 's/.*"status":"\([^"]*\)".*/\1/p')
echo "payment $intent: $status"

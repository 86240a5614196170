# A payment at a terminal, with a person who follows the prompts. Sourced by scenes that take payments.

# Starts a payment of 12.50 dollars. The prompts for the cardholder go to
# /tmp/pay.words, the output to /tmp/pay.json.
begin_payment() { # begin_payment OPTION...
    local command
    printf -v command '%q ' "$program" pay 12.50 --currency USD --json "$@"
    : >/tmp/pay.words
    script --quiet --flush --return --command "$command >/tmp/pay.json" /tmp/pay.words </dev/null >/dev/null 2>&1 &
    payment=$!
}

# Sends a request to the host as soon as the terminal prints these words.
on_words() { # on_words WORDS REQUEST...
    local words=$1
    until grep -q "$words" /tmp/pay.words; do
        if ! kill -0 "$payment" 2>/dev/null; then
            echo "the payment ended without the words: $words"
            return 1
        fi
        sleep 0.1
    done
    ask "${@:2}"
}

# Waits for the payment's end and prints its outcome.
end_payment() {
    local status=0
    wait "$payment" || status=$?
    cat /tmp/pay.words /tmp/pay.json
    return "$status"
}

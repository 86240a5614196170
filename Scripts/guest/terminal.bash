# A payment at a terminal, where a person does what the program says. Sourced by scenes that take payments.

# Begins a payment of 12.50 dollars. On a terminal the program tells the cardholder what to do, which goes to
# /tmp/pay.words; what it prints goes to /tmp/pay.json.
begin_payment() { # begin_payment OPTION...
    local command
    printf -v command '%q ' "$program" pay 12.50 --currency USD --json "$@"
    : >/tmp/pay.words
    script --quiet --flush --return --command "$command >/tmp/pay.json" /tmp/pay.words </dev/null >/dev/null 2>&1 &
    payment=$!
}

# Asks the host for something as soon as the terminal says these words.
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

# Waits for the payment's end and shows what became of it.
end_payment() {
    local status=0
    wait "$payment" || status=$?
    cat /tmp/pay.words /tmp/pay.json
    return "$status"
}

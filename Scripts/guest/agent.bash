# The host's side: adds and removes readers and cards on the guest's request, and receives results.
# Sourced by Scripts/test-usb.

# The longest that a guest may take, in seconds. A quiet machine takes two minutes.
readonly longest_run=1200

# Creates the three certificates of libcacard's card.
make_certificates() { # make_certificates FOLDER
    local number
    [ ! -e "$1/done" ] || return 0
    rm -rf "$1"
    mkdir -p "$1"
    certutil -d "sql:$1" -N --empty-password
    head -c 512 /dev/urandom >"$1/noise"
    for number in 1 2 3; do
        certutil -d "sql:$1" -S -x -s "CN=card $number" -n "cert$number" -t TC,TC,TC -m "$number" -z "$1/noise" \
            >/dev/null 2>&1
    done
    touch "$1/done"
}

# Creates cards with behavior that no built-in card has.
make_cards() { # make_cards FOLDER
    local first number
    mkdir -p "$1"
    cp Scripts/guest/cards/*.yaml "$1/"
    # A card has 32 faults at most.
    for ((first = 1; first <= 254; first += 32)); do
        {
            cat Scripts/guest/cards/lengths.yaml
            for ((number = 1; number <= 32 && first + number <= 255; number++)); do
                echo "  - { command: readRecord, occurrence: $number, do: truncate $((first + number - 1)) }"
            done
        } >"$1/lengths-$first.yaml"
    done
}

# Sets run to a new folder for results, with the files rows and figures.
make_run_folder() {
    run=$cache/$controller-$part
    rows=$run/rows
    figures=$run/figures
    rm -rf "$run"
    mkdir -p "$run"
    : >"$rows"
    : >"$figures"
}

# Writes the script that the guest runs after it has mounted the host's files.
write_start() { # write_start COMMAND...
    local swift
    swift=$(dirname "$(readlink -f "$(command -v swift)")")
    {
        echo '#!/bin/bash'
        printf 'exec env --chdir=%q -i ' "$PWD"
        echo "HOME=/root TMPDIR=/tmp LANG=C.UTF-8 TERM=${TERM:-linux} NO_COLOR=1 \\"
        echo "    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$swift \\"
        printf '    KERNEL_MODULES=%q CONTROLLER=%q PART=%q FILTER=%q LENT_HERE=%q \\\n' \
            "$PWD/$kernel_modules" "$controller" "$part" "$filter" "$lent_here"
        printf '    COUNTED_TEST=%q COUNTED_LIMIT=%q \\\n' "$counted_test" "$counted_limit"
        printf '    '
        printf ' %q' "$@"
        echo
    } >"$run/start"
    chmod 755 "$run/start"
}

# Boots, serves the guest until it ends, and sets status to how it ended; 124 when it took too long.
run_guest() { # run_guest COMMAND...
    local line beginning=''
    write_start "$@"
    start_machine
    SECONDS=0
    status=
    while [ -z "$status" ]; do
        if read -r -t 1 -u "$from_guest" line; then
            serve "$beginning$line"
            beginning=
        else
            # The line is incomplete.
            beginning+=$line
            is_running "$machine" || status=125
            [ "$SECONDS" -lt "$longest_run" ] || status=124
        fi
    done
    stop_machine
}

# Runs every test in a guest.
test_guest() {
    run_guest Scripts/guest/run
    case "$status" in
    0) ;;
    124) add_row "$controller" - 'the guest ends in time' failed "$((SECONDS * 1000))" ;;
    *) add_row "$controller" - 'the guest runs to its end' failed "$((SECONDS * 1000))" ;;
    esac
    [ "$(count_failures)" -eq 0 ] || show_trouble
}

# Prints the output of the failed tests, and the end of the guest.
show_trouble() {
    [ ! -s "$run/failures" ] || cat "$run/failures" >&2
    echo "--- the last lines of the guest's console, $run/console:" >&2
    tail -n 30 "$run/console" >&2
    [ ! -s "$run/qemu.log" ] || tail -n 5 "$run/qemu.log" >&2
}

# Runs a command in a guest and returns its status.
run_command() { # run_command COMMAND...
    : >"$run/output"
    run_guest Scripts/guest/command "$@"
    cat "$run/output"
    [ "$status" -lt 124 ] || show_trouble
    return "$status"
}

# Exports a new simulated reader with a new card over USB/IP. '-' stands for the model's own IDs.
# Sets lent_port.
lend_reader() { # lend_reader CARD IDENTIFIERS MODEL
    local tries identifiers=()
    end_process "${lender:-}" INT
    [ "$2" = - ] || identifiers=(--usb-id "$2")
    : >"$run/usbip.events"
    rm -f "$run/usbip.orders"
    mkfifo "$run/usbip.orders"
    # Opened for both directions, so that opening does not block and the input has no end.
    "$program" simulate usb --model "$3" --card "$1" "${identifiers[@]}" --seed 0 --listen 127.0.0.1:0 --json \
        <>"$run/usbip.orders" >"$run/usbip.events" 2>"$run/usbip.log" &
    lender=$!
    disown "$lender"
    for ((tries = 0; tries < 1000; tries++)); do
        lent_port=$(sed -n 's/.*"address" *: *"[^"]*:\([0-9]*\)".*/\1/p' "$run/usbip.events" | head -n 1)
        [ -z "$lent_port" ] || return 0
        is_running "$lender" || break
        sleep 0.02
    done
    echo "the reader is not lent: $(tail -n 1 "$run/usbip.log")"
    return 1
}

# Handles one request of the guest: a number, a word, and arguments. The answer has the same number.
serve() { # serve LINE
    local number word rest answer=ok fields
    IFS=$'\t' read -r number word rest <<<"$1"
    echo "$SECONDS $1" >>"$run/requests"
    case "$word" in
    plug) plug_reader "$rest" >"$run/answer" || answer=failed ;;
    unplug) unplug_reader >"$run/answer" || answer=failed ;;
    insert) insert_card "$rest" >"$run/answer" || answer=failed ;;
    remove) remove_card ;;
    lend)
        IFS=$'\t' read -r -a fields <<<"$rest"
        if lend_reader "${fields[@]}" >"$run/answer"; then answer="ok $lent_port"; else answer=failed; fi
        ;;
    order) echo "$rest" >"$run/usbip.orders" ;;
    row)
        IFS=$'\t' read -r -a fields <<<"$rest"
        add_row "${fields[@]}"
        ;;
    figure)
        IFS=$'\t' read -r -a fields <<<"$rest"
        add_figure "${fields[@]}"
        ;;
    end) status=$rest ;;
    *) echo "no such request: $word" >"$run/answer" && answer=failed ;;
    esac
    [ "$answer" != failed ] || answer+=" $(tr '\r\n\t' ' ' <"$run/answer")"
    echo "$SECONDS $number $answer" >>"$run/requests"
    printf '%s\t%s\n' "$number" "$answer" >&"$to_guest"
}

# A shell on the terminal, in a guest with a reader and a card.
give_shell() {
    local terminal line
    [ -t 0 ] || fail 64 "--shell needs a terminal"
    write_start Scripts/guest/shell
    terminal=$(stty -g)
    stty raw -echo
    start_machine terminal
    while is_running "$machine"; do
        ! read -r -t 1 -u "$from_guest" line || serve "$line"
    done
    stty "$terminal"
}

# What the host does while the guest works: the guest asks for readers and cards to come and go, and tells results.
# Sourced by Scripts/test-usb.

# The longest that a guest may take, in seconds.
readonly longest_run=240

# Three certificates, which make libcacard a card.
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

# Cards that do what no card of the catalogue does.
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

# Writes what the guest runs once it has the host's files.
write_start() { # write_start COMMAND...
    local swift
    swift=$(dirname "$(readlink -f "$(command -v swift)")")
    {
        echo '#!/bin/bash'
        printf 'exec env --chdir=%q -i ' "$PWD"
        echo "HOME=/root TMPDIR=/tmp LANG=C.UTF-8 TERM=${TERM:-linux} NO_COLOR=1 \\"
        echo "    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$swift \\"
        printf '    KERNEL_MODULES=%q CONTROLLER=%q FILTER=%q \\\n' "$PWD/$kernel_modules" "$controller" "$filter"
        printf '    '
        printf ' %q' "$@"
        echo
    } >"$run/start"
    chmod 755 "$run/start"
}

# Boots, serves the guest until it ends, and sets status to how it ended; 124 when it took too long.
run_guest() { # run_guest CONTROLLER COMMAND...
    local controller=$1 line part=''
    shift
    write_start "$@"
    start_machine "$controller"
    SECONDS=0
    status=
    while [ -z "$status" ]; do
        if read -r -t 1 -u "$from_guest" line; then
            serve "$part$line"
            part=
        else
            # A line that has not come to its end yet.
            part+=$line
            is_running "$machine" || status=125
            [ "$SECONDS" -lt "$longest_run" ] || status=124
        fi
    done
    stop_machine
}

# Runs every test in a guest.
test_guest() { # test_guest CONTROLLER
    run_guest "$1" Scripts/guest/run
    [ "$status" -ne 0 ] || return 0
    case "$status" in
    124) add_row - 'the guest ends in time' failed "$((SECONDS * 1000))" ;;
    *) add_row - 'the guest runs to its end' failed "$((SECONDS * 1000))" ;;
    esac
    tail -n 30 "$run/console" >&2
}

# Runs a command in a guest and returns its status.
run_command() { # run_command CONTROLLER COMMAND...
    : >"$run/output"
    run_guest "$1" Scripts/guest/command "${@:2}"
    cat "$run/output"
    [ "$status" -lt 124 ] || tail -n 30 "$run/console" >&2
    return "$status"
}

# One request of the guest: a number, a word and what belongs to it. The answer has the same number.
serve() { # serve LINE
    local number word rest answer=ok fields
    IFS=$'\t' read -r number word rest <<<"$1"
    echo "$SECONDS $1" >>"$run/requests"
    case "$word" in
    plug) plug_reader "$rest" >"$run/answer" || answer=failed ;;
    unplug) unplug_reader >"$run/answer" || answer=failed ;;
    insert) insert_card "$rest" >"$run/answer" || answer=failed ;;
    remove) remove_card ;;
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
    [ "$answer" = ok ] || answer+=" $(tr '\r\n\t' ' ' <"$run/answer")"
    echo "$SECONDS $number $answer" >>"$run/requests"
    printf '%s\t%s\n' "$number" "$answer" >&"$to_guest"
}

# A shell on the terminal, in a guest with a reader and a card.
give_shell() { # give_shell CONTROLLER
    local terminal line
    [ -t 0 ] || fail 64 "--shell needs a terminal"
    write_start Scripts/guest/shell
    terminal=$(stty -g)
    stty raw -echo
    start_machine "$1" terminal
    while is_running "$machine"; do
        ! read -r -t 1 -u "$from_guest" line || serve "$line"
    done
    stty "$terminal"
}

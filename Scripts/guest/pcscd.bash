# A pcscd in the guest, with only libccid. Sourced by scripts in the guest.

# Sets pcscd to its process id. It holds the reader until it is stopped.
start_pcscd() {
    local tries
    mkdir -p /run/pcscd /tmp/no-readers
    pcscd --foreground --config /tmp/no-readers >/tmp/pcscd.log 2>&1 &
    pcscd=$!
    for ((tries = 0; tries < 400; tries++)); do
        [ ! -S /run/pcscd/pcscd.comm ] || return 0
        sleep 0.05
    done
    echo 'pcscd does not start:'
    cat /tmp/pcscd.log
    return 1
}

stop_pcscd() {
    [ -n "${pcscd:-}" ] || return 0
    kill "$pcscd"
    # A lost answer can keep it from ending.
    (
        sleep 5
        kill -KILL "$pcscd"
    ) 2>/dev/null &
    local guard=$!
    wait "$pcscd" || true
    kill "$guard" 2>/dev/null || true
    pcscd=
    rm -f /run/pcscd/pcscd.comm
}

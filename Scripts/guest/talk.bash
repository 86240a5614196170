# Sends requests from the guest to the host. Sourced by scripts in the guest.

requests=0

# Sends a request and waits for its answer; sets reply to all but the first word. Prints the host's message if it
# failed.
ask() { # ask WORD [FIELD...]
    local line fields
    requests=$((requests + 1))
    printf -v line '\t%s' "$@"
    # One program at a time has the port open.
    exec {port}<>/run/port
    printf '%s\n' "$$.$requests$line" >&"$port"
    while read -r -t 120 -u "$port" line; do
        [[ $line == "$$.$requests"$'\t'* ]] || continue
        exec {port}>&-
        reply=${line#*$'\t'}
        [[ $reply != failed* ]] || { echo "$1: $reply" >&2; return 1; }
        reply=${reply#ok}
        reply=${reply# }
        return 0
    done
    exec {port}>&-
    echo "$1: the host does not answer" >&2
    return 1
}

# Waits until the kernel has QEMU's reader, twenty seconds at most.
await_reader() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        ! has_reader || return 0
        sleep 0.05
    done
}

# Removes the reader, and waits until the kernel has noticed it; otherwise the next one would be mistaken for it.
unplug_reader() {
    local tries
    ask unplug 2>/dev/null
    for ((tries = 0; tries < 400; tries++)); do
        has_reader || return 0
        sleep 0.05
    done
}

has_reader() { grep -qsx 08e6 /sys/bus/usb/devices/*/idVendor; }

# Milliseconds since the guest was started.
now() {
    local uptime
    read -r uptime _ </proc/uptime
    echo "$((10#${uptime/./}))0"
}

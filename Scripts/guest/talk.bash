# How a program in the guest asks the host for something. Sourced by what runs in the guest.

requests=0

# Sends a request and waits for its answer; says what the host said when it failed.
ask() { # ask WORD [FIELD...]
    local line fields
    requests=$((requests + 1))
    printf -v line '\t%s' "$@"
    # One program at a time has the port open.
    exec {port}<>/run/port
    printf '%s\n' "$$.$requests$line" >&"$port"
    while read -r -t 30 -u "$port" line; do
        [[ $line == "$$.$requests"$'\t'* ]] || continue
        exec {port}>&-
        [[ $line != *$'\t'failed* ]] || { echo "$1: ${line#*$'\t'}" >&2; return 1; }
        return 0
    done
    exec {port}>&-
    echo "$1: the host does not answer" >&2
    return 1
}

# Milliseconds since the guest was started.
now() {
    local uptime
    read -r uptime _ </proc/uptime
    echo "$((10#${uptime/./}))0"
}

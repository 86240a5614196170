# Simulated readers of the host as devices of this kernel, over USB/IP. Sourced by scripts in the guest.

# Attaches the reader that the host exports, in place of the previous one, with new cards, so that the counters are
# the same each time. '-' stands for the model's own IDs.
borrow_reader() { # borrow_reader CARD IDENTIFIERS MODEL
    local before tries
    return_reader
    before=$(devices)
    ask lend "$@"
    mkdir -p /var/run/vhci_hcd
    usbip --tcp-port "$reply" attach -r 10.0.2.2 -b 1-1
    for ((tries = 0; tries < 200; tries++)); do
        [ "$(devices)" = "$before" ] || return 0
        sleep 0.05
    done
    echo 'the kernel does not show the reader'
    return 1
}

return_reader() { usbip detach -p 00 >/dev/null 2>&1 || true; }

# The interfaces that the kernel has.
devices() { echo /sys/bus/usb/devices/*:*; }

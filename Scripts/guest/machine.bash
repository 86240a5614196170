# The virtual machine and its devices: readers are added and removed through QEMU's monitor, cards through
# 'cardpresent simulate card'. Sourced by Scripts/test-usb.

# A monitor and a port are two named pipes each: NAME.in is QEMU's input, NAME.out its output.
make_pipes() { # make_pipes NAME
    rm -f "$run/$1.in" "$run/$1.out"
    mkfifo "$run/$1.in" "$run/$1.out"
}

# Sets accelerator. Tries KVM, because a machine can have /dev/kvm and still be unable to run this kernel.
choose_accelerator() { # choose_accelerator CACHE
    local known=$1/accelerator key
    accelerator=tcg
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || return 0
    key="$(cat /proc/sys/kernel/random/boot_id) $(qemu-system-x86_64 --version | sed -n 1p) $kernel_version"
    if [ "$(head -n 1 "$known" 2>/dev/null)" = "$key" ]; then
        accelerator=$(tail -n 1 "$known")
        return 0
    fi
    # Without a program, the first process ends at once with a message.
    (
        timeout --kill-after 1 20 qemu-system-x86_64 -accel kvm -cpu host -machine pc -m 256 -display none -nodefaults \
            -no-reboot -serial "file:$1/accelerator.log" -kernel "$kernel_image" -initrd "$initramfs" \
            -append 'console=ttyS0 quiet panic=-1' </dev/null || true
    ) >/dev/null 2>&1
    if grep -q '^init: the guest ends' "$1/accelerator.log" 2>/dev/null; then accelerator=kvm; fi
    rm -f "$1/accelerator.log"
    printf '%s\n%s\n' "$key" "$accelerator" >"$known"
}

# Starts the machine. The guest runs $run/start; its console is $run/console, or the terminal's own with 'terminal'.
#
# The part 'counted' is always emulated, and its clock counts instructions, one per nanosecond, so that the load of
# this machine does not matter.
start_machine() { # start_machine [terminal]
    local processor=(-accel kvm -cpu host) console=(-serial "file:$run/console") hub=qemu-xhci input=/dev/null
    # Disables features that are slow in the emulator and optional for Linux.
    local emulated=(-accel tcg -cpu max,la57=off,pku=off,smap=off,smep=off,xsave=off)
    [ "$accelerator" = kvm ] || processor=("${emulated[@]}")
    [ "$part" != counted ] || processor=("${emulated[@]}" -icount shift=0,sleep=on)
    [ "$controller" != uhci ] || hub=piix3-usb-uhci
    if [ "${1:-}" = terminal ]; then
        # Ctrl-C is for the guest.
        console=(-chardev stdio,id=console,signal=off -serial chardev:console)
        input=/dev/tty
    fi
    rm -f "$run"/*.socket "$run/console"
    lines=0
    make_pipes monitor
    make_pipes port
    # Opened for both directions, so that opening does not block.
    exec {to_monitor}<>"$run/monitor.in" {from_monitor}<>"$run/monitor.out"
    exec {to_guest}<>"$run/port.in" {from_guest}<>"$run/port.out"
    # The kernel ends it with this script, however this script ends.
    setpriv --pdeathsig KILL qemu-system-x86_64 \
        "${processor[@]}" -machine pc -smp 1 -m 1024 -display none -nodefaults -no-reboot \
        "${console[@]}" -kernel "$kernel_image" -initrd "$initramfs" -append 'console=ttyS0 quiet panic=-1' \
        -chardev "pipe,id=monitor,path=$run/monitor" -mon chardev=monitor,mode=control \
        -device virtio-serial-pci -chardev "pipe,id=port,path=$run/port" \
        -device virtserialport,chardev=port,name=host \
        -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
        -virtfs "local,path=$run,mount_tag=run,security_model=none" \
        -netdev user,id=net -device virtio-net-pci,netdev=net,romfile= \
        -device "$hub,id=usb" <"$input" 2>"$run/qemu.log" &
    machine=$!
    monitor '{"execute":"qmp_capabilities"}' >/dev/null || fail 1 "QEMU did not start: $(tail -n 3 "$run/qemu.log")"
}

is_running() { [ -n "${1:-}" ] && kill -0 "$1" 2>/dev/null; }

# Ends a child: sends the signal, and SIGKILL after two seconds.
end_process() { # end_process PID SIGNAL
    local tries
    is_running "$1" || return 0
    kill -s "$2" "$1" 2>/dev/null || true
    for ((tries = 0; tries < 40; tries++)); do
        is_running "$1" || break
        sleep 0.05
    done
    kill -KILL "$1" 2>/dev/null || true
}

stop_machine() {
    remove_card
    end_process "${lender:-}" INT
    lender=
    end_process "${machine:-}" TERM
    machine=
}

# Sends a command to QEMU and prints its answer. Skips events before it.
monitor() { # monitor JSON
    local line
    printf '%s\n' "$1" >&"$to_monitor"
    while read -r -t 60 -u "$from_monitor" line; do
        case "$line" in
        *'"return"'*) echo "$line"; return 0 ;;
        *'"error"'*) echo "$line"; return 1 ;;
        esac
    done
    echo 'QEMU does not answer'
    return 1
}

add_device() { # add_device KEY VALUE...
    local arguments='' separator=''
    while [ $# -gt 0 ]; do
        arguments+="$separator\"$1\":\"$2\""
        separator=,
        shift 2
    done
    monitor "{\"execute\":\"device_add\",\"arguments\":{$arguments}}"
}

# Adds a reader with a character device for a simulated card, or with libcacard's card.
plug_reader() { # plug_reader [libcacard]
    add_device driver usb-ccid id reader bus usb.0 || return 1
    if [ "${1:-}" = libcacard ]; then
        add_device driver ccid-card-emulated id card bus reader.0 backend certificates db "sql:$certificates" \
            cert1 cert1 cert2 cert2 cert3 cert3
        return
    fi
    # A new character device each time: QEMU releases one only some time after its reader is removed.
    lines=$((lines + 1))
    monitor "{\"execute\":\"chardev-add\",\"arguments\":{\"id\":\"line$lines\",\"backend\":{\"type\":\"socket\",\"data\":{
        \"addr\":{\"type\":\"unix\",\"data\":{\"path\":\"$(line_socket)\"}},\"server\":true,\"wait\":false}}}}" || return 1
    add_device driver ccid-card-passthru id card bus reader.0 chardev "line$lines"
}

line_socket() { echo "$run/line$lines.socket"; }

# Removes the reader with its card. QEMU 7.2 leaves the character device connected to the removed reader, and
# crashes when data arrives from it: the card is stopped first, which neither QEMU nor the guest notices.
unplug_reader() {
    kill_card
    monitor '{"execute":"device_del","arguments":{"id":"reader"}}'
}

# Inserts a simulated card into the reader, in place of the current one.
insert_card() { # insert_card PROFILE
    local profile=$1 tries
    remove_card
    [ ! -e "$cards/$1.yaml" ] || profile=$cards/$1.yaml
    : >"$run/card.log"
    # Its random numbers are the same each time. It prints 'Reset' when it sends its answer to reset.
    "$program" simulate card "$profile" --vscard "$(line_socket)" --seed 0 --wait 60 </dev/null >"$run/card.log" 2>&1 &
    card=$!
    # The shell does not report its exit.
    disown "$card"
    for ((tries = 0; tries < 1000; tries++)); do
        ! grep -q '^Reset' "$run/card.log" || return 0
        is_running "$card" || break
        sleep 0.02
    done
    echo "the card does not come into the reader: $(tail -n 1 "$run/card.log")"
    return 1
}

remove_card() {
    end_process "${card:-}" INT
    card=
}

kill_card() {
    end_process "${card:-}" KILL
    card=
}

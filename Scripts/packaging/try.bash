# Boots an installed package under systemd, with the kernel and machine of Scripts/test-usb. Sourced by Scripts/package.

try_package() { # try_package PACKAGE
    local cache=.build/guest run=$work/guest processor=(-accel tcg -cpu max)
    local kernel_version kernel_image kernel_modules initramfs accelerator
    Scripts/setup guest
    Scripts/setup monitoring
    for part in kernel initramfs machine; do
        # shellcheck source=/dev/null
        . "Scripts/guest/$part.bash"
    done
    PATH=$PATH:/usr/sbin:/sbin
    mkdir -p "$cache" "$run"
    rm -f "$run/report" "$run"/*.metrics
    prepare_kernel "$cache"
    # The accelerator is tried with the init of Scripts/test-usb, which ends at once.
    initramfs=$cache/initramfs
    make_initramfs "$initramfs" "$cache/initramfs.files"
    choose_accelerator "$cache"
    [ "$accelerator" != kvm ] || processor=(-accel kvm -cpu host)
    initramfs=$run/initramfs
    make_initramfs "$initramfs" "$run/initramfs.files" Scripts/packaging/guest-init

    new_debian "$1"
    install_there "$1"
    "${as_root[@]}" cp Scripts/packaging/guest-test "$debian/usr/local/sbin/guest-test"
    printf '[Unit]\nAfter=multi-user.target cardpresent-recover.service\n[Service]\nType=exec\nExecStart=/usr/local/sbin/guest-test\n' |
        "${as_root[@]}" tee "$debian/etc/systemd/system/guest-test.service" >/dev/null
    in_debian systemctl --quiet add-wants graphical.target guest-test.service
    # A till whose power failed has records.
    as_till pay 12.50 --reader simulated --seed 7 --quiet --json >/dev/null

    progress 'booting the package in a virtual machine'
    "${as_root[@]}" timeout --kill-after 5 900 qemu-system-x86_64 "${processor[@]}" -machine pc -smp 2 -m 1536 \
        -display none -nodefaults -no-reboot -serial "file:$run/console" -kernel "$kernel_image" -initrd "$initramfs" \
        -append 'console=ttyS0 panic=-1 systemd.mask=serial-getty@ttyS0.service' \
        -virtfs "local,path=$debian,mount_tag=host,security_model=passthrough,readonly=on,multidevs=remap" \
        -virtfs "local,path=$run,mount_tag=run,security_model=none" </dev/null 2>"$run/qemu.log" || true
    remove_debian
    [ -f "$run/report" ] || fail 1 "the virtual machine did not report: see $run/console"
    cat "$run/report" >&2
    grep --quiet '^failures: 0$' "$run/report" || fail 1 'the services do not work'
    for part in simulator store; do
        promtool check metrics <"$run/$part.metrics" >&2 || fail 1 "the metrics of the $part are wrong"
    done
}

# The guest's kernel: Debian's own, downloaded from its archive and unpacked, not installed.
# Sourced by Scripts/test-usb.

# The modules of the guest's kernel. A few are in the initial file system; the others are for
# 'modprobe' in the guest.
kernel_members=(
    './boot/vmlinuz-*'
    './lib/modules/*/modules.*'
    './lib/modules/*/kernel/drivers/char/virtio*'
    './lib/modules/*/kernel/drivers/hid/*'
    './lib/modules/*/kernel/drivers/net/net_failover*'
    './lib/modules/*/kernel/drivers/net/virtio*'
    './lib/modules/*/kernel/drivers/usb/*'
    './lib/modules/*/kernel/drivers/virtio/*'
    './lib/modules/*/kernel/fs/9p/*'
    './lib/modules/*/kernel/fs/fscache/*'
    './lib/modules/*/kernel/fs/netfs/*'
    './lib/modules/*/kernel/fs/overlayfs/*'
    './lib/modules/*/kernel/net/9p/*'
    './lib/modules/*/kernel/net/core/*'
)

# The archive deletes replaced builds of a kernel, so the current name is queried.
kernel_package() {
    apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | sed -n 1p
}

# Unpacks the kernel into a folder of its version, unless it is there already.
unpack_kernel() { # unpack_kernel PACKAGE FOLDER
    local package=$1 folder=$2 scratch=$2.new
    rm -rf "$scratch"
    mkdir -p "$scratch"
    # apt warns that its sandbox user may not write here; this is harmless.
    (cd "$scratch" && apt-get download -qq -o APT::Sandbox::User=root "$package") || return 1
    dpkg-deb --fsys-tarfile "$scratch"/*.deb |
        tar --extract --directory "$scratch" --wildcards "${kernel_members[@]}" || return 1
    rm "$scratch"/*.deb
    unpack_image "$scratch/boot/vmlinuz-${package#linux-image-}" "$scratch/boot/vmlinux"
    busybox depmod -b "$scratch" "${package#linux-image-}"
    mv "$scratch" "$folder"
}

# The image is a self-extracting ELF file. QEMU can start its content directly (PVH), which saves the emulator
# seconds. An image with another compression stays unchanged.
unpack_image() { # unpack_image IMAGE FILE
    local offset
    for offset in $(LC_ALL=C grep --text --byte-offset --only-matching --perl-regexp '\xFD7zXZ\x00' "$1" | cut -d: -f1); do
        # xz complains about the data after the compressed part.
        tail -c "+$((offset + 1))" "$1" | xz --decompress --stdout >"$2" 2>/dev/null || true
        [ "$(head -c 4 "$2" | od -An -tx1)" != ' 7f 45 4c 46' ] || return 0
    done
    mv "$1" "$2"
}

# Sets kernel_version, kernel_image and kernel_modules.
prepare_kernel() { # prepare_kernel CACHE
    local cache=$1 package version folder
    package=$(kernel_package)
    if [ -z "$package" ]; then
        update_package_lists
        package=$(kernel_package)
        [ -n "$package" ] || fail 69 "apt knows no linux-image-amd64: check the sources of apt, then run apt-get update"
    fi
    version=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
    folder=$cache/${package}_${version//[^A-Za-z0-9.+~-]/_}
    if [ ! -d "$folder" ]; then
        progress "getting $package $version"
        # Outdated package lists name a package that was deleted.
        if ! unpack_kernel "$package" "$folder"; then
            update_package_lists
            prepare_kernel "$cache"
            return
        fi
        find "$cache" -maxdepth 1 -name 'linux-image-*' ! -path "$folder" -exec rm -rf {} +
    fi
    kernel_version=${package#linux-image-}
    kernel_image=$folder/boot/vmlinux
    kernel_modules=$folder/lib/modules/$kernel_version
}

# Once, and only as root.
update_package_lists() {
    [ -z "${package_lists_are_new:-}" ] || fail 69 "the kernel cannot be downloaded: is Debian's archive reachable?"
    package_lists_are_new=yes
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail 69 "apt's lists are old: run apt-get update as root"
        as_root=(sudo)
    fi
    progress "reading apt's lists again"
    "${as_root[@]}" apt-get update -qq >&2 || fail 69 "apt-get update failed"
}

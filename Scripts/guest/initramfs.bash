# The guest's initial file system: a shell, the modules that are required to mount the host's files, and guest/init.
# Sourced by Scripts/test-usb.

# In the order of loading, dependencies first.
with_dependencies() { # with_dependencies MODULE...: prints paths below kernel_modules
    awk -v wanted="$*" '
        {
            path = $1; sub(/:$/, "", path)
            name = path; sub(/.*\//, "", name); sub(/\.ko.*/, "", name); gsub(/-/, "_", name)
            at[name] = path
            depends[path] = ""
            for (i = NF; i > 1; i--) depends[path] = depends[path] " " $i
        }
        function load(path, list, count, i) {
            if (path in loaded) return
            loaded[path] = 1
            count = split(depends[path], list, " ")
            for (i = 1; i <= count; i++) load(list[i])
            print path
        }
        END {
            count = split(wanted, names, " ")
            for (i = 1; i <= count; i++) if (names[i] in at) load(at[names[i]])
        }' "$kernel_modules/modules.dep"
}

make_initramfs() { # make_initramfs FILE SCRATCH [INIT]
    local file=$1 root=$2 module
    rm -rf "$root"
    mkdir -p "$root"/{bin,dev,modules,proc,sys}
    cp "$(command -v busybox)" "$root/bin/busybox"
    cp "${3:-Scripts/guest/init}" "$root/init"
    chmod 755 "$root/init"
    while read -r module; do
        cp "$kernel_modules/$module" "$root/modules/"
        echo "${module##*/}" >>"$root/modules/order"
    done < <(with_dependencies virtio_pci virtio_console 9pnet_virtio 9p overlay)
    # Not packed: unpacking takes the emulated processor longer than reading.
    (cd "$root" && find . | cpio --create --format=newc --quiet) >"$file"
    rm -rf "$root"
}

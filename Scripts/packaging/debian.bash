# A new Debian in a folder, to install packages in. Sourced by Scripts/package.

# Makes a new Debian in $debian, with what the package depends on and the toolchain's libraries for a stand-in. A
# downloaded one is kept for the next time.
new_debian() { # new_debian PACKAGE
    local depends base file
    depends=$(dpkg-deb --field "$1" Depends)
    base=$work/debian-12-$(sha256sum <<<"$depends" | cut -c 1-12).tar
    if [ ! -f "$base" ]; then
        progress 'downloading a small Debian 12'
        # The first choice of each dependency; systemd for users, folders, and the units; curl for them.
        "${as_root[@]}" mmdebstrap --quiet --variant=minbase --format=tar \
            --include="curl,systemd,systemd-sysv,$(first_choices "$depends" | paste -sd,)" bookworm "$base.new" >&2 ||
            fail 69 "no Debian was made: is Debian's archive reachable?"
        mv "$base.new" "$base"
    fi
    remove_debian
    debian=$work/debian
    mkdir "$debian"
    "${as_root[@]}" tar --extract --numeric-owner --directory "$debian" --file "$base"
    [ -n "$stand_in" ] || return 0
    while read -r file; do
        "${as_root[@]}" install -D "$file" "$debian$file"
    done < <(ldd "$program" | sed -n 's/.*=> \(.*\) (.*/\1/p' | grep "^$(toolchain_libraries)/")
    # Other programs have this library without a dependency of the package.
    for file in libstdc++.so.6 libgcc_s.so.1; do
        [ -e "$debian/usr/lib/x86_64-linux-gnu/$file" ] ||
            "${as_root[@]}" cp "/usr/lib/x86_64-linux-gnu/$file" "$debian/usr/lib/x86_64-linux-gnu/"
    done
}

remove_debian() { "${as_root[@]}" rm -rf --one-file-system "$work/debian"; }

# The names in a field such as Depends, without versions and alternatives.
first_choices() { # first_choices FIELD
    tr ',' '\n' <<<"$1" | sed 's/^ *//; s/[ |(:].*//; /^$/d'
}

# Runs a command as root in that Debian, with its own processes and mounts.
in_debian() { # in_debian COMMAND...
    "${as_root[@]}" unshare --mount --pid --ipc --uts --fork --kill-child /bin/bash -c '
        mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/run" && mount -t tmpfs tmpfs "$0/tmp" &&
            exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
                chroot "$0" "$@"' "$debian" "$@"
}

# Runs the program there as the till's user, with the till's records.
as_till() { # as_till ARGUMENT...
    in_debian setpriv --reuid=cardpresent --regid=cardpresent --init-groups env HOME=/var/lib/cardpresent \
        CARDPRESENT_DATABASE=/var/lib/cardpresent/cardpresent.sqlite cardpresent "$@"
}

# Every file with its rights and contents, without those that change with any package. dpkg's and systemd's own notes
# about this package are among them.
list_files() {
    "${as_root[@]}" /bin/bash -c 'cd "$0" && find . \( -path ./proc -o -path ./dev -o -path ./var/log -o -path ./var/cache \
        -o -path ./var/lib/dpkg/status\* -o -path ./var/lib/dpkg/lock\* -o -path ./var/lib/dpkg/triggers \
        -o -path ./var/lib/dpkg/updates -o -path ./etc/\*- -o -path ./etc/.pwd.lock -o -path ./package.deb \) -prune \
        -o -printf "%M %u %g %p %l\n" -type f -exec sha256sum {} +' "$debian" | LC_ALL=C sort
}

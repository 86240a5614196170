# The container image of the simulator's service. Sourced by Scripts/package.

# It contains the program, the libraries that it is linked with, and busybox for the health check: no shell on its path,
# no package manager. Its user has no name on the host.
image_user=10001

build_image() { # build_image PACKAGE ARCHIVE
    local root=$work/image/root layout=$work/image/oci stores container tag=cardpresent-simulator:$version depends
    if [ -n "$stand_in" ]; then
        progress 'no image: the program needs libraries of the Swift toolchain'
        return 0
    fi
    "${as_root[@]}" rm -rf "$work/image"
    mkdir -p "$root"
    depends=$(first_choices "$(dpkg-deb --field "$1" Depends)" | grep '^lib' | paste -sd,)
    "${as_root[@]}" mmdebstrap --quiet --variant=extract --include="base-files,busybox-static,$depends" \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --format=tar bookworm - >"$work/image/debian.tar"
    # Only what is loaded, and the licenses.
    tar --extract --directory "$root" --file "$work/image/debian.tar" --wildcards --exclude='*/gconv/*' \
        ./bin ./lib ./lib64 ./usr/lib/x86_64-linux-gnu ./usr/lib64 ./usr/lib/os-release ./etc/os-release \
        './usr/share/doc/*/copyright' ./usr/bin/busybox
    dpkg-deb --fsys-tarfile "$1" | tar --extract --directory "$root" ./usr/bin/cardpresent ./usr/share/doc/cardpresent
    rm -rf "$root/usr/share/doc/cardpresent/"{docs,examples}
    mkdir -p "$root"/{etc,tmp,proc,dev,sys}
    chmod 1777 "$root/tmp"
    printf 'root:x:0:0::/:/usr/sbin/nologin\ncardpresent:x:%s:%s::/tmp:/usr/sbin/nologin\n' \
        "$image_user" "$image_user" >"$root/etc/passwd"

    stores=(--root "$work/image/store" --runroot "$work/image/run" --storage-driver vfs)
    container=$(buildah "${stores[@]}" from scratch)
    buildah "${stores[@]}" copy --quiet --chown 0:0 "$container" "$root" / >/dev/null
    buildah "${stores[@]}" config --user "$image_user:$image_user" --port 8200 --env HOME=/tmp \
        --workingdir /tmp --stop-signal SIGTERM \
        --entrypoint '["/usr/bin/cardpresent"]' \
        --cmd '["simulate","serve","--host","0.0.0.0","--port","8200","--token-env","CARDPRESENT_TOKEN"]' \
        --label "org.opencontainers.image.title=CardPresent simulator" \
        --label "org.opencontainers.image.version=$version" \
        --label "org.opencontainers.image.licenses=Apache-2.0" "$container"
    buildah "${stores[@]}" commit --quiet --format oci --timestamp "$SOURCE_DATE_EPOCH" "$container" "$tag" >/dev/null
    buildah "${stores[@]}" push --quiet "$tag" "oci:$layout:$tag"
    add_health_check "$layout"
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$layout" \
        --file "$2" blobs index.json oci-layout
    buildah "${stores[@]}" rm "$container" >/dev/null
    progress "$2 has $(stat --format=%s "$2") bytes; unpacked $(du --bytes --summarize "$root" | cut -f 1)"
    [ "$(du --bytes --summarize "$root" | cut -f 1)" -le $((120 * 1000 * 1000)) ] || fail 1 'the image has more than 120 MB'
    try_image "$2"
}

# The image format of OCI has no health check. Docker and containerd's tools read it from the same place in the
# configuration as in images of Docker; others ignore it.
add_health_check() { # add_health_check LAYOUT
    local blobs=$1/blobs/sha256 manifest config new
    manifest=$(jq -r '.manifests[0].digest' "$1/index.json" | cut -d : -f 2)
    config=$(jq -r '.config.digest' "$blobs/$manifest" | cut -d : -f 2)
    jq -cj '.config.Healthcheck = {Test: ["CMD", "/usr/bin/busybox", "wget", "-q", "-O", "/dev/null",
        "http://127.0.0.1:8200/healthz"], Interval: 10000000000, Timeout: 5000000000, Retries: 3}' \
        "$blobs/$config" >"$1/new"
    new=$(rename_blob "$1/new" "$blobs")
    jq -cj --arg digest "sha256:$new" --argjson size "$(stat --format=%s "$blobs/$new")" \
        '.config.digest = $digest | .config.size = $size' "$blobs/$manifest" >"$1/new"
    rm "${blobs:?}/$config" "${blobs:?}/$manifest"
    new=$(rename_blob "$1/new" "$blobs")
    jq -cj --arg digest "sha256:$new" --argjson size "$(stat --format=%s "$blobs/$new")" \
        '.manifests[0].digest = $digest | .manifests[0].size = $size' "$1/index.json" >"$1/new"
    mv "$1/new" "$1/index.json"
}

# Moves a file to the blobs under its digest, which it prints.
rename_blob() { # rename_blob FILE BLOBS
    local digest
    digest=$(sha256sum "$1" | cut -d ' ' -f 1)
    mv "$1" "$2/$digest"
    echo "$digest"
}

# Runs the image's command and health check as its user, without other processes and network.
try_image() { # try_image ARCHIVE
    local config command
    mkdir -p "$work/image/try"
    config=$(skopeo inspect --config "oci-archive:$1")
    [ "$(jq -r .config.User <<<"$config")" = "$image_user:$image_user" ] || fail 1 'the image runs as another user'
    jq --exit-status '.config.Healthcheck.Test[0] == "CMD"' < <(skopeo inspect --raw --config "oci-archive:$1") >/dev/null ||
        fail 1 'the image has no health check'
    command=$(jq -r '.config.Entrypoint + .config.Cmd | join(" ")' <<<"$config")
    "${as_root[@]}" unshare --mount --pid --net --fork --kill-child /bin/bash -c '
        ip link set lo up 2>/dev/null || /usr/bin/busybox ifconfig lo 127.0.0.1 up
        mount -t proc proc "$0/proc"
        mount --bind /dev "$0/dev"
        run() { exec env -i CARDPRESENT_TOKEN=0123456789abcdef HOME=/tmp PATH=/usr/bin \
            /usr/sbin/chroot --userspec="$1:$1" "$root" "${@:2}"; }
        root=$0
        (run "$1" $2) &
        for ((tries = 0; tries < 300; tries++)); do
            if (run "$1" /usr/bin/busybox wget -q -O /dev/null http://127.0.0.1:8200/readyz) 2>/dev/null; then
                exit 0
            fi
            sleep 0.1
        done
        exit 1' "$work/image/root" "$image_user" "$command" >"$work/image/log" 2>&1 ||
        fail 1 "the image does not become healthy: see $work/image/log"
    progress 'the image becomes healthy'
}

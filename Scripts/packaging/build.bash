# Builds the program and the package. Sourced by Scripts/package.

# Builds a release program in a clone and prints its path. It names no folder of this machine, and its debug symbols can
# be found by its build ID.
build_program() { # build_program CLONE
    "$1/Scripts/build-release" -debug-info-format dwarf -Xlinker --build-id=sha1 \
        -Xswiftc -file-prefix-map -Xswiftc "$1=." -Xcc "-ffile-prefix-map=$1=."
}

# Builds a package of a program, and one of its debug symbols.
build_package() { # build_package PROGRAM VERSION OUTPUT
    local tree=$work/tree/cardpresent-$2 built=$work/tree packages
    rm -rf "$built"
    mkdir -p "$tree"
    cp -r Packaging/debian "$tree/debian"
    cp Packaging/sbom dependencies.txt CHANGELOG.md "$tree"
    write_changelog "$2" >"$tree/debian/changelog"
    collect_files "$1" "$tree/root"
    find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    progress "packaging version $2"
    local swift shlibdeps=() options=() compression=()
    swift=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')
    # The libraries of the toolchain belong to no package. Good compression of a debug program takes minutes.
    if [ -n "$stand_in" ]; then
        shlibdeps=(--ignore-missing-info "-l$(toolchain_libraries)")
        options=(noautodbgsym)
        compression=(-Zgzip -z1)
    fi
    # Builds nothing: the compiler's flags of Debian would only be noise in the environment.
    if ! (cd "$tree" && env -i PATH="$PATH" LC_ALL=C.UTF-8 TZ=UTC SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
        SHLIBDEPS="${shlibdeps[*]}" COMPRESSION="${compression[*]}" \
        DEB_BUILD_OPTIONS="nocheck ${options[*]}" SWIFT_VERSION="$swift" \
        dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$work/build.log" 2>&1; then
        tail -n 30 "$work/build.log" >&2
        fail 1 "the package was not built: see $work/build.log"
    fi
    mkdir -p "$3"
    packages=("$built"/*.deb)
    mv "${packages[@]}" "$3/"
    dpkg-deb --fsys-tarfile "$3/cardpresent_$2_amd64.deb" |
        tar --extract --to-stdout ./usr/share/doc/cardpresent/sbom.cdx.json >"$3/cardpresent_$2.cdx.json"
}

# Names files in a text as the package has them. What only a clone has stays as a name, without a link.
packaged_text() { # packaged_text FILE
    local doc=/usr/share/doc/cardpresent source='CONTRIBUTING|Fuzz/|Benchmarks/|Package\.swift|Sources/'
    sed -E -e "s#Simulator/Resources/Scenarios#$doc/examples/scenarios#g" -e "s#\bExamples/#$doc/examples/#g" \
        -e 's#\]\(examples/#](../examples/till/#g' -e 's#\]\(CHANGELOG\.md\)#](changelog.gz)#' \
        -e 's#\]\(LICENSE\)#](copyright)#' -e "s#\[([^]]*)\]\((\.\./)?(($source)[^)]*)\)#\1 (\3 of a clone)#g" \
        -e 's#^    Scripts/python-client .*#    python3 -m venv tests \&\& . tests/bin/activate#' \
        -e 's#pip install dist/cardpresent-[^ ]*\.whl#pip install /usr/share/cardpresent/python#' \
        -e 's#^    export CARDPRESENT_PROGRAM=.*#    export CARDPRESENT_PROGRAM=/usr/bin/cardpresent#' "$1"
}

install_text() { # install_text FILE TARGET
    mkdir -p "${2%/*}"
    packaged_text "$1" >"$2"
    chmod 644 "$2"
}

# The files as the package installs them.
collect_files() { # collect_files PROGRAM ROOT
    local share=$2/usr/share doc=$2/usr/share/doc/cardpresent file mode
    install -D "$1" "$2/usr/bin/cardpresent"
    "$1" man-pages "$share/man/man1" >/dev/null
    mkdir -p "$share"/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
    "$1" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/cardpresent"
    "$1" --generate-completion-script zsh >"$share/zsh/vendor-completions/_cardpresent"
    "$1" --generate-completion-script fish >"$share/fish/vendor_completions.d/cardpresent.fish"
    install -D --mode=644 --target-directory="$2/usr/lib/udev/rules.d" udev/60-cardpresent.rules
    install -D --mode=644 udev/cardpresent.sysusers.conf "$2/usr/lib/sysusers.d/cardpresent.conf"
    install -D --mode=644 Packaging/sysusers.conf "$2/usr/lib/sysusers.d/cardpresent-till.conf"
    install -D --mode=644 --target-directory="$2/lib/systemd/system" Packaging/units/*
    for file in README.md SECURITY.md; do install_text "$file" "$doc/$file"; done
    while read -r file; do
        case "$file" in
        docs/examples/*) install -D --mode=644 "$file" "$doc/examples/till/${file#docs/examples/}" ;;
        docs/*.md) install_text "$file" "$doc/$file" ;;
        docs/*) install -D --mode=644 "$file" "$doc/$file" ;;
        Clients/python/LICENSE | Clients/python/tests/*) ;;
        # The license is that of the package.
        Clients/python/pyproject.toml)
            mkdir -p "$share/cardpresent/python"
            sed '/^license-files/d' "$file" >"$share/cardpresent/python/pyproject.toml"
            chmod 644 "$share/cardpresent/python/pyproject.toml"
            ;;
        Clients/python/*) install -D --mode=644 "$file" "$share/cardpresent/python/${file#*/*/}" ;;
        Examples/*)
            mode=$([ -x "$file" ] && echo 755 || echo 644)
            install -D --mode="$mode" "$file" "$doc/examples/${file#Examples/}"
            ;;
        Simulator/Resources/Scenarios/*) install -D --mode=644 "$file" "$doc/examples/scenarios/${file#*/*/*/}" ;;
        udev/61-* | action.yml) install -D --mode=644 "$file" "$doc/examples/$file" ;;
        Packaging/monitoring/*) install -D --mode=644 "$file" "$doc/examples/${file#Packaging/}" ;;
        esac
    done < <(git ls-files docs Clients Examples Packaging/monitoring Simulator/Resources/Scenarios action.yml udev)
}

# The releases of CHANGELOG.md in Debian's form, from VERSION on. The newest one has the date of the last commit.
write_changelog() { # write_changelog VERSION
    local release date maintainer
    maintainer=$(sed -n 's/^Maintainer: //p' Packaging/debian/control)
    while read -r release date; do
        if [ "$release" = "$1" ]; then date=@$SOURCE_DATE_EPOCH; fi
        printf 'cardpresent (%s) bookworm; urgency=medium\n\n  * New version. changelog.gz says what changed.\n\n' "$release"
        printf ' -- %s  %s\n\n' "$maintainer" "$(LC_ALL=C date --utc --date="$date" '+%a, %d %b %Y %H:%M:%S +0000')"
    done < <(
        grep -q "^## $1 - " CHANGELOG.md || echo "$1"
        sed -n 's/^## \([0-9][0-9.]*\) - \(.*\)$/\1 \2/p' CHANGELOG.md | while read -r release date; do
            dpkg --compare-versions "$release" gt "$1" || echo "$release $date"
        done
    )
}

# The folder of the toolchain's libraries that a stand-in loads.
toolchain_libraries() { ldd "$program" | sed -n 's/.*=> \(.*\)\/libswiftCore\.so .*/\1/p'; }

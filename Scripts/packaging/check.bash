# Checks a package. Sourced by Scripts/package.

check_package() { # check_package PACKAGE
    local unit tags='' scratch=$work/contents size
    progress 'lintian'
    # What is wrong with a stand-in by its nature.
    [ -z "$stand_in" ] || tags=custom-library-search-path,hardening-no-bindnow,hardening-no-fortify-functions
    # Words of other languages and of Swift's own functions are taken for misspelled English.
    tags+=${tags:+,}spelling-error-in-binary
    lintian --allow-root --display-info --fail-on error,warning --suppress-tags "$tags" "$1" >&2 ||
        fail 1 'lintian has complaints'

    rm -rf "$scratch"
    dpkg-deb --extract "$1" "$scratch"
    [ -f "$scratch/usr/lib/systemd/system/cardpresent-recover.service" ] || fail 1 'the units are in another folder'
    for unit in "$scratch"/usr/lib/systemd/system/*.service; do
        systemd-analyze security --offline=true --no-pager --threshold=20 "$unit" >"$work/security.log" 2>&1 || {
            cat "$work/security.log" >&2
            fail 1 "${unit##*/} is exposed by more than 2.0"
        }
        progress "${unit##*/}: exposure $(sed -n 's/^→ Overall exposure level .*: \([0-9.]*\).*/\1/p' "$work/security.log")"
    done

    check_bill "$scratch/usr/share/doc/cardpresent/sbom.cdx.json"
    if [ -z "$stand_in" ]; then
        size=$(stat --format=%s "$scratch/usr/bin/cardpresent")
        progress "/usr/bin/cardpresent has $size bytes"
        [ "$size" -le $((45 * 1000 * 1000)) ] || fail 1 'the program has more than 45 MB'
        ! LC_ALL=C grep --quiet --text --fixed-strings "$PWD" "$scratch/usr/bin/cardpresent" ||
            fail 1 "the program names the folder $PWD"
        check_start "$scratch/usr/bin/cardpresent"
    fi
    rm -rf "$scratch"
}

# Checks the start and the memory of a release program. The start is the fastest of a hundred: others are the machine's.
check_start() { # check_start PROGRAM
    python3 - "$1" "$work/start.sqlite" <<'PYTHON' || fail 1 'the program is slow to start, or needs too much memory'
import os
import subprocess
import sys
import time

program, database = sys.argv[1:]


def run(*arguments):
    """Returns the seconds and the peak memory in MiB of a run."""
    began = time.monotonic()
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return time.monotonic() - began, usage.ru_maxrss / 1024


start = min(run("--version")[0] for _ in range(100))
memory = run("pay", "12.50", "--reader", "simulated", "--seed", "7", "--quiet", "--database", database)[1]
print(f"--version takes {start * 1000:.1f} ms; pay needs {memory:.1f} MiB", file=sys.stderr)
sys.exit(start > 0.010 or memory > 40)
PYTHON
    rm -f "$work"/start.sqlite*
}

# Validates the bill of materials with the library of its standard's authors.
check_bill() { # check_bill FILE
    "$(Scripts/setup-python cyclonedx)" - "$1" <<'PYTHON' || fail 1 'the bill of materials is not valid'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read())
if fault:
    sys.exit(str(fault))
PYTHON
    progress 'the bill of materials is valid CycloneDX 1.6'
}

# Installs the package in a new Debian, runs it, removes it, and purges it.
install_and_remove() { # install_and_remove PACKAGE
    new_debian "$1"
    list_files >"$work/before"
    install_there "$1"
    try_there
    remove_and_purge
    remove_debian
}

install_there() { # install_there PACKAGE
    progress "installing ${1##*/}"
    "${as_root[@]}" cp "$1" "$debian/package.deb"
    if ! in_debian dpkg --install /package.deb >"$work/install.log" 2>&1; then
        cat "$work/install.log" >&2
        fail 1 "${1##*/} was not installed"
    fi
}

try_there() {
    local checks
    in_debian cardpresent --version >&2
    in_debian /bin/sh -c 'systemd-analyze verify --man=no /usr/lib/systemd/system/cardpresent-*' >&2 ||
        fail 1 'a unit is wrong'
    as_till pay 12.50 --reader simulated --seed 7 --quiet --json >"$work/payment.json" || fail 1 'no payment was possible'
    as_till payments recover --quiet >/dev/null || fail 1 'payments recover failed'
    # Without USB these are no problems, and the package's files need no repair.
    checks=$(in_debian cardpresent doctor --only rules --only group --json) || fail 1 "doctor: $checks"
    jq --exit-status '[.checks[].findings[]] | all(.verdict == "ok" and .fixable == false)' <<<"$checks" >/dev/null ||
        fail 1 "doctor has complaints: $checks"
    [ "$(in_debian stat --format='%U:%G %a' /var/lib/cardpresent)" = 'cardpresent:cardpresent 700' ] ||
        fail 1 '/var/lib/cardpresent has other rights'
}

# Records stay when the package is removed. After the purge, everything is as it was before.
remove_and_purge() {
    progress 'removing and purging'
    in_debian dpkg --remove cardpresent >"$work/remove.log" 2>&1 || fail 1 "$(cat "$work/remove.log")"
    [ -s "$debian/var/lib/cardpresent/cardpresent.sqlite" ] || fail 1 'the records are gone with the program'
    [ ! -e "$debian/usr/bin/cardpresent" ] || fail 1 'the program is still there'
    in_debian dpkg --purge cardpresent >"$work/purge.log" 2>&1 || fail 1 "$(cat "$work/purge.log")"
    list_files >"$work/after"
    diff "$work/before" "$work/after" >&2 || fail 1 'the package left something behind'
}

# Installs an older version, with the records of one, over which the package is then installed.
check_upgrade() {
    build_package "$program" 0.1.9 "$work/old"
    new_debian "$work/old/cardpresent_0.1.9_amd64.deb"
    list_files >"$work/before"
    install_there "$work/old/cardpresent_0.1.9_amd64.deb"
    rm -f "$work/old.sqlite"
    Scripts/packaging/old-records "$work/old.sqlite"
    "${as_root[@]}" cp "$work/old.sqlite" "$debian/var/lib/cardpresent/cardpresent.sqlite"
    in_debian chown cardpresent:cardpresent /var/lib/cardpresent/cardpresent.sqlite
    # What an administrator has switched on stays on.
    in_debian systemctl enable --quiet cardpresent-store.socket
    install_there "$output/$name.deb"
    as_till payments show P000001 --quiet >/dev/null || fail 1 'the upgrade lost a payment'
    as_till pay 12.50 --reader simulated --seed 7 --quiet --json >"$work/payment.json" || fail 1 'no payment was possible'
    as_till payments show P000002 --quiet >/dev/null || fail 1 'the upgrade counts payments anew'
    in_debian systemctl --quiet is-enabled cardpresent-store.socket || fail 1 'the upgrade switched the store off'
    progress 'the upgrade kept the records and the services'
    remove_and_purge
    remove_debian
}

# Builds the package a second time, in another folder, and the program too unless it was given.
check_second_build() {
    local again=$work/again second=$program file clone letters=$((${#PWD} - 5))
    progress 'building a second time'
    rm -rf "$again"
    if [ -n "$build_again" ]; then
        # The program has no folder's name, but the compiler writes the length of one into it.
        [ "$letters" -ge 3 ] || fail 69 "the folder of the checkout needs a name of 8 characters or more"
        clone=$(mktemp -d "/tmp/$(printf 'X%.0s' $(seq "$letters"))")
        git clone --quiet . "$clone"
        git -C "$clone" checkout --quiet "$commit"
        second=$(build_program "$clone")
    fi
    (
        work=$again
        build_package "$second" "$version" "$again/packages"
    )
    for file in "$again"/packages/*; do
        cmp "$file" "$output/${file##*/}" >&2 || fail 1 "a second build of ${file##*/} has other bytes"
    done
    progress 'the second build has the same bytes'
    rm -rf "$again" ${clone:+"$clone"}
}

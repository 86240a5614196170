# The table of results and the figures beside it. Sourced by Scripts/test-usb.

# Rows and figures are lines of nonempty fields separated by tabs. Each part has its own files.

# Sets rows and figures to those of all parts, in order. An incomplete part is a failure.
collect_results() {
    local words folder
    rows=$cache/rows
    figures=$cache/figures
    : >"$rows"
    : >"$figures"
    for words in "${parts[@]}"; do
        folder=$cache/${words/ /-}
        [ ! -e "$folder/rows" ] || cat "$folder/rows" >>"$rows"
        [ ! -e "$folder/figures" ] || cat "$folder/figures" >>"$figures"
        [ -e "$folder/ended" ] || printf '%s\t-\tthe part is run to its end\tfailed\t0\n' "${words% *}" >>"$rows"
    done
}

add_row() { # add_row CONTROLLER CARD TEST RESULT MILLISECONDS
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$rows"
    progress "$1  $2  $3: $4 ($5 ms)"
}

add_figure() { # add_figure CONTROLLER CARD NAME VALUE UNIT
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$figures"
}

# Prints lines of fields as a table with aligned columns.
table() { # table HEADING...: reads the rows
    local IFS=$'\t'
    { echo "$*"; cat; } | awk -F '\t' '
        { for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) }; columns = NF }
        END {
            for (row = 1; row <= NR; row++) {
                line = ""
                for (i = 1; i <= columns; i++) line = line sprintf("%-" (i < columns ? width[i] + 2 : 1) "s", cell[row, i])
                sub(/ +$/, "", line)
                print line
            }
        }'
}

show_results() {
    table controller card test result ms <"$rows"
    [ ! -s "$figures" ] || { echo; table controller card figure value unit <"$figures"; }
    [ "$(count_failures)" -eq 0 ] || show_failures
}

# Prints the ends of the failed tests' output and their rows, so that a log whose beginning is cut tells what failed.
show_failures() {
    local words folder
    for words in "${parts[@]}"; do
        folder=$cache/${words/ /-}
        [ ! -s "$folder/failures" ] || { echo && tail -n 40 "$folder/failures"; }
    done
    echo
    awk -F '\t' '$4 != "passed"' "$rows" | table controller card test result ms
}

write_results() { # write_results FILE
    jq --null-input --arg kernel "$kernel_version" --arg accelerator "$accelerator" \
        --rawfile rows "$rows" --rawfile figures "$figures" '
        def lines: split("\n") | map(select(length > 0) | split("\t"));
        def optional: if . == "-" then null else . end;
        {
            kernel: $kernel, accelerator: $accelerator,
            rows: ($rows | lines | map({
                controller: .[0], card: (.[1] | optional), test: .[2], result: .[3], milliseconds: (.[4] | tonumber)
            })),
            figures: ($figures | lines | map({
                controller: .[0], card: (.[1] | optional), figure: .[2], value: (.[3] | tonumber), unit: .[4]
            }))
        }' >"$1"
}

count_failures() { cut -f 4 "$rows" | grep -cv '^passed$' || true; }

# Whether there are rows and none of them failed.
all_passed() {
    [ -s "$rows" ] || fail 64 'there is no such test'
    [ "$(count_failures)" -eq 0 ]
}

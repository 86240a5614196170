# The table of results and the figures beside it. Sourced by Scripts/test-usb.

# Lines of fields, parted by tabs; none of them is empty.
begin_results() {
    rows=$cache/rows
    figures=$cache/figures
    : >"$rows"
    : >"$figures"
}

add_row() { # add_row CONTROLLER CARD TEST RESULT MILLISECONDS
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$rows"
    progress "$1  $2  $3: $4 ($5 ms)"
}

add_figure() { # add_figure CONTROLLER CARD NAME VALUE UNIT
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$figures"
}

# Lines of fields as a table whose columns are as wide as they must be.
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

# Whether there are rows and none of them failed.
all_passed() { [ -s "$rows" ] && ! cut -f 4 "$rows" | grep -qv '^passed$'; }

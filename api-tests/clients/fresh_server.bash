# Starts a fresh server for a script that drives a client against it, and counts its checks:
# sourced, not run.
#
# Needs PROGRAMS, the folder of the built programs. A server also needs SISKIN_DATABASE_URL, an
# empty database. Sets BASE_URL and FOLDER, which is removed at the end.

FOLDER=''
SERVER=''
BASE_URL=''

clean_up() {
    [ -z "$SERVER" ] || { kill "$SERVER" && wait "$SERVER"; } 2>/dev/null || true
    [ -z "$FOLDER" ] || rm -rf "$FOLDER"
}

# Prints a free port of the loopback interface.
free_port() {
    python3 -c \
        'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start_server() {
    "$PROGRAMS/siskin" serve --bind 127.0.0.1:0 >"$FOLDER/greeting" 2>"$FOLDER/log" &
    SERVER=$!
    for _ in $(seq 300); do
        BASE_URL=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$FOLDER/greeting" | head -n 1 || true)
        [ -z "$BASE_URL" ] || return 0
        kill -0 "$SERVER" 2>/dev/null || break
        sleep 0.1
    done
    cat "$FOLDER/log" >&2
    return 1
}

# Prints the lines with errors in the log of the server, or `none`.
faults() {
    grep -E 'ERROR|panicked' "$FOLDER/log" || echo none
}

# The scripts print a line for each check, which begins with `ok ` or `not ok `.

# on_each_engine ENGINE…: runs the script SELF on each engine at the same time, with a fresh
# database. Prints the output of each, in order. A run that fails counts as a failed check.
on_each_engine() {
    local outputs engine
    outputs=$(mktemp -d)
    for engine in "$@"; do
        { "$PROGRAMS/with-database" "$engine" bash "$SELF" "$engine" 2>&1 ||
            echo "not ok  $engine: the script ran to its end"; } >"$outputs/$engine" &
    done
    wait
    for engine in "$@"; do cat "$outputs/$engine"; done
    rm -rf "$outputs"
}

# Copies standard input, then prints `N passed, N failed`. Fails if a check failed, or if none ran.
count_checks() {
    awk '{ print; fflush() } /^ok / { passed++ } /^not ok / { failed++ }
        END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || !passed }'
}

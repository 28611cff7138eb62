# Starts a fresh server for a script that drives a client against it: sourced, not run.
#
# Needs PROGRAMS, the folder of the built programs, and SISKIN_DATABASE_URL, an empty database. Sets
# BASE_URL and FOLDER, which is removed at the end.

FOLDER=''
SERVER=''
BASE_URL=''

clean_up() {
    [ -z "$SERVER" ] || { kill "$SERVER" && wait "$SERVER"; } 2>/dev/null || true
    [ -z "$FOLDER" ] || rm -rf "$FOLDER"
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

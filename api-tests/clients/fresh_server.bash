# Starts a fresh server for a script that drives a client against it, and counts its checks:
# sourced, not run.
#
# Needs PROGRAMS, the folder of the built programs. A server also needs SISKIN_DATABASE_URL, an
# empty database. Sets BASE_URL and FOLDER, which is removed at the end.

FOLDER=''
SERVER=''
BASE_URL=''
# Other programs that a script started, such as a mail server. They end with the script.
HELPERS=()

clean_up() {
    [ -z "$SERVER" ] || { kill "$SERVER" && wait "$SERVER"; } 2>/dev/null || true
    [ ${#HELPERS[@]} -eq 0 ] || kill "${HELPERS[@]}" 2>/dev/null || true
    [ -z "$FOLDER" ] || rm -rf "$FOLDER"
}

# Prints a free port of the loopback interface.
free_port() {
    python3 -c \
        'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for FILE PATTERN: waits until a helper reports that it is ready.
wait_for() {
    for _ in $(seq 300); do
        grep -q -- "$2" "$1" 2>/dev/null && return
        sleep 0.1
    done
    cat "$1" >&2
    return 1
}

# Starts a mail server that keeps the emails in the Maildir `mail` of FOLDER. Needs aiosmtpd in
# VENV.
start_mail_sink() {
    local port
    port=$(free_port)
    "$VENV/bin/python" -m aiosmtpd --nosetuid --debug --listen "127.0.0.1:$port" \
        --class aiosmtpd.handlers.Mailbox "$FOLDER/mail" >"$FOLDER/mail.log" 2>&1 &
    HELPERS+=($!)
    wait_for "$FOLDER/mail.log" 'Server is listening'
    export SISKIN_SMTP_URL="smtp://127.0.0.1:$port"
}

# Starts the server. It asks no DNS server, because there may be none.
start_server() {
    SISKIN_DNS_SERVERS=none "$PROGRAMS/siskin" serve --bind 127.0.0.1:0 \
        >"$FOLDER/greeting" 2>"$FOLDER/log" &
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

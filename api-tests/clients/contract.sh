#!/usr/bin/env bash
# Calls every operation of the completed areas on a fresh server, for each engine, through a
# recording proxy. Each operation must succeed, and each response must match the contract. The proxy
# is not part of the project: if it is missing, the script says so and checks nothing.
# Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR    directory for the packages that the proxy needs, reused by later runs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/contract.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly PACKAGES=(aiohttp==3.14.5 jsonschema==4.26.0 requests==2.34.2 aiosmtpd==1.4.6)
readonly VENV="$CLIENTS/contract-3.14.5-4.26.0-2.34.2-1.4.6"

. api-tests/clients/fresh_server.bash

# Prints the folder `shared` next to the checkout or to one of its parents; nothing if there is
# none.
find_shared() {
    local folder=$PWD
    until [ -e "$folder/shared/tools/conform.py" ]; do
        [ "$folder" != / ] || return 0
        folder=$(dirname "$folder")
    done
    echo "$folder/shared"
}

SHARED=$(find_shared)
readonly SHARED

install_packages() {
    [ -e "$VENV/complete" ] && return
    rm -rf "$VENV"
    mkdir -p "$CLIENTS"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check "${PACKAGES[@]}"
    touch "$VENV/complete"
}

# --- on one engine ---

HELPERS=()

stop_all() {
    local helper
    for helper in "${HELPERS[@]}"; do
        kill "$helper" 2>/dev/null || true
    done
    clean_up
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
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

start_mail_sink() {
    local port
    port=$(free_port)
    "$VENV/bin/python" -m aiosmtpd --nosetuid --listen "127.0.0.1:$port" >/dev/null 2>&1 &
    HELPERS+=($!)
    export SISKIN_SMTP_URL="smtp://127.0.0.1:$port"
}

start_translator() {
    local port
    port=$(free_port)
    "$VENV/bin/python" api-tests/clients/contract/translator.py "$port" >"$FOLDER/translator" 2>&1 &
    HELPERS+=($!)
    wait_for "$FOLDER/translator" '^listening'
    export SISKIN_TRANSLATION_BACKEND=libretranslate SISKIN_TRANSLATION_URL="http://127.0.0.1:$port"
}

on_engine() {
    local port proxy asker
    FOLDER=$(mktemp -d)
    trap stop_all EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_RATE_LIMITS_ENABLED=false \
        SISKIN_REGISTRATIONS=open SISKIN_EMAIL_CONFIRMATION=true NO_PROXY='*'
    start_mail_sink
    start_translator
    start_server
    port=$(free_port)
    "$VENV/bin/python" "$SHARED/tools/conform.py" --listen "127.0.0.1:$port" --target "${BASE_URL#http://}" \
        --report "$FOLDER/report.json" >"$FOLDER/proxy" 2>&1 &
    proxy=$!
    HELPERS+=("$proxy")
    wait_for "$FOLDER/proxy" '^listening'

    mkfifo "$FOLDER/recorded"
    "$VENV/bin/python" api-tests/clients/contract "http://127.0.0.1:$port" "$PROGRAMS/siskin" \
        "$FOLDER/report.json" "$SHARED/api/contract.json" <"$FOLDER/recorded" >"$FOLDER/asked" &
    asker=$!
    exec 3>"$FOLDER/recorded"
    wait_for "$FOLDER/asked" '^asked$'
    kill -INT "$proxy" && wait "$proxy" || true
    exec 3>&-
    wait "$asker" || echo 'not ok  the responses were checked'
    grep -v '^asked$' "$FOLDER/asked"
    [ "$(faults)" = none ] && echo 'ok      no fault in the log' || echo "not ok  the log: $(faults)"
}

# --- on both ---

both_engines() {
    local results engine passed failed
    if [ -z "$SHARED" ]; then
        echo 'skipped: shared/tools/conform.py is not beside the checkout'
        return
    fi
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_packages
    results=$(mktemp)
    for engine in sqlite postgres; do
        "$PROGRAMS/with-database" "$engine" bash "$SELF" "$engine" 2>&1 |
            sed "s/^\(ok\|not ok\)  */&$engine: /" | tee -a "$results" ||
            echo "not ok  $engine: all requests were sent" | tee -a "$results"
    done
    passed=$(grep -c '^ok ' "$results" || true)
    failed=$(grep -c '^not ok ' "$results" || true)
    rm -f "$results"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

if [ $# -eq 0 ]; then both_engines; else on_engine; fi

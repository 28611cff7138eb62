#!/usr/bin/env bash
# Calls every operation of the finished areas on a fresh server, for each engine. Each operation
# must succeed, and each response must match the contract in api-tests/contract.
# Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR    directory for the packages of the client, reused by later runs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/contract.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly PACKAGES=(requests==2.34.2 aiosmtpd==1.4.6)
readonly VENV="$CLIENTS/contract-2.34.2-1.4.6"

. api-tests/clients/fresh_server.bash

install_packages() {
    [ -e "$VENV/complete" ] && return
    rm -rf "$VENV"
    mkdir -p "$CLIENTS"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check "${PACKAGES[@]}"
    touch "$VENV/complete"
}

# --- on one engine ---

start_translator() {
    local port
    port=$(free_port)
    "$VENV/bin/python" api-tests/clients/contract/translator.py "$port" \
        >"$FOLDER/translator" 2>&1 &
    HELPERS+=($!)
    wait_for "$FOLDER/translator" '^listening'
    export SISKIN_TRANSLATION_BACKEND=libretranslate SISKIN_TRANSLATION_URL="http://127.0.0.1:$port"
}

start_article() {
    local port
    port=$(free_port)
    "$VENV/bin/python" api-tests/clients/contract/article.py "$port" >"$FOLDER/article" 2>&1 &
    HELPERS+=($!)
    wait_for "$FOLDER/article" '^listening'
    export SISKIN_OUTBOUND_ALLOW="127.0.0.1:$port"
    export SISKIN_CONTRACT_ARTICLE="http://127.0.0.1:$port/waxwings"
}

# Creates an account of another server, which is a peer then.
add_peer() {
    echo '{"accounts": [{"username": "fara", "domain": "peer.example"}]}' >"$FOLDER/seed.json"
    SISKIN_TEST_HOOKS=1 "$PROGRAMS/siskin" seed "$FOLDER/seed.json" >/dev/null 2>"$FOLDER/seed.log" ||
        { cat "$FOLDER/seed.log" >&2; return 1; }
}

checks() {
    "$VENV/bin/python" api-tests/clients/contract "$BASE_URL" "$PROGRAMS/siskin" \
        "$FOLDER/recording" 2>&1 || echo 'not ok  all requests were sent'
    "$PROGRAMS/check-exchanges" "$FOLDER/recording" 2>&1 ||
        echo 'not ok  all responses match the contract'
    if [ "$(faults)" = none ]; then
        echo 'ok      no fault in the log'
    else
        echo "not ok  no fault in the log: $(faults)"
    fi
}

on_engine() {
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_RATE_LIMITS_ENABLED=false \
        SISKIN_REGISTRATIONS=open SISKIN_EMAIL_CONFIRMATION=true NO_PROXY='*'
    start_mail_sink
    start_translator
    start_article
    add_peer
    start_server
    checks | sed "s/^\(ok\|not ok\)  */&$1: /"
}

# --- on both ---

both_engines() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database --bin check-exchanges
    install_packages
    on_each_engine sqlite postgres | count_checks
}

if [ $# -eq 0 ]; then both_engines; else on_engine "$1"; fi

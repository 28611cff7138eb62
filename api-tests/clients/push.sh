#!/usr/bin/env bash
# Decrypts push messages with http_ece, an independent library from PyPI, and checks their
# signatures, in both encodings and on each engine. Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR    directory for installed clients, reused by later runs
# SISKIN_REQUIRE_SERVICES=1    fails if PostgreSQL is missing, instead of skipping it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/push.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly PACKAGES=(http_ece==1.2.1 cryptography==50.0.2)
readonly VENV="$CLIENTS/push-1.2.1-50.0.2"

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

checks() {
    "$VENV/bin/python" api-tests/clients/push.py "$BASE_URL" "$PROGRAMS/siskin" "$1" 2>&1 ||
        echo 'not ok  all messages were checked'
    if [ "$(faults)" = none ]; then
        echo 'ok      no fault in the log'
    else
        echo "not ok  no fault in the log: $(faults)"
    fi
}

on_engine() {
    local port
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    port=$(free_port)
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_OUTBOUND_ALLOW="127.0.0.1:$port" NO_PROXY='*'
    start_server
    checks "$port" | sed "s/^\(ok\|not ok\)  */&$1: /"
}

# --- on both ---

both_engines() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_packages
    on_each_engine sqlite postgres | count_checks
}

if [ $# -eq 0 ]; then both_engines; else on_engine "$1"; fi

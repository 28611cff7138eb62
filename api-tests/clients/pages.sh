#!/usr/bin/env bash
# Visits the pages of a fresh server in headless Chromium, public ones and those of people who are
# signed in: on a phone and on a desk, light and dark. Nothing may be wider than the window, reported
# on the console, refused by the page's policy or fetched from elsewhere. axe-core must have no
# findings.
# Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR     where what drives the browser is installed, and found again the next time
# SISKIN_SCREENSHOTS     where the pictures go; `pages` in the target folder unless it is set
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly PLAYWRIGHT=1.65.2
# axe-core, from npm.
readonly AXE=4.14.1
readonly SELF=api-tests/clients/pages.sh
readonly TARGET="${CARGO_TARGET_DIR:-target}"
readonly PROGRAMS="$TARGET/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly VENV="$CLIENTS/browser-$PLAYWRIGHT-$AXE"

. api-tests/clients/fresh_server.bash

# The driver alone: the browser is the machine's.
install_driver() {
    [ -e "$VENV/complete" ] && return
    rm -rf "$VENV"
    mkdir -p "$CLIENTS"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check \
        "playwright==$PLAYWRIGHT"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$VENV/axe" "axe-core@$AXE"
    touch "$VENV/complete"
}

browser() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

# As the server prints it after its first line.
setup_link() {
    for _ in $(seq 100); do
        ! grep -o 'http://[^ ]*/setup?token=[^ ]*' "$FOLDER/greeting" || return 0
        sleep 0.1
    done
    return 1
}

on_engine() {
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_RATE_LIMITS_ENABLED=false \
        SISKIN_REGISTRATIONS=approval
    start_server
    local link
    link=$(setup_link)
    NO_PROXY='*' "$VENV/bin/python" api-tests/clients/pages.py "$BASE_URL" "$PROGRAMS/siskin" \
        "$(browser)" "${SISKIN_SCREENSHOTS:-$TARGET/pages}" \
        "$VENV/axe/node_modules/axe-core/axe.min.js" "$link"
    if [ "$(faults)" = none ]; then
        echo 'ok      no fault in the log'
    else
        echo "not ok  no fault in the log: $(faults)"
    fi
}

main() {
    local results passed failed
    # Of the whole workspace, so that its dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_driver
    results=$(mktemp)
    # What a page shows does not depend on the engine; tests of the interface hold the two equal.
    "$PROGRAMS/with-database" sqlite bash "$SELF" sqlite 2>&1 | tee -a "$results" ||
        echo 'not ok  the pages are visited' | tee -a "$results"
    passed=$(grep -c '^ok ' "$results" || true)
    failed=$(grep -c '^not ok ' "$results" || true)
    rm -f "$results"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

if [ $# -eq 0 ]; then main; else on_engine; fi

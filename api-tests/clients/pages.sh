#!/usr/bin/env bash
# Visits the pages of a fresh server in headless Chromium, with and without a signed-in account: on
# a phone and on a desktop, light and dark. No page may be wider than the window, log an error to
# the console, violate its content security policy or load anything from another host. axe-core must
# have no findings.
# Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR     directory for the browser driver, reused by later runs
# SISKIN_SCREENSHOTS     directory for the screenshots; default: `pages` in the target folder
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly PLAYWRIGHT=1.65.2
# Version of axe-core, from npm.
readonly AXE=4.14.1
readonly SELF=api-tests/clients/pages.sh
readonly TARGET="${CARGO_TARGET_DIR:-target}"
readonly PROGRAMS="$TARGET/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly VENV="$CLIENTS/browser-$PLAYWRIGHT-$AXE"

. api-tests/clients/fresh_server.bash

# Installs the driver alone: the browser of the machine is used.
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

# Prints the link that the server prints after its first line.
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
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_driver
    # One engine is enough: pages do not depend on it, and the API tests compare the two.
    {
        "$PROGRAMS/with-database" sqlite bash "$SELF" sqlite 2>&1 ||
            echo 'not ok  the pages were visited'
    } | count_checks
}

if [ $# -eq 0 ]; then main; else on_engine; fi

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

readonly SELF=api-tests/clients/pages.sh
readonly TARGET="${CARGO_TARGET_DIR:-target}"
readonly PROGRAMS="$TARGET/debug"

. api-tests/clients/fresh_server.bash
. api-tests/clients/browser.bash

on_engine() {
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_RATE_LIMITS_ENABLED=false \
        SISKIN_REGISTRATIONS=approval
    # A provider of external logins that does not answer.
    export SISKIN_EXTERNAL_LOGINS=club SISKIN_EXTERNAL_LOGIN_CLUB_NAME='The club of the neighbours' \
        SISKIN_EXTERNAL_LOGIN_CLUB_ISSUER=http://127.0.0.1:9 \
        SISKIN_EXTERNAL_LOGIN_CLUB_CLIENT_ID=siskin
    start_server
    local link
    link=$(setup_link)
    NO_PROXY='*' "$VENV/bin/python" api-tests/clients/pages.py "$BASE_URL" "$PROGRAMS/siskin" \
        "$(browser)" "${SISKIN_SCREENSHOTS:-$TARGET/pages}" \
        "$AXE_SCRIPT" "$link"
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

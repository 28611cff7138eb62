#!/usr/bin/env bash
# Walks in headless Chromium, on each engine, from the first start of a server to an appeal: the
# owner sets up the server by its link, people ask for an account, and the staff approve them on the
# page, by API and by command. A person is reported from a client, limited, appeals and is restored.
# Real emails lead from step to step. The main pages must fit on a phone and on a desktop, and
# axe-core must have no findings, light and dark.
# Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR     directory for the browser driver, reused by later runs
# SISKIN_SCREENSHOTS     directory for the screenshots; default: `pages` in the target folder
# SISKIN_REQUIRE_SERVICES=1    fails if PostgreSQL is missing, instead of skipping it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/moderation.sh
readonly TARGET="${CARGO_TARGET_DIR:-target}"
readonly PROGRAMS="$TARGET/debug"

. api-tests/clients/fresh_server.bash
. api-tests/clients/browser.bash

# --- on one engine ---

checks() {
    local folder=()
    # Pages do not depend on the engine, so one of them makes the screenshots.
    [ "$1" != sqlite ] || folder=("${SISKIN_SCREENSHOTS:-$TARGET/pages}")
    "$VENV/bin/python" api-tests/clients/moderation.py "$BASE_URL" "$PROGRAMS/siskin" \
        "$(browser)" "$AXE_SCRIPT" "$FOLDER/mail" "$(setup_link)" "${folder[@]}" 2>&1 ||
        echo 'not ok  the walk came to its end'
    if [ "$(faults)" = none ]; then
        echo 'ok      no fault in the log'
    else
        echo "not ok  no fault in the log: $(faults)"
    fi
}

on_engine() {
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media" NO_PROXY='*'
    start_mail_sink
    start_server
    checks "$1" | sed "s/^\(ok\|not ok\)  */&$1: /"
}

# --- on both ---

both_engines() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_driver
    on_each_engine sqlite postgres | count_checks
}

if [ $# -eq 0 ]; then both_engines; else on_engine "$1"; fi

#!/usr/bin/env bash
# Signs people in through oidc-provider, a certified OpenID provider from npm, on each engine. Ends
# with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR    directory for installed clients, reused by later runs
# SISKIN_REQUIRE_SERVICES=1    fails if PostgreSQL is missing, instead of skipping it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/external_login.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly VERSION=9.13.3
readonly PACKAGES="$CLIENTS/oidc-provider-$VERSION"

. api-tests/clients/fresh_server.bash

install_provider() {
    [ -e "$PACKAGES/complete" ] && return
    rm -rf "$PACKAGES"
    mkdir -p "$PACKAGES"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$PACKAGES" \
        "oidc-provider@$VERSION"
    touch "$PACKAGES/complete"
}

# --- on one engine ---

# configure ID PORT: lets the server know a provider.
configure() {
    local prefix
    prefix="SISKIN_EXTERNAL_LOGIN_$(echo "$1" | tr '[:lower:]' '[:upper:]')"
    export "${prefix}_NAME=The $1 provider" "${prefix}_ISSUER=http://127.0.0.1:$2" \
        "${prefix}_CLIENT_ID=siskin" "${prefix}_CLIENT_SECRET=secret-of-the-tests" \
        "${prefix}_TRUST_EMAILS=true"
}

checks() {
    timeout 300 python3 api-tests/clients/external_login.py "$BASE_URL" "$PROGRAMS/siskin" "$PACKAGES" "$@" \
        2>&1 || echo 'not ok  all checks ran'
    if [ "$(faults)" = none ]; then
        echo 'ok      no fault in the log'
    else
        echo "not ok  no fault in the log: $(faults)"
    fi
    if grep -q secret-of-the-tests "$FOLDER/log"; then
        echo 'not ok  the log has no secret'
    else
        echo 'ok      the log has no secret'
    fi
}

on_engine() {
    local usual full
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    usual=$(free_port)
    full=$(free_port)
    export SISKIN_MEDIA_DIR="$FOLDER/media" SISKIN_EXTERNAL_LOGINS=usual,full NO_PROXY='*'
    configure usual "$usual"
    configure full "$full"
    start_server
    checks "$usual" "$full" | sed "s/^\(ok\|not ok\)  */&$1: /"
}

# --- on both ---

both_engines() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_provider
    on_each_engine sqlite postgres | count_checks
}

if [ $# -eq 0 ]; then both_engines; else on_engine "$1"; fi

#!/usr/bin/env bash
# Tests the files in docs/install. systemd verifies the unit, and a server with the file of options
# runs behind nginx and behind Caddy, each with its example. The test replaces only addresses, paths
# and certificates in the examples. Ends with `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SELF=api-tests/clients/install.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly EXAMPLES=docs/install

. api-tests/clients/fresh_server.bash

PATH="$PATH:/usr/sbin"
PROXY=''

stop_all() {
    stop_proxy
    clean_up
}

stop_proxy() {
    [ -z "$PROXY" ] || { kill "$PROXY" && wait "$PROXY"; } 2>/dev/null || true
    PROXY=''
}

# check WHAT COMMAND…: checks that the command succeeds.
check() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $what"
    else
        printf 'not ok  %s\n%s\n' "$what" "$output" | sed '2,$s/^/        /'
    fi
}

# Verifies the unit. The program that it starts is not installed here.
unit_is_sound() {
    command -v systemd-analyze >/dev/null || {
        echo 'skipped: systemd-analyze is missing'
        return
    }
    sed "s#^ExecStart=/usr/local/bin/siskin#ExecStart=$(realpath "$PROGRAMS/siskin")#" \
        "$EXAMPLES/siskin.service" >"$FOLDER/siskin.service"
    check 'systemd accepts the unit' systemd-analyze verify --man=no "$FOLDER/siskin.service"
}

certificate() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$FOLDER/key.pem" -out "$FOLDER/cert.pem" \
        2>/dev/null
}

# Starts the server with the options of the example, under the address of the proxy.
start_behind() {
    sed -e "s#https://example.org#https://localhost:$1#" -e "s#/var/lib/siskin#$FOLDER/state#" \
        "$EXAMPLES/siskin.toml" >"$FOLDER/siskin.toml"
    export SISKIN_CONFIG="$FOLDER/siskin.toml"
    rm -rf "$FOLDER/state"
    mkdir -p "$FOLDER/state"
    "$PROGRAMS/siskin" serve --bind "127.0.0.1:$2" --access-log >"$FOLDER/greeting" 2>"$FOLDER/log" &
    SERVER=$!
    for _ in $(seq 300); do
        ! grep -q 'answers on' "$FOLDER/greeting" || return 0
        kill -0 "$SERVER" 2>/dev/null || break
        sleep 0.1
    done
    cat "$FOLDER/log" >&2
    return 1
}

stop_server() {
    kill "$SERVER" && wait "$SERVER" || true
    SERVER=''
}

start_nginx() {
    local https=$1 http=$2 server=$3 user=''
    [ "$(id -u)" -ne 0 ] || user='user root;'
    mkdir -p "$FOLDER/nginx"
    sed -e "s#listen 80;#listen 127.0.0.1:$http;#" -e "s#listen 443 ssl#listen 127.0.0.1:$https ssl#" \
        -e '/listen \[::\]/d' -e 's#example\.org#localhost#' -e "s#127\.0\.0\.1:3000#127.0.0.1:$server#" \
        -e "s#/etc/letsencrypt/live/localhost/fullchain\.pem#$FOLDER/cert.pem#" \
        -e "s#/etc/letsencrypt/live/localhost/privkey\.pem#$FOLDER/key.pem#" \
        -e "s#/var/log/nginx#$FOLDER/nginx#" "$EXAMPLES/nginx.conf" >"$FOLDER/nginx/site.conf"
    cat >"$FOLDER/nginx/nginx.conf" <<END
$user
worker_processes 1;
daemon off;
pid $FOLDER/nginx/pid;
error_log $FOLDER/nginx/start.log;
events {}
http {
    client_body_temp_path $FOLDER/nginx/body;
    proxy_temp_path $FOLDER/nginx/proxy;
    fastcgi_temp_path $FOLDER/nginx/fastcgi;
    uwsgi_temp_path $FOLDER/nginx/uwsgi;
    scgi_temp_path $FOLDER/nginx/scgi;
    include $FOLDER/nginx/site.conf;
}
END
    nginx -p "$FOLDER/nginx" -c "$FOLDER/nginx/nginx.conf" >"$FOLDER/nginx/output" 2>&1 &
    PROXY=$!
}

start_caddy() {
    local https=$1 http=$2 server=$3
    mkdir -p "$FOLDER/caddy"
    {
        printf '{\n\tadmin off\n\thttp_port %s\n\thttps_port %s\n}\n' "$http" "$https"
        sed -e "s#^example\.org {#localhost {\n\tbind 127.0.0.1\n\ttls $FOLDER/cert.pem $FOLDER/key.pem#" \
            -e "s#127\.0\.0\.1:3000#127.0.0.1:$server#" -e "s#/var/log/caddy#$FOLDER/caddy#" \
            "$EXAMPLES/Caddyfile"
    } >"$FOLDER/caddy/Caddyfile"
    HOME="$FOLDER/caddy" XDG_DATA_HOME="$FOLDER/caddy" XDG_CONFIG_HOME="$FOLDER/caddy" \
        caddy run --config "$FOLDER/caddy/Caddyfile" --adapter caddyfile >"$FOLDER/caddy/output" 2>&1 &
    PROXY=$!
}

behind() {
    local proxy=$1 https http server token
    https=$(free_port) http=$(free_port) server=$(free_port)
    start_behind "$https" "$server"
    "start_$proxy" "$https" "$http" "$server"
    "$PROGRAMS/siskin" accounts create alice --email alice@example.com --role Owner >/dev/null
    token=$("$PROGRAMS/siskin" tokens create --account alice --scopes 'read write' |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
    python3 api-tests/clients/install.py "$https" "$http" "$FOLDER/cert.pem" "$token" "$FOLDER/log" \
        "$FOLDER/$proxy/siskin.log" | sed "s/^\(ok\|not ok\)  */&$proxy: /"
    stop_proxy
    if grep -rqF -- "$token" "$FOLDER/$proxy" "$FOLDER/log"; then
        echo "not ok  $proxy: the token is in a log"
    else
        echo "ok      $proxy: no log has the token"
    fi
    stop_server
}

on_engine() {
    FOLDER=$(mktemp -d)
    # The database of the example replaces the one that was created for this run.
    unset SISKIN_DATABASE_URL
    trap stop_all EXIT
    certificate
    unit_is_sound
    behind nginx
    behind caddy
}

main() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    # One engine is enough: the behaviour of proxies does not depend on it.
    { bash "$SELF" sqlite 2>&1 || echo 'not ok  the examples were tested'; } | count_checks
}

if [ $# -eq 0 ]; then main; else on_engine; fi

#!/usr/bin/env bash
# Drives toot, an independent client from PyPI, against a fresh server on each engine: sign-in by
# authorization code through the real pages, posts, replies, reblogs, favourites, follows,
# timelines, notifications, search. Ends with `N passed, N failed`.
#
# SISKIN_CLIENTS_DIR    directory for installed clients, reused by later runs
# SISKIN_REQUIRE_SERVICES=1    fails if PostgreSQL is missing, instead of skipping it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly VERSION=0.52.1
readonly SELF=api-tests/clients/toot.sh
readonly PROGRAMS="${CARGO_TARGET_DIR:-target}/debug"
readonly CLIENTS="${SISKIN_CLIENTS_DIR:-${TMPDIR:-/tmp}/siskin-clients-$(id -u)}"
readonly VENV="$CLIENTS/toot-$VERSION"

install_toot() {
    [ -e "$VENV/complete" ] && return
    rm -rf "$VENV"
    mkdir -p "$CLIENTS"
    python3 -m venv "$VENV"
    "$VENV/bin/pip" install --quiet --disable-pip-version-check "toot==$VERSION"
    touch "$VENV/complete"
}

# --- on one engine ---

. api-tests/clients/fresh_server.bash

# as NAME ARGUMENT…: runs toot with the settings of that person.
as() {
    local name=$1
    shift
    XDG_CONFIG_HOME="$FOLDER/$name" XDG_CACHE_HOME="$FOLDER/$name" PYTHONUNBUFFERED=1 \
        NO_PROXY='*' "$VENV/bin/toot" "$@" </dev/null
}

# check WHAT PATTERN COMMAND…: checks that the command succeeds and that its output matches.
check() {
    local what=$1 pattern=$2 output
    shift 2
    if output=$("$@" 2>&1) && grep -Eq -- "$pattern" <<<"$output"; then
        echo "ok      $ENGINE: $what"
    else
        printf 'not ok  %s: %s\n%s\n' "$ENGINE" "$what" "$output" | sed '2,$s/^/        /'
    fi
}

sign_in() {
    XDG_CONFIG_HOME="$FOLDER/$1" XDG_CACHE_HOME="$FOLDER/$1" PYTHONUNBUFFERED=1 \
        python3 api-tests/clients/sign_in.py "$BASE_URL" "$1@example.com" "password of $1" \
        "$VENV/bin/toot" login --instance "$BASE_URL"
}

# posted NAME ARGUMENT…: runs toot and prints the id of the status in its JSON output.
posted() {
    as "$@" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])'
}

checks() {
    local host=${BASE_URL#http://} name post reply
    for name in alice bob; do
        "$PROGRAMS/siskin" accounts create "$name" --email "$name@example.com" \
            --password "password of $name" >/dev/null
        check "$name signs in by authorization code" 'Successfully logged in' sign_in "$name"
        check "$name is known" "$BASE_URL/@$name" as "$name" whoami
    done
    check 'avatar' 'Account updated' as alice update_account --avatar crates/http/assets/avatar.png
    check 'instance' 'Siskin' as alice instance
    check 'follow' 'following bob' as alice follow bob
    check 'followed accounts' 'bob' as alice following alice

    post=$(posted bob post 'Hello from a terminal #siskins' || echo 0)
    check 'post' 'Hello from a terminal' as bob status "$post"
    reply=$(posted alice post --reply-to "$post" '@bob good morning' || echo 0)
    check 'reply' 'good morning' as bob status "$reply"
    check 'thread' 'good morning' as bob thread "$post"
    check 'favourite' 'favourited' as alice favourite "$post"
    check 'boost' 'reblogged' as alice reblog "$post"
    check 'who boosted' 'alice' as bob reblogged-by "$post"
    check 'bookmark' 'bookmarked' as alice bookmark "$post"

    check 'home timeline' 'Hello from a terminal' as alice timelines home
    check 'public timeline' 'Hello from a terminal' as alice timelines public --local
    check 'hashtag timeline' 'Hello from a terminal' as alice timelines tag siskins
    check 'account timeline' 'Hello from a terminal' as alice timelines account bob
    check 'notifications: mention' 'good morning' as bob notifications
    check 'notifications: favourite' 'alice favourited' as bob notifications
    check 'notifications: boost' 'alice boosted' as bob notifications
    check 'notifications: follow' 'alice now follows' as bob notifications
    check 'search by handle' '@bob' as alice search "bob@$host" --type accounts
    check 'account' 'bob' as alice whois bob

    check 'unfavourite' 'unfavourited' as alice unfavourite "$post"
    check 'unboost' 'unreblogged' as alice unreblog "$post"
    check 'unfollow' 'not following|unfollowed|no longer' as alice unfollow bob
    check 'delete' 'deleted' as bob delete "$post"
    check 'no fault in the log' '^none$' faults
}

on_engine() {
    readonly ENGINE=$1
    FOLDER=$(mktemp -d)
    trap clean_up EXIT
    export SISKIN_MEDIA_DIR="$FOLDER/media"
    start_server
    checks
}

# --- on both ---

both_engines() {
    # Builds the whole workspace, so that the dependencies are those that the tests have built.
    cargo build --quiet --workspace --bin siskin --bin with-database
    install_toot
    on_each_engine sqlite postgres | count_checks
}

if [ $# -eq 0 ]; then both_engines; else on_engine "$1"; fi

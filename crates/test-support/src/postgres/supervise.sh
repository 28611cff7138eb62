# Runs a temporary PostgreSQL server as long as clients are connected to it. Arguments: the folder
# of PostgreSQL's programs; the seconds to wait for the next client; the parent folder of the
# server's folder. Prints the folder with the server's socket when the server accepts connections.
set -eu
programs=$1
patience=$2
parent=$3
umask 077
server=
folder=$(mktemp -d "$parent/siskin-pg-XXXXXX")
clean_up() {
    if [ -n "$server" ]; then
        kill -INT "$server" 2>/dev/null || true
        wait "$server" || true
    fi
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
cd "$folder"

complain() {
    cat log >&2
    exit 1
}
ask() {
    "$programs/psql" -X -h "$folder" -p 5432 -U siskin -d template1 -Atqc "$1" 2>>log
}

"$programs/initdb" -D data -U siskin --auth=trust --no-sync \
    --encoding=UTF8 --locale=C --lc-ctype=C.UTF-8 >log 2>&1 || complain
# The data does not need to survive a crash, so nothing is flushed to disk.
"$programs/postgres" -D data -k "$folder" -p 5432 -c listen_addresses= -c max_connections=300 \
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
    -c wal_level=minimal -c max_wal_senders=0 -c min_wal_size=32MB -c max_wal_size=64MB \
    -c autovacuum=off >>log 2>&1 </dev/null &
server=$!
until ask 'SELECT 1' >/dev/null; do
    kill -0 "$server" 2>/dev/null || complain
    sleep 0.1
done
echo "$folder"
# The caller waits for the end of this output.
exec >/dev/null 2>&1

others="SELECT count(*) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
idle=0
while kill -0 "$server"; do
    sleep 1
    if [ "$(ask "$others" || echo unknown)" != 0 ]; then
        idle=0
        continue
    fi
    idle=$((idle + 1))
    [ "$idle" -ge "$patience" ] || continue
    # Refuse new connections, then check again, because a client may have connected just before.
    ask 'ALTER DATABASE postgres ALLOW_CONNECTIONS false'
    sleep 1
    [ "$(ask "$others" || echo unknown)" != 0 ] || break
    ask 'ALTER DATABASE postgres ALLOW_CONNECTIONS true'
    idle=0
done

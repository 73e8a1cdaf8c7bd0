#!/usr/bin/env bash
# A Postgres for one run of the tests: its own folder, loopback only, a free port, never root. Prints its address, then
# does what stdin says, `stop` or `start`, and prints that word when it is done, until stdin ends. Ends with 3 where there
# is no Postgres on this machine. `--installed` in place of the port asks only that. A folder as second argument, with
# server.crt and server.key, makes it accept TLS only.
set -euo pipefail
port="$1"
tls="${2:-}"
binaries=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
if [ -z "$binaries" ]; then
  initdb=$(command -v initdb || true)
  [ -n "$initdb" ] || { echo "no Postgres here: apt-get install postgresql" >&2; exit 3; }
  binaries=$(dirname "$initdb")
fi
[ "$port" != --installed ] || exit 0
folder=$(mktemp -d "${TMPDIR:-/tmp}/freshcontext-postgres.XXXXXX")
as=()
if [ "$(id -u)" = 0 ]; then
  # Postgres refuses to run as root; its package made a user for it.
  chown postgres "$folder"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
run() { (cd "$folder" && "${as[@]}" "$binaries/$@"); }
start() {
  run pg_ctl --pgdata="$folder/data" --log="$folder/log" --wait --silent \
    --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off" \
    start >/dev/null || { cat "$folder/log" >&2; exit 1; }
}
stop() { run pg_ctl --pgdata="$folder/data" --mode="$1" --wait --silent stop >/dev/null 2>&1; }
finish() {
  stop immediate || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM
run initdb --pgdata="$folder/data" --username=freshcontext --auth=trust --no-sync --encoding=UTF8 --locale=C >/dev/null
if [ -n "$tls" ]; then
  install -m 600 "$tls/server.crt" "$tls/server.key" "$folder/data/"
  [ "$(id -u)" != 0 ] || chown postgres "$folder/data/server.crt" "$folder/data/server.key"
  echo "ssl = on" >>"$folder/data/postgresql.conf"
  echo "hostssl all all 127.0.0.1/32 trust" >"$folder/data/pg_hba.conf"
fi
start
echo "postgres://freshcontext@127.0.0.1:$port/postgres"
while read -r word; do
  case "$word" in
    # Those who are connected are cut off, as when somebody restarts the server.
    stop) stop fast ;;
    start) start ;;
    *) exit 2 ;;
  esac
  echo "$word"
done

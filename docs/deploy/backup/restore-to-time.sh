#!/bin/sh
# Makes a data directory from the newest base backup before a time and the WAL since then, starts PostgreSQL on it, and waits until
# it accepts writes. Run it as the account of PostgreSQL.
# Variables: BACKUPS, DATA (a directory that does not exist yet), TIME, OWNER_URL of the restored server (docs/operate/backup.md, "Restore to
# a time").
set -eu
. "$(dirname "$0")/connection.sh"
: "${BACKUPS:?}" "${DATA:?}" "${TIME:?}" "${OWNER_URL:?}"
time=$(date -u -d "$TIME" +%Y-%m-%dT%H:%M:%SZ)
base=$(ls -1 "$BACKUPS/base" | grep 'Z$' | sort | awk -v time="$time" '$0 < time' | tail -n 1)
[ -n "$base" ] || { echo "No base backup is older than $TIME" >&2; exit 1; }
echo "From $BACKUPS/base/$base to $TIME"

mkdir -m 700 "$DATA"
tar -xzf "$BACKUPS/base/$base/base.tar.gz" -C "$DATA"
tar -xzf "$BACKUPS/base/$base/pg_wal.tar.gz" -C "$DATA/pg_wal"
cat >> "$DATA/postgresql.auto.conf" << END
archive_mode = off
restore_command = 'cp "$BACKUPS/wal/%f" "%p"'
recovery_target_time = '$(date -u -d "$TIME" '+%Y-%m-%d %H:%M:%S.%6N')+00'
recovery_target_action = promote
END
touch "$DATA/recovery.signal"
pg_ctl -D "$DATA" -l "$DATA/restore.log" -w -t 86400 start > /dev/null
until [ "$(connected "$OWNER_URL" psql -AtXc "SELECT pg_is_in_recovery()" 2> "$DATA/restore.psql")" = f ]; do
  pg_ctl -D "$DATA" status > /dev/null || { tail -n 5 "$DATA/restore.log" >&2; exit 1; }
  sleep 1
done
rm "$DATA/restore.psql"
echo "PostgreSQL runs on $DATA as it was at $TIME"

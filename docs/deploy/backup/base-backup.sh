#!/bin/sh
# Copies the files of the PostgreSQL server into $BACKUPS/base/<time>, and deletes the WAL segments in $BACKUPS/wal that no remaining
# copy needs. Run it every week. The folder gets its name when the copy is complete: a run that fails leaves the former ones as they
# are, and exits above 0.
# Variables: BACKUPS, REPLICATION_URL (docs/operate/backup.md); KEEP_BASES, how many copies remain.
set -eu
. "$(dirname "$0")/connection.sh"
: "${BACKUPS:?}" "${REPLICATION_URL:?}"
keep=${KEEP_BASES:-2}
umask 077
mkdir -p "$BACKUPS/base"
new=$(mktemp -d "$BACKUPS/base/new.XXXXXX")
trap 'rm -rf "$new"' EXIT

connected "$REPLICATION_URL" pg_basebackup --pgdata="$new" --format=tar --gzip --checkpoint=fast
# The first segment that a restore of this copy reads.
tar -xzOf "$new/base.tar.gz" --occurrence=1 backup_label | sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' > "$new/first-segment"
[ -s "$new/first-segment" ] || { echo "The copy names no first WAL segment" >&2; exit 1; }
time=$(date -u +%Y-%m-%dT%H:%M:%SZ)
mv -T "$new" "$BACKUPS/base/$time"

copies=$(ls -1 "$BACKUPS/base" | grep 'Z$' | sort -r)
echo "$copies" | tail -n "+$((keep + 1))" | while read -r old; do rm -rf "$BACKUPS/base/$old"; done
oldest=$(echo "$copies" | head -n "$keep" | tail -n 1)
pg_archivecleanup --clean-backup-history "$BACKUPS/wal" "$(cat "$BACKUPS/base/$oldest/first-segment")"
echo "$BACKUPS/base/$time"

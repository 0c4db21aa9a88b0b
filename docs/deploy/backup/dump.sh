#!/bin/sh
# Dumps the database, then copies the images, into $BACKUPS/dumps/<time>, such as dumps/2026-11-22T04:00:00Z. Run it every night.
# The folder gets its name when all of it is complete: a run that fails leaves the former dumps as they are, and exits above 0.
# Variables: BACKUPS, OWNER_URL (docs/operate/backup.md); STORAGE_DIR, unless the images are in S3; KEEP_DUMPS, how many remain.
set -eu
. "$(dirname "$0")/connection.sh"
: "${BACKUPS:?}" "${OWNER_URL:?}"
keep=${KEEP_DUMPS:-14}
umask 077
mkdir -p "$BACKUPS/dumps"
new=$(mktemp -d "$BACKUPS/dumps/new.XXXXXX")
trap 'rm -rf "$new"' EXIT

connected "$OWNER_URL" pg_dump --format=custom --file="$new/service.dump"
time=$(date -u +%Y-%m-%dT%H:%M:%SZ)
if [ -n "${STORAGE_DIR:-}" ]; then
  # A volume that is not mounted is an empty folder.
  [ -n "$(ls -A "$STORAGE_DIR")" ] || { echo "$STORAGE_DIR is empty: is it mounted?" >&2; exit 1; }
  cp -a "$STORAGE_DIR" "$new/files"
  sync -f "$new"
fi
mv -T "$new" "$BACKUPS/dumps/$time"

ls -1 "$BACKUPS/dumps" | grep 'Z$' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
  rm -rf "$BACKUPS/dumps/$old"
done
echo "$BACKUPS/dumps/$time"

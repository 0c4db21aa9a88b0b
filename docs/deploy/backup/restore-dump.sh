#!/bin/sh
# Restores a dump into a new database, and its images into STORAGE_DIR: restore-dump.sh <folder of the dump>
# Variables: ADMIN_URL, OWNER_URL, RESTORED_NAME (docs/operate/backup.md, "Restore a dump"); STORAGE_DIR, an empty folder, unless the images are
# in S3. It overwrites nothing; if it fails, it deletes the database that it made.
set -eu
. "$(dirname "$0")/connection.sh"
dump=${1:?the folder of the dump}
: "${ADMIN_URL:?}" "${OWNER_URL:?}" "${RESTORED_NAME:?}"
owner=$(echo "$OWNER_URL" | sed -E 's|^[a-z]+://([^:@/]+).*$|\1|')
# The owner's URL with the other name, and with what follows the name.
restored=$(echo "$OWNER_URL" | sed -E "s|^([a-z]+://[^/?]+)(/[^?]*)?|\1/$RESTORED_NAME|")
[ -s "$dump/service.dump" ] || { echo "$dump has no service.dump" >&2; exit 1; }
if [ -n "${STORAGE_DIR:-}" ]; then
  [ -d "$dump/files" ] || { echo "$dump has no images" >&2; exit 1; }
  mkdir -p "$STORAGE_DIR"
  [ -z "$(ls -A "$STORAGE_DIR")" ] || { echo "$STORAGE_DIR is not empty" >&2; exit 1; }
fi

admin() { echo "$1" | connected "$ADMIN_URL" psql -qX -v ON_ERROR_STOP=1 -v name="$RESTORED_NAME" -v owner="$owner"; }
admin 'CREATE DATABASE :"name" OWNER :"owner"'
trap 'admin "DROP DATABASE :\"name\""' EXIT
connected "$restored" pg_restore --no-owner --exit-on-error --single-transaction "$dump/service.dump"
connected "$restored" psql -qX -v ON_ERROR_STOP=1 -c ANALYZE
[ -z "${STORAGE_DIR:-}" ] || cp -a "$dump/files/." "$STORAGE_DIR"
trap - EXIT
echo "$dump is restored into the database $RESTORED_NAME of $owner"

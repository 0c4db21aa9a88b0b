#!/bin/sh
# Says what is wrong with the backups, one line each, and then exits with 1. Run it every hour, and have the scheduler report a failure.
# Arguments: what there is to check, `dumps`, `base`, or both. Variables: BACKUPS; MAX_DUMP_HOURS, MAX_BASE_HOURS, the age of the newest one;
# OWNER_URL, to ask PostgreSQL about its archiving, with `base`; METRICS_FILE, a file for the textfile collector of Prometheus' node_exporter
# (its name ends with .prom), which alerts.yaml beside this script watches.
set -eu
. "$(dirname "$0")/connection.sh"
: "${BACKUPS:?}"
[ $# -gt 0 ] || set -- dumps base
metrics= problems=0
problem() { echo "$1"; problems=1; }
metric() { metrics="$metrics$1
"; }

for kind in "$@"; do
  case $kind in
    dumps) hours=${MAX_DUMP_HOURS:-26} ;;
    base) hours=${MAX_BASE_HOURS:-192} ;;
    *) echo "Not to be checked: $kind" >&2; exit 2 ;;
  esac
  newest=$(ls -1 "$BACKUPS/$kind" 2> /dev/null | grep 'Z$' | sort | tail -n 1 || true)
  time=0
  [ -z "$newest" ] || time=$(date -u -d "$newest" +%s)
  age=$((($(date -u +%s) - time) / 3600))
  if [ -z "$newest" ]; then problem "$BACKUPS/$kind has no backup"
  elif [ "$age" -ge "$hours" ]; then problem "$BACKUPS/$kind/$newest is the newest and $age hours old; the limit is $hours"; fi
  metric "backup_newest_seconds{kind=\"$kind\"} $time"
  metric "backup_max_age_seconds{kind=\"$kind\"} $((hours * 3600))"

  [ "$kind" = base ] || continue
  state=$(connected "${OWNER_URL:?}" psql --no-psqlrc -AtX -v ON_ERROR_STOP=1 -c "SELECT CASE
    WHEN current_setting('archive_mode') = 'off' THEN 'archive_mode is off'
    WHEN last_failed_time > coalesce(last_archived_time, '-infinity') THEN 'archive_command failed last at ' || last_failed_time || ', for ' || last_failed_wal
    ELSE 'ok' END FROM pg_stat_archiver" 2>&1) || state="PostgreSQL cannot be asked: $state"
  [ "$state" = ok ] || problem "$state"
  metric "backup_archiving $([ "$state" = ok ] && echo 1 || echo 0)"
done

if [ -n "${METRICS_FILE:-}" ]; then
  metric "backup_checked_seconds $(date -u +%s)"
  printf %s "$metrics" > "$METRICS_FILE.new"
  chmod 644 "$METRICS_FILE.new"
  mv "$METRICS_FILE.new" "$METRICS_FILE"
fi
exit "$problems"

#!/bin/sh
# Creates the role of the running service, which owns nothing, in the PostgreSQL of compose.yaml (docs/operate/deploy.md, "Database roles").
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" -qX -v ON_ERROR_STOP=1 -v password="$(cat /run/secrets/api_password)" << 'END'
CREATE ROLE service_api LOGIN PASSWORD :'password';
END

#!/bin/sh
# Creates the role of the running service, which owns nothing, in the PostgreSQL of compose.yaml (docs/operate/deploy.md, "Database roles").
set -eu
# Not as an argument, which every account of the machine can read.
API_PASSWORD=$(cat /run/secrets/api_password)
export API_PASSWORD
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" -qX -v ON_ERROR_STOP=1 << 'END'
\getenv password API_PASSWORD
CREATE ROLE service_api LOGIN PASSWORD :'password';
END

#!/bin/sh
# Runs once, when the primary's data are created. It allows replication and makes commits wait for the standby. The
# setting takes effect at the start after this script: the commands that create the database would wait for a standby
# that does not exist yet.
set -eu
echo "host replication all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_USER" --command "alter system set synchronous_standby_names = 'standby'"

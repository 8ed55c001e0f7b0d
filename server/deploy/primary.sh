#!/bin/sh
# Runs once, when the primary is made: lets the standby replicate, and has commits wait for it. The setting holds from the start after
# this script, since the commands that make the database would wait for a standby that there is none of yet.
set -eu
echo "host replication all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_USER" --command "alter system set synchronous_standby_names = 'standby'"

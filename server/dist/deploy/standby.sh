#!/bin/bash
# Runs a standby of the primary. Its application_name is the name in the primary's synchronous_standby_names. Its
# initial data are a copy of the primary's.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	part="$PGDATA.part"
	rm -rf "$part"
	PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --pgdata "$part" --write-recovery-conf --wal-method stream --checkpoint fast \
		--dbname "host=postgres user=$POSTGRES_USER application_name=standby"
	rm -rf "$PGDATA"
	mv "$part" "$PGDATA"
fi
exec postgres

#!/bin/bash
# Runs a standby that follows the primary under the name by which the primary waits for it. Its data begin as a copy of the primary's.
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

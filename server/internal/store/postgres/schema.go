package postgres

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
)

// migrations creates the tables, version by version. Existing entries must never be changed. $cluster is a new id,
// $secret a new secret.
//
//	clave_lease    who leads, and the fence; the only row has id 1
//	clave_log      a row for each group of batches, in order, with the leader's time in microseconds; row 0 begins it
//	clave_state    keys and values as of clave_applied.seq, without derived ones
//	clave_node     each node's last report, the address at which others reach it, and the position of its replica
//	clave_shipped  how far the log was shipped to the place of the backups, and the segment that is being written there;
//	               the only row has id 1
//	clave_secret   the secret by which nodes authenticate each other; the only row has id 1
var migrations = [][]string{{
	`create table clave_lease (id int primary key, cluster text not null, epoch bigint not null, node text not null, address text not null,
		until timestamptz not null, versions_until bigint not null)`,
	`create table clave_log (seq bigint primary key, epoch bigint not null, id bytea not null, body bytea not null)`,
	`create table clave_state (key bytea primary key, value bytea not null)`,
	`create table clave_applied (id int primary key, seq bigint not null)`,
	`create table clave_node (node text primary key, address text not null, role text not null, seq bigint not null, seen timestamptz not null)`,
	`insert into clave_lease values (1, '$cluster', 0, '', '', clock_timestamp() - interval '1 second', 0)`,
	`insert into clave_log values (0, 0, '', '')`,
	`insert into clave_applied values (1, 0)`,
}, {
	`alter table clave_node add column inner_address text not null default ''`,
	`create table clave_secret (id int primary key, secret text not null)`,
	`insert into clave_secret values (1, '$secret')`,
}, {
	`alter table clave_log add column at bigint not null default 0`,
	`create table clave_shipped (id int primary key, position bytea not null, segment bytea not null)`,
	`insert into clave_shipped values (1, '', '')`,
}}

// migrate migrates the tables to this program's version. If several nodes start together, one of them does it.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	for range 20 { // another node may migrate between any two statements
		version, err := schemaVersion(ctx, pool)
		switch {
		case err != nil:
			return err
		case version > len(migrations):
			return fault.E(fault.FailedPrecondition, "--store: the tables are of a newer clave (version %d, this one supports up to %d). Use that one.", version, len(migrations))
		case version == len(migrations):
			return nil
		}
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return step(ctx, tx, version) })
		if err != nil && !isCode(err, uniqueViolation) && !isCode(err, duplicateTable) {
			return err
		}
	}
	return fault.E(fault.Aborted, "--store: the tables are being created by another node; try again")
}

// The codes of PostgreSQL's errors that are distinguished.
const (
	uniqueViolation = "23505"
	duplicateTable  = "42P07"
	undefinedTable  = "42P01"
	readOnly        = "25006"
	// insufficientPrivilege is the code for a missing right.
	insufficientPrivilege = "42501"
)

// The remedies for a user without rights, and for a server that does not write.
const (
	textRights   = "Grant the user %q the rights to create tables in the schema, and to read and write the tables clave_…, or make the user their owner."
	textReadOnly = "No server that --store names accepts writes: it is a standby, or default_transaction_read_only is on. Name the primary, or all servers as host1:5432,host2:5432."
)

// permitted returns an error if the user may not read and write all tables.
func permitted(ctx context.Context, pool *pgxpool.Pool) error {
	var refused string
	err := pool.QueryRow(ctx, `select coalesce(string_agg(t, ', ' order by t), '')
		from unnest(array['clave_applied', 'clave_lease', 'clave_log', 'clave_node', 'clave_secret', 'clave_shipped', 'clave_state']) t
		where not (has_table_privilege(t, 'select') and has_table_privilege(t, 'insert') and has_table_privilege(t, 'update') and has_table_privilege(t, 'delete'))`).
		Scan(&refused)
	if err != nil || refused == "" {
		return err
	}
	return fault.E(fault.FailedPrecondition, "--store: PostgreSQL: permission denied for %s. "+textRights, refused, pool.Config().ConnConfig.User)
}

// isCode reports whether an error is PostgreSQL's with a code.
func isCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// schemaVersion returns the number of migrations that were made.
func schemaVersion(ctx context.Context, pool *pgxpool.Pool) (version int, err error) {
	err = pool.QueryRow(ctx, "select coalesce(max(version), 0) from clave_schema").Scan(&version)
	if isCode(err, undefinedTable) {
		return 0, nil
	}
	return version, err
}

// step makes the migration after a version. It inserts the row of the version first, at which concurrent migrations
// fail.
func step(ctx context.Context, tx pgx.Tx, version int) error {
	if version == 0 {
		if _, err := tx.Exec(ctx, "create table clave_schema (version int primary key)"); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "insert into clave_schema values ($1)", version+1); err != nil {
		return err
	}
	for _, statement := range migrations[version] {
		if _, err := tx.Exec(ctx, replaceNew(statement)); err != nil {
			return err
		}
	}
	return nil
}

// newID returns 16 random bytes.
func newID() []byte { return randid.Bytes(16) }

// hexID returns a new id in hexadecimal digits.
func hexID() string { return hex.EncodeToString(newID()) }

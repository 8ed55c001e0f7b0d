package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// How an empty database is filled. Fill takes the lease without an end and with a name that begins with filling, so
// that no node leads and nodes that start report the reason. Then one transaction writes the state, verifies it and
// releases the lease. A killed process leaves an empty database and the lease, which the next Fill takes over. The log
// continues at a row from which no replica of the empty database can continue.

// filling is the prefix of the lease's owner while a database is being filled.
const filling = "clave move "

// filledSeq is the row at which the log of a filled database begins. A replica of the empty database is at row 0 and
// finds a gap.
const filledSeq = 2

// waitForLocks bounds the time for which a transaction waits for a locked row. The transaction of a killed process ends
// soon.
const waitForLocks = "set local lock_timeout = '5s'"

// unlimited lets the statements of a transaction take as long as they need: databases and users may have a limit that
// is meant for short ones.
const unlimited = "set local statement_timeout = 0"

// lockNotAvailable is PostgreSQL's code for the end of that time.
const lockNotAvailable = "55P03"

// Fill fills an empty database on which no node runs. next returns the next key with its value, and a nil key at the
// end. verify receives a function that reads the state back, in the order of keys; if it fails, the state is rolled
// back. from names the source of the data in errors. After a failure no node starts on the database until a Fill has
// succeeded or its tables are dropped.
func Fill(ctx context.Context, o Options, from string, next func() (key, value []byte, err error), verify func(Read) error) error {
	o.EnsureDefaults()
	pool, err := connect(ctx, o.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	s := &Store{o: o, pool: pool}
	if err := migrate(ctx, pool); err != nil {
		return s.failed("make the tables", err)
	}
	if err := s.beginFill(ctx, from); err != nil {
		return s.failed("take the lease", err)
	}
	// One transaction holds the row of the lease, copies the state, begins the log and reads the state back. So no node
	// takes the lease or reads a part of the state, and a failed check leaves no data.
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, waitForLocks); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, unlimited); err != nil {
			return err
		}
		var epoch int64
		err := tx.QueryRow(ctx, "select epoch from clave_lease where id = 1 and starts_with(node, $1) for update", filling).Scan(&epoch)
		if isCode(err, lockNotAvailable) {
			return fault.E(fault.FailedPrecondition, "another clave move is writing to this database")
		}
		if err != nil {
			return err
		}
		if err := copyState(ctx, tx, next); err != nil {
			return err
		}
		if err := s.beginLog(ctx, tx, epoch); err != nil {
			return err
		}
		return verify(func(yield func(key, value []byte) error) error { return readKeys(ctx, tx, yield) })
	})
	if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) {
		return s.failed("write the state", err)
	}
	return err
}

// Read calls yield with each key and value of a state, in the order of keys.
type Read func(yield func(key, value []byte) error) error

// beginFill takes the lease of an empty database.
func (s *Store) beginFill(ctx context.Context, from string) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, waitForLocks); err != nil {
			return err
		}
		var leader string
		var held, used bool
		err := tx.QueryRow(ctx, `select node, until >= clock_timestamp(), (select max(seq) from clave_log) > 0 or exists (select 1 from clave_state)
			from clave_lease where id = 1 for update`).Scan(&leader, &held, &used)
		switch {
		case isCode(err, lockNotAvailable):
			return fault.E(fault.FailedPrecondition, "another clave move, or a node, is writing to this database")
		case err != nil:
			return err
		case used:
			return fault.E(fault.FailedPrecondition, "the database in PostgreSQL is not empty. Name an empty one, or drop the tables clave_… in it.")
		case held && !strings.HasPrefix(leader, filling):
			return fault.E(fault.FailedPrecondition, "the node %s is serving this database. Stop it first.", leader)
		}
		_, err = tx.Exec(ctx, "update clave_lease set epoch = epoch + 1, node = $1, address = '', until = 'infinity' where id = 1", filling+"from "+from)
		return err
	})
}

// copyState writes all keys into the state.
func copyState(ctx context.Context, tx pgx.Tx, next func() (key, value []byte, err error)) error {
	var broken error
	rows := pgx.CopyFromFunc(func() ([]any, error) {
		var key, value []byte
		if key, value, broken = next(); broken != nil || key == nil {
			return nil, broken
		}
		if value == nil {
			value = []byte{} // nil would be null
		}
		return []any{key, value}, nil
	})
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"clave_state"}, []string{"key", "value"}, rows)
	if broken != nil { // of which PostgreSQL returns the text
		return broken
	}
	return err
}

// beginLog makes the log begin after the state, and releases the lease.
func (s *Store) beginLog(ctx context.Context, tx pgx.Tx, epoch int64) error {
	if _, err := tx.Exec(ctx, "delete from clave_log"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "insert into clave_log (seq, epoch, id, body) values ($1, $2, $3, '')", filledSeq, epoch, newID()); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "update clave_applied set seq = $1 where id = 1", filledSeq); err != nil {
		return err
	}
	// Versions of the data may be up to this machine's time.
	_, err := tx.Exec(ctx, `update clave_lease set node = '', until = clock_timestamp() - interval '1 second', versions_until = greatest(versions_until, $1) where id = 1`,
		int64(clock.VersionOf(s.o.Clock.Now())))
	return err
}

// readKeys reads the state in the order of keys.
func readKeys(ctx context.Context, tx pgx.Tx, yield func(key, value []byte) error) error {
	rows, err := tx.Query(ctx, "select key, value from clave_state order by key")
	if err != nil {
		return err
	}
	var key, value []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error { return yield(key, value) })
	return err
}

// unfilled returns an error if a database is being filled, or if that was interrupted.
func unfilled(ctx context.Context, pool *pgxpool.Pool) error {
	var by string
	if err := pool.QueryRow(ctx, "select case when until >= clock_timestamp() then node else '' end from clave_lease where id = 1").Scan(&by); err != nil {
		return err
	}
	if from, is := strings.CutPrefix(by, filling); is {
		return fault.E(fault.FailedPrecondition,
			"--store: clave move %s is running or was interrupted, and the database is still empty. Wait for its end, run it again, or drop the tables clave_… to begin with an empty database.", from)
	}
	return nil
}

// ReadState reads the state of a leading store without writers, after the whole log is in it.
func (s *Store) ReadState(ctx context.Context, yield func(key, value []byte) error) error {
	for s.lead.behind.Load() < s.lead.seq.Load() {
		if err := errors.Join(s.lead.held(), clock.Sleep(ctx, clock.System(), readPause)); err != nil {
			return err
		}
	}
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, unlimited); err != nil {
			return err
		}
		return readKeys(ctx, tx, yield)
	})
	if err != nil {
		return s.failed("read the state", err)
	}
	return s.lead.held()
}

// readPause is the interval at which ReadState checks whether the state is complete.
const readPause = 50 * time.Millisecond

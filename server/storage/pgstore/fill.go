package pgstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/clock"
	"clave/server/fault"
)

// How an empty database is filled. The lease is taken by a name with filling before it and without an end, so that no node leads, and
// those that start say why. Then one transaction writes the state, has it verified and gives the lease up: a process that is
// killed leaves an empty database and the lease, which the next Fill takes over. The log goes on at a row that no replica of the empty
// database continues from.

// filling begins the name of who has the lease while a database is filled.
const filling = "clave move "

// filledSeq is the row at which the log of a filled database begins. A replica of the empty database is at row 0 and finds a gap.
const filledSeq = 2

// waitForLocks bounds how long a transaction waits for a row that another has locked. The transaction of a process that was killed ends soon.
const waitForLocks = "set local lock_timeout = '5s'"

// lockNotAvailable is the code of PostgreSQL's error when that time is over.
const lockNotAvailable = "55P03"

// Fill fills an empty database on which no node runs: next returns one key with its value after the other, and a nil key at the end. verify is
// called with a function that reads the state back, in the order of keys, and nothing of the state remains where it fails. from says in errors where the
// data are from. After a failure no node starts on the database before a Fill has succeeded, or its tables are dropped.
func Fill(ctx context.Context, o Options, from string, next func() (key, value []byte, err error), verify func(Read) error) error {
	o.EnsureDefaults()
	pool, err := connect(ctx, o.URL)
	if err != nil {
		return err
	}
	defer pool.Close()
	s := &Store{o: o, pool: pool}
	if err := migrate(ctx, pool); err != nil {
		return s.said("make the tables", err)
	}
	if err := s.beginFill(ctx, from); err != nil {
		return s.said("take the lease", err)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, waitForLocks); err != nil {
			return err
		}
		var epoch int64
		err := tx.QueryRow(ctx, "select epoch from clave_lease where id = 1 and starts_with(node, $1) for update", filling).Scan(&epoch)
		if isCode(err, lockNotAvailable) {
			return fault.E(fault.FailedPrecondition, "another clave move writes this database")
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
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) {
		return s.said("write the state", err)
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
			return fault.E(fault.FailedPrecondition, "another clave move, or a node, writes this database")
		case err != nil:
			return err
		case used:
			return fault.E(fault.FailedPrecondition, "the database in PostgreSQL is not empty. Name an empty one, or drop the tables clave_… in it.")
		case held && !strings.HasPrefix(leader, filling):
			return fault.E(fault.FailedPrecondition, "the node %s serves this database. Stop it first.", leader)
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

// beginLog has the log begin behind the state, and gives the lease up.
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
	// Versions of the data may be as late as this machine's clock.
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

// unfilled refuses a database that is being filled, or whose filling was interrupted.
func unfilled(ctx context.Context, pool *pgxpool.Pool) error {
	var by string
	if err := pool.QueryRow(ctx, "select case when until >= clock_timestamp() then node else '' end from clave_lease where id = 1").Scan(&by); err != nil {
		return err
	}
	if from, is := strings.CutPrefix(by, filling); is {
		return fault.E(fault.FailedPrecondition,
			"--store: clave move %s is under way or was interrupted, and nothing is in the database yet. Wait for its end, run it again, or drop the tables clave_… to begin with nothing.", from)
	}
	return nil
}

// ReadState reads the state of a store that leads and that nobody writes, once all of the log is in it.
func (s *Store) ReadState(ctx context.Context, yield func(key, value []byte) error) error {
	for s.lead.behind.Load() < s.lead.seq.Load() {
		if err := errors.Join(s.lead.held(), clock.Sleep(ctx, clock.System(), readPause)); err != nil {
			return err
		}
	}
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return readKeys(ctx, tx, yield)
	})
	if err != nil {
		return s.said("read the state", err)
	}
	return s.lead.held()
}

// readPause is how often ReadState looks whether the state is complete.
const readPause = 50 * time.Millisecond

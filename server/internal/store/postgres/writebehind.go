package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/clock"
	"clave/server/internal/store"
)

// How the state is written behind the log. At intervals the leader reads the rows of the log after clave_applied.seq,
// reduces them to the last change of each key (changes), and writes these and the new position in one transaction. The
// state is therefore always that of one row, and a new replica continues with the row after it (replica.go). Rows are
// deleted only when the state has included them for some time (trim), so that a node that follows the log finds them.

// behindPause is the interval of write-behind, and behindBytes the approximate size of one of its transactions.
const (
	behindPause = time.Second
	behindBytes = 8 << 20
)

// behindTimeout is the time limit of one of its transactions, and of the deletion of old rows. If the connection breaks
// within a transaction, PostgreSQL ends it soon after that (abandoned), so that it does not keep the lock from the next
// one.
const (
	behindTimeout = time.Minute
	abandoned     = "set local idle_in_transaction_session_timeout = '30s'"
)

// changes holds the changes of rows of the log to the state: first ranges are deleted, then keys are set and deleted.
type changes struct {
	derived func(key []byte) bool
	ranges  []store.Op
	sets    map[string][]byte
	deletes map[string]struct{}
	size    int
}

// newChanges returns changes that omit derived keys.
func newChanges(derived func(key []byte) bool) *changes {
	return &changes{derived: derived, sets: make(map[string][]byte), deletes: make(map[string]struct{})}
}

// add adds an operation.
func (c *changes) add(op store.Op) {
	if c.derived(op.Key) {
		return // A range that begins among derived keys ends among them.
	}
	c.size += len(op.Key) + len(op.Value)
	key := string(op.Key)
	switch op.Kind {
	case store.Set:
		delete(c.deletes, key)
		c.sets[key] = op.Value
	case store.Delete:
		delete(c.sets, key)
		c.deletes[key] = struct{}{}
	case store.DeleteRange:
		for set := range c.sets {
			if set >= key && set < string(op.Value) {
				delete(c.sets, set)
			}
		}
		c.ranges = append(c.ranges, op)
	}
}

// write writes the changes into clave_state.
func (c *changes) write(ctx context.Context, tx pgx.Tx) error {
	for _, r := range c.ranges {
		if _, err := tx.Exec(ctx, "delete from clave_state where key >= $1 and key < $2", r.Key, r.Value); err != nil {
			return err
		}
	}
	if len(c.deletes) > 0 {
		keys := make([][]byte, 0, len(c.deletes))
		for key := range c.deletes {
			keys = append(keys, []byte(key))
		}
		if _, err := tx.Exec(ctx, "delete from clave_state where key = any($1)", keys); err != nil {
			return err
		}
	}
	if len(c.sets) == 0 {
		return nil
	}
	keys, values := make([][]byte, 0, len(c.sets)), make([][]byte, 0, len(c.sets))
	for key, value := range c.sets {
		if value == nil {
			value = []byte{} // nil would be null
		}
		keys, values = append(keys, []byte(key)), append(values, value)
	}
	_, err := tx.Exec(ctx, `insert into clave_state (key, value) select * from unnest($1::bytea[], $2::bytea[])
		on conflict (key) do update set value = excluded.value`, keys, values)
	return err
}

// written records the time at which the state included a row.
type written struct {
	at  time.Duration
	seq int64
}

// writingBehind writes the log to the state until ctx is done, and deletes old rows.
func (s *Store) writingBehind(ctx context.Context) {
	var history []written
	failing := false
	for clock.Sleep(ctx, clock.System(), behindPause) == nil {
		seq, err := s.writeBehind(ctx)
		if err == nil {
			s.lead.behind.Store(seq)
			if n := len(history); n == 0 || history[n-1].seq < seq {
				history = append(history, written{s.lead.elapsed(), seq})
			}
			history, err = s.trim(ctx, history)
		}
		if err != nil && !failing && ctx.Err() == nil {
			s.o.Log.Warn("the log can't be written to the state; this is retried", "error", s.failed("write the state", err))
		}
		failing = err != nil
	}
}

// writeBehind writes the whole log to the state, and returns the row up to which the state is complete.
func (s *Store) writeBehind(ctx context.Context) (int64, error) {
	for {
		from, to, err := s.writePart(ctx)
		if err != nil || to == from || to >= s.lead.seq.Load() {
			return to, s.distrust(err)
		}
	}
}

// writePart writes the next rows of the log to the state in one transaction, and returns the rows up to which the state
// was and is complete.
func (s *Store) writePart(ctx context.Context) (from, to int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, behindTimeout)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(ctx, abandoned); err != nil {
			return err
		}
		// The lock on this row excludes a former leader whose transaction may still run. The changes and their position
		// are committed together.
		if err := tx.QueryRow(ctx, "select seq from clave_applied where id = 1 for update").Scan(&from); err != nil {
			return err
		}
		changed := newChanges(s.o.Derived)
		if to, err = s.collect(ctx, tx, from, changed); err != nil || to == from {
			return err
		}
		if err := changed.write(ctx, tx); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update clave_applied set seq = $1 where id = 1", to)
		return err
	})
	return from, to, err
}

// errEnough ends the collecting of rows.
var errEnough = errors.New("pgstore: enough")

// collect adds the rows after a position, not much more than behindBytes, and returns the last one's position.
func (s *Store) collect(ctx context.Context, tx pgx.Tx, from int64, into *changes) (to int64, err error) {
	rows, err := tx.Query(ctx, "select seq, body from clave_log where seq > $1 order by seq limit 2000", from)
	if err != nil {
		return from, err
	}
	to = from
	var body []byte
	_, err = pgx.ForEachRow(rows, []any{&to, &body}, func() error {
		ops, err := s.codec.decode(body)
		if err != nil {
			return err
		}
		for _, op := range ops {
			into.add(op)
		}
		// The operations may share memory with the body, so the next row gets its own.
		body = nil
		if into.size > behindBytes {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return to, err
}

// trim deletes the rows that were written behind longer ago than the retention, and returns the rest of the history. It
// keeps the row up to which the state is complete, and those that were not passed on (Pass).
func (s *Store) trim(ctx context.Context, history []written) ([]written, error) {
	old := 0
	for old < len(history) && s.lead.elapsed()-history[old].at > s.o.Retention {
		old++
	}
	if old == 0 {
		return history, nil
	}
	ctx, cancel := context.WithTimeout(ctx, behindTimeout)
	defer cancel()
	_, err := s.pool.Exec(ctx, "delete from clave_log where seq < $1", s.unneeded(history[old-1].seq))
	if err != nil {
		return history, s.distrust(err)
	}
	return history[old:], nil
}

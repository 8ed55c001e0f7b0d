package postgres

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
)

// errGap means that the log no longer has the row that a replica needs next.
var errGap = errors.New("pgstore: the log begins behind the replica")

// openReplica opens the replica, builds it if there is no usable one, and applies the log.
func (s *Store) openReplica(ctx context.Context) error {
	err := s.openLocal()
	if fault.Is(err, fault.DataLoss) { // also after a kill while rebuild emptied the folder
		s.o.Log.Warn("the files of the replica are damaged; the replica is being rebuilt", "folder", s.o.Dir, "error", err)
		if err = s.emptyFolder(); err == nil {
			err = s.openLocal()
		}
	}
	if err != nil {
		return err
	}
	usable, err := s.findPosition(ctx)
	if err != nil {
		return s.failed("compare the log with the replica", err)
	}
	if !usable {
		if err := s.rebuild(ctx); err != nil {
			return err
		}
	}
	return s.follow(ctx)
}

// openLocal opens the folder of the replica, or memory.
func (s *Store) openLocal() error {
	var local *pebble.Store
	var err error
	if s.o.Dir == "" {
		local, err = pebble.OpenMemoryWith(s.o.Local)
	} else {
		o := s.o.Local
		o.Derived = true
		local, err = pebble.Open(s.o.Dir, o)
	}
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	s.local = local
	return err
}

// findPosition reads the position of the replica, and reports whether the log continues from it.
func (s *Store) findPosition(ctx context.Context) (usable bool, err error) {
	v, found, err := s.local.Get(positionKey)
	if err != nil || !found {
		return false, err
	}
	cluster, at, ok := parsePosition(string(v))
	if !ok || cluster != s.cluster {
		s.o.Log.Warn("the replica belongs to another cluster; it is being rebuilt", "folder", s.o.Dir)
		return false, nil
	}
	var id []byte
	err = s.pool.QueryRow(ctx, "select id from clave_log where seq = $1", at.seq).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && string(id) != string(at.id) {
		s.o.Log.Warn("the log does not continue from the replica; the replica is being rebuilt", "folder", s.o.Dir, "seq", at.seq)
		return false, nil
	}
	s.at = at
	return true, err
}

// positionValue returns the value that is stored under positionKey.
func (s *Store) positionValue(at position) []byte {
	return fmt.Appendf(nil, "%s %d %x", s.cluster, at.seq, at.id)
}

// parsePosition parses the value that is stored under positionKey. ok is false for other texts.
func parsePosition(text string) (cluster string, at position, ok bool) {
	words := strings.Split(text, " ")
	if len(words) != 3 {
		return "", position{}, false
	}
	seq, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return "", position{}, false
	}
	id, err := hex.DecodeString(words[2])
	return words[0], position{seq, id}, err == nil
}

// rebuild rebuilds the replica from clave_state.
func (s *Store) rebuild(ctx context.Context) error {
	if err := s.local.Close(); err != nil {
		return err
	}
	if err := s.emptyFolder(); err != nil {
		return err
	}
	if err := s.openLocal(); err != nil {
		return err
	}
	// One transaction reads the state and its position in one snapshot.
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, unlimited); err != nil {
			return err
		}
		return s.readState(ctx, tx)
	})
	if err != nil {
		return s.failed("read the state", err)
	}
	if err := s.o.Derive(ctx, s.local); err != nil {
		return err
	}
	var mark store.Batch
	mark.Set(positionKey, s.positionValue(s.at))
	return s.local.Apply(ctx, &mark)
}

// emptyFolder removes the folder of the replica, which is closed.
func (s *Store) emptyFolder() error {
	if s.o.Dir == "" {
		return nil
	}
	if err := os.RemoveAll(s.o.Dir); err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot empty the folder of the replica %s: %v", s.o.Dir, err)
	}
	return nil
}

// readBytes is the approximate size of a batch.
const readBytes = 1 << 20

// readState reads clave_state into the replica.
func (s *Store) readState(ctx context.Context, tx pgx.Tx) error {
	if err := tx.QueryRow(ctx, "select a.seq, l.id from clave_applied a join clave_log l on l.seq = a.seq where a.id = 1").Scan(&s.at.seq, &s.at.id); err != nil {
		return err
	}
	// about is the planner's estimate of the number of rows, only for the progress: counting them would read the table
	// twice.
	var about int64
	if err := tx.QueryRow(ctx, "select greatest(reltuples, 0)::bigint from pg_class where oid = to_regclass('clave_state')").Scan(&about); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "select key, value from clave_state")
	if err != nil {
		return err
	}
	defer rows.Close()
	var batch store.Batch
	var size int
	var done int64
	flush := func() error {
		done += int64(len(batch.Ops))
		if err := s.applyLocal(&batch); err != nil {
			return err
		}
		batch, size = store.Batch{}, 0
		s.o.Progress(done, max(about, done))
		return nil
	}
	for rows.Next() {
		var key, value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		batch.Set(key, value)
		if size += len(key) + len(value); size > readBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return flush()
}

// applyLocal applies a batch to the replica, after waiting for space.
func (s *Store) applyLocal(batch *store.Batch) error {
	if err := s.local.Admit(batch); err != nil {
		return err
	}
	return s.local.ApplyUnsynced(batch)
}

// follow applies all rows of the log after the replica's position. If the log begins later, the replica is rebuilt.
func (s *Store) follow(ctx context.Context) error {
	err := s.readLog(ctx)
	if !errors.Is(err, errGap) {
		return err
	}
	if s.beingRead() { // the next Open rebuilds the replica, without a reader
		return moved("The replica of this node does not match the log.")
	}
	s.o.Log.Warn("the log does not continue from the replica; the replica is being rebuilt", "seq", s.at.seq)
	if err := s.rebuild(ctx); err != nil {
		return err
	}
	return s.readLog(ctx)
}

// readLog applies the available rows.
func (s *Store) readLog(ctx context.Context) error {
	began := s.lead.elapsed()
	wait := awaitRows(ctx)
	defer wait.stop()
	// The replica's own row comes first, without its body. Another id there means that PostgreSQL was reset to an earlier
	// state.
	rows, err := s.pool.Query(wait, "select seq, id, case when seq > $1 then body end from clave_log where seq between $1 and $2 order by seq",
		s.at.seq, s.most())
	if err != nil {
		return s.failed("read the log", s.distrust(wait.cause(err)))
	}
	defer rows.Close()
	found := false // the replica's own row
	for rows.Next() {
		var at position
		var body []byte
		if err := rows.Scan(&at.seq, &at.id, &body); err != nil {
			return err
		}
		if !found && at.seq == s.at.seq && bytes.Equal(at.id, s.at.id) {
			found = true
			continue
		}
		// Rows have consecutive numbers (insertRow), so a gap means that the leader has deleted rows that this replica has
		// not applied.
		if !found || at.seq != s.at.seq+1 {
			return errGap
		}
		if err := wait.during(func() error { return s.applyRow(at, body) }); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return s.failed("read the log", s.distrust(wait.cause(err)))
	}
	if !found {
		return errGap
	}
	s.caughtUp(began)
	return nil
}

// applyRow applies a row of the log to the replica, and passes it to the replica's reader.
func (s *Store) applyRow(at position, body []byte) error {
	ops, err := s.codec.decode(body)
	if err != nil {
		return fault.Wrap(err, fault.DataLoss, "row %d of clave_log can't be read; restore a backup of PostgreSQL", at.seq)
	}
	// The position is part of the same batch: after a crash the replica has a row with its position, or neither.
	batch := store.Batch{Ops: append(slices.Clip(ops), store.Op{Kind: store.Set, Key: positionKey, Value: s.positionValue(at)})}
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	if err := s.applyLocal(&batch); err != nil {
		return err
	}
	s.at = at
	if applied := s.following.mu.applied; applied != nil {
		applied(ops)
	}
	s.advanceLocked(at.seq)
	return nil
}

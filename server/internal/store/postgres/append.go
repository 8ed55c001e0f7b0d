package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// call is a batch that waits to be written.
type call struct {
	batch *store.Batch
	err   error
	// wake, of capacity one, receives true if the caller becomes the writer, and false if the batch is done.
	wake chan bool
}

// groupBytes is the size from which no more batches join a row of the log.
const groupBytes = 8 << 20

// Apply implements store.Store. Batches that wait while a row is written form the next row. After an ErrMoved nothing
// of the batch is written, except that it is unknown if PostgreSQL did not respond within Options.Timeout.
func (s *Store) Apply(ctx context.Context, b *store.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &call{batch: b, wake: make(chan bool, 1)}
	s.mu.Lock()
	if s.mu.closed {
		s.mu.Unlock()
		return store.ErrClosed
	}
	s.mu.queue = append(s.mu.queue, c)
	lead := !s.mu.writing
	s.mu.writing = true
	s.mu.Unlock()
	if !lead {
		lead = <-c.wake
	}
	if lead {
		// The row has other callers' batches too, so the end of this caller's context must not cancel the write.
		s.write(context.WithoutCancel(ctx))
	}
	return c.err
}

// write writes the waiting batches, the caller's first, and passes the role of the writer on.
func (s *Store) write(ctx context.Context) {
	s.mu.Lock()
	group, size := 0, 0
	for _, c := range s.mu.queue {
		if size > groupBytes {
			break
		}
		for _, op := range c.batch.Ops {
			size += len(op.Key) + len(op.Value)
		}
		group++
	}
	calls := s.mu.queue[:group:group]
	s.mu.queue = s.mu.queue[group:]
	s.mu.Unlock()
	s.writeGroup(ctx, calls)
	s.mu.Lock()
	if len(s.mu.queue) > 0 {
		s.mu.queue[0].wake <- true
	} else {
		s.mu.queue, s.mu.writing = nil, false
		s.idle.Broadcast()
	}
	s.mu.Unlock()
	for _, c := range calls[1:] {
		c.wake <- false
	}
}

// writeGroup writes batches as one row. It refuses only those for which this node's disk has no space.
func (s *Store) writeGroup(ctx context.Context, calls []*call) {
	// Space is checked before the insert, because a row in the log must be applied here and can't be refused any more.
	var all store.Batch
	written := make([]*call, 0, len(calls))
	for _, c := range calls {
		if c.err = s.lead.ended(); c.err == nil {
			c.err = s.yield(s.local.Admit(c.batch))
		}
		if c.err == nil && !c.batch.Empty() {
			all.Ops = append(all.Ops, c.batch.Ops...)
			written = append(written, c)
		}
	}
	if len(written) == 0 {
		return
	}
	err := s.append(ctx, &all)
	for _, c := range written {
		c.err = err
	}
}

// entry is a row to write to the log.
type entry struct {
	position
	before []byte // the id of the previous row
	body   []byte
	at     time.Time
}

// append writes a row and applies it to the replica, once no other node reads by a lease: such a node lacks the row.
func (s *Store) append(ctx context.Context, all *store.Batch) error {
	change := s.lead.leases.Change() // nodes give their leases back while the row is written
	defer change.End()
	e := entry{position: position{s.at.seq + 1, newID()}, before: s.at.id, body: s.codec.encode(all.Ops), at: s.Clock().Now()}
	if err := s.insert(ctx, e); err != nil {
		if errors.Is(err, store.ErrMoved) {
			s.lead.lose(err)
		}
		return err
	}
	change.Wait()
	all.Set(positionKey, s.positionValue(e.position))
	if err := s.local.ApplyUnsynced(all); err != nil {
		// The row is written, but this node can't make it visible.
		err = fault.Wrap(errors.Join(store.ErrMoved, err), fault.Unavailable, "The storage of this node has failed. Please try again.")
		s.o.Log.Error("the replica can't be written", "error", err)
		s.lead.lose(err)
		return err
	}
	s.at = e.position
	if s.passed != nil {
		s.passed.RecordRow(e.seq, e.at, all.Ops[:len(all.Ops)-1])
	}
	s.advance(e.seq)
	return nil
}

// How a row is written exactly once. insertRow inserts only if the lease has this leader's epoch (the fence) and the
// previous row is the one that the replica has. It locks the row of the lease in share mode until it commits. So a node
// that takes the lease waits for an insert that has passed the fence, and later inserts are refused. The number of a
// row is its key, so of two inserts one fails.
//
// An insert that fails without a response may have been committed, or may still be (writes.go). insert then looks up
// the row with its number and compares the random id. With the same id, the row is written. With another id, or
// without a row after the fence has refused a retry, it is not and never will be. If PostgreSQL refuses the first
// attempt permanently, insert returns the error (refused). All other failures are retried until Options.Timeout is
// over, and then this node stops leading with the outcome unknown.

// insertRow writes a row if the lease is this leader's and the previous row is the one that the replica has.
const insertRow = `insert into clave_log (seq, epoch, id, body, at)
	select $1::bigint, l.epoch, $3::bytea, $4::bytea, $6::bigint from clave_lease l
	where l.id = 1 and l.epoch = $2 and exists (select 1 from clave_log p where p.seq = $1::bigint - 1 and p.id = $5)
	for share of l`

// The pauses between attempts of an insert, and the texts of its errors.
const (
	leastPause, mostPause = 20 * time.Millisecond, 300 * time.Millisecond
	textUnknown           = "PostgreSQL does not answer; whether this was written is not known."
	textFull              = "PostgreSQL has no space. Nothing is written until there is space again."
)

// insufficientResources is the prefix of the codes of errors for missing space, memory or connections.
const insufficientResources = "53"

// passing lists the prefixes of the codes of errors that don't mean that the statement was refused permanently: an
// existing row, a server that is read-only or is being stopped, a broken connection, a conflict with another
// transaction.
var passing = []string{uniqueViolation, "25006", "57P", "08", "40"}

// insert writes a row, and retries until it is certain whether the row is written. It returns an ErrMoved if this node
// no longer leads, or if PostgreSQL does not respond for too long.
func (s *Store) insert(ctx context.Context, e entry) error {
	pause, first := leastPause, true
	began := s.lead.elapsed()
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	for {
		n, err := s.tryInsert(ctx, e)
		if err == nil && n == 1 {
			return nil
		}
		if err == nil && first {
			return moved("Another node serves the database now.")
		}
		if definite := refused(err); definite != nil && first {
			return definite
		}
		if err != nil && first {
			s.o.Log.Warn("a write to PostgreSQL failed; its outcome is looked up", "seq", e.seq, "error", s.failed("write the log", err))
		}
		first = false
		id, found, lookup := s.lookUp(ctx, e.seq)
		switch {
		case lookup == nil && found && string(id) == string(e.id):
			return nil
		case lookup == nil && (found || err == nil):
			// Another leader's row, or none although the fence has refused ours: our row can't appear any more.
			return moved("Another node serves the database now.")
		case s.lead.elapsed()-began >= s.o.Timeout:
			s.o.Log.Error("PostgreSQL does not respond; this node stops leading", "seq", e.seq, "id", hexOf(e.id))
			return moved(textUnknown)
		}
		if clock.Sleep(ctx, clock.System(), pause) == nil {
			pause = min(2*pause, mostPause)
		}
	}
}

// tryInsert tries to write a row and returns the number of written rows.
func (s *Store) tryInsert(ctx context.Context, e entry) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	var n int64
	err := s.writes.on(ctx, func(conn *pgxpool.Conn) error {
		tag, err := conn.Exec(ctx, insertRow, e.seq, s.lead.epoch, e.id, e.body, e.before, e.at.UnixMicro())
		n = tag.RowsAffected()
		return err
	})
	return n, s.distrust(err)
}

// refused returns the error of a statement that PostgreSQL has refused permanently, and nil for an error after which
// the statement may be retried or its outcome must be looked up.
func refused(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || slices.ContainsFunc(passing, func(code string) bool { return strings.HasPrefix(pgErr.Code, code) }) {
		return nil
	}
	if strings.HasPrefix(pgErr.Code, insufficientResources) {
		return fault.Wrap(errors.Join(store.ErrFull, err), fault.ResourceExhausted, textFull)
	}
	return fmt.Errorf("write the log: %w", err)
}

// lookUpRow looks up a row of the log. Its own commit waits for the synchronous standbys as an insert's does, because
// it writes a message to PostgreSQL's log, after the row if there is one.
const lookUpRow = `select (select id from clave_log where seq = $1), pg_logical_emit_message(true, 'clave', '')`

// lookUp returns the id of a row of the log. The row is on the synchronous standbys then.
func (s *Store) lookUp(ctx context.Context, seq int64) (id []byte, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	var message string
	err = s.writes.on(ctx, func(conn *pgxpool.Conn) error { return conn.QueryRow(ctx, lookUpRow, seq).Scan(&id, &message) })
	return id, err == nil && id != nil, s.distrust(err)
}

package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/fault"
	"clave/server/internal/store"
)

// How the rows of the log are passed on, to be shipped to the place of the backups. The leader passes each row that it
// writes, once its replica has it, and first those that earlier leaders have written but not shipped. clave_shipped has
// the position up to which that was done, which only the leader can set.

// Rows receives the rows of the log at the node that leads. changelog.Log implements it.
type Rows interface {
	// RecordRow is called with each row in order, by one goroutine at a time, before the write of it returns. at is
	// the time of the leader that has written it; zero, in microseconds, for a leader of an earlier version. The
	// slices must not be kept.
	RecordRow(row int64, at time.Time, ops []store.Op)
	// Needed returns the last row that need not be kept, if the later ones do (ok). Otherwise the other rows of earlier
	// leaders are not passed.
	Needed() (row int64, ok bool)
}

// ErrRowsMissing is in the chain of the error of Pass if the log no longer has all rows, or has others, or damaged
// ones.
var ErrRowsMissing = errors.New("rows of the log were deleted before they were shipped")

// Pass passes the rows of the log after the row after, unless that is negative, and then each row that this node
// writes, to to. The store must lead, and nothing may be written to it meanwhile. It returns an ErrRowsMissing, and
// passes later rows all the same, if rows are missing.
func (s *Store) Pass(ctx context.Context, after int64, to Rows) error {
	if err := s.lead.ended(); err != nil {
		return err
	}
	err := s.passEarlier(ctx, after, to)
	if err == nil || errors.Is(err, ErrRowsMissing) {
		s.passFrom(to)
	}
	return err
}

// passFrom passes the rows that are written from now on.
func (s *Store) passFrom(to Rows) {
	s.mu.Lock() // which Apply takes before it writes
	defer s.mu.Unlock()
	s.passed = to
}

// passEarlier passes the rows after a row.
func (s *Store) passEarlier(ctx context.Context, after int64, to Rows) error {
	if after < 0 || after == s.at.seq {
		return nil
	}
	wait := awaitRows(ctx)
	defer wait.stop()
	rows, err := s.pool.Query(wait, "select seq, at, body from clave_log where seq > $1 and seq <= $2 order by seq", after, s.at.seq)
	if err != nil {
		return s.failed("read the log", s.distrust(wait.cause(err)))
	}
	var row, at int64
	var body []byte
	last := after
	_, err = pgx.ForEachRow(rows, []any{&row, &at, &body}, func() error {
		err := wait.during(func() error {
			if row != last+1 {
				return ErrRowsMissing
			}
			last = row
			ops, err := s.codec.decode(body)
			if err != nil {
				return fault.Wrap(errors.Join(ErrRowsMissing, err), fault.DataLoss, "row %d of clave_log, which was not shipped, is damaged", row)
			}
			to.RecordRow(row, time.UnixMicro(at), ops)
			body = nil
			if _, ok := to.Needed(); !ok {
				return errEnough
			}
			return nil
		})
		if err != nil {
			wait.stop() // The other rows are not read: no node serves meanwhile.
		}
		return err
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case errors.Is(err, ErrRowsMissing):
		return err
	case err == nil && last != s.at.seq:
		return ErrRowsMissing
	case err != nil:
		return s.failed("read the log", s.distrust(wait.cause(err)))
	}
	return nil
}

// unneeded returns the first of the rows up to before that must be kept, because it was not passed on for good.
func (s *Store) unneeded(before int64) int64 {
	s.mu.Lock()
	passed := s.passed
	s.mu.Unlock()
	if passed == nil {
		return before
	}
	if row, ok := passed.Needed(); ok {
		return min(before, row+1)
	}
	return before
}

// Position implements changelog.Shared.
func (s *Store) Position(ctx context.Context) (position, segment []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, behindTimeout)
	defer cancel()
	err = s.pool.QueryRow(ctx, "select position, segment from clave_shipped where id = 1").Scan(&position, &segment)
	if err != nil {
		return nil, nil, s.failed("read how far the log was shipped", s.distrust(err))
	}
	return position, segment, nil
}

// setPosition sets the position if the lease is this leader's. The row of the lease is locked until it is committed, so
// the next leader reads it.
const setPosition = `with l as (select 1 from clave_lease where id = 1 and epoch = $3 for share)
	update clave_shipped set position = $1, segment = $2 where id = 1 and exists (select 1 from l)`

// SetPosition implements changelog.Shared. It returns an ErrMoved if this node does not lead.
func (s *Store) SetPosition(ctx context.Context, position, segment []byte) error {
	if err := s.lead.ended(); err != nil {
		return err
	}
	if segment == nil {
		segment = []byte{} // nil would be null
	}
	ctx, cancel := context.WithTimeout(ctx, behindTimeout)
	defer cancel()
	tag, err := s.pool.Exec(ctx, setPosition, position, segment, s.lead.epoch)
	switch {
	case err != nil:
		return s.failed("store how far the log was shipped", s.distrust(err))
	case tag.RowsAffected() == 0:
		return moved("Another node serves the database now.")
	}
	return nil
}

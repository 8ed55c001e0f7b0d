package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// How a node notices that a connection to PostgreSQL is broken although nothing has closed it: the machine at the other
// end was lost, or a firewall has lost its state. The operating system would notice it after many minutes. So each
// statement has a time limit, or, if it may have many rows, each of them. After it the other connections are not used
// again, as they are probably broken too.

// tryTimeout is the time limit for PostgreSQL to respond to a statement, and for each further row.
const tryTimeout = 5 * time.Second

// errSilent is the cause of the end of a statement whose time limit is over.
var errSilent = errors.New("there is no response")

// rowWait is the context of a statement with many rows. It ends if the next row does not come within tryTimeout.
type rowWait struct {
	context.Context
	timer *time.Timer
	end   context.CancelCauseFunc
}

// awaitRows begins to wait for a statement's rows. The caller must call stop.
func awaitRows(ctx context.Context) *rowWait {
	within, end := context.WithCancelCause(ctx)
	return &rowWait{within, time.AfterFunc(tryTimeout, func() { end(errSilent) }), end}
}

// during calls do with a row. Its time does not count.
func (w *rowWait) during(do func() error) error {
	w.timer.Stop()
	defer w.timer.Reset(tryTimeout)
	return do()
}

// stop ends the wait.
func (w *rowWait) stop() {
	w.timer.Stop()
	w.end(nil)
}

// cause returns errSilent in place of the error of a statement that has ended because of it.
func (w *rowWait) cause(err error) error {
	if err != nil && errors.Is(context.Cause(w), errSilent) {
		return errSilent
	}
	return err
}

// distrust lets further statements use new connections if a statement has ended without a response. It returns the
// statement's error.
func (s *Store) distrust(err error) error {
	var answered *pgconn.PgError
	if err != nil && !errors.As(err, &answered) && !errors.Is(err, pgx.ErrNoRows) {
		s.pool.Reset()
		if s.writes != nil {
			s.writes.Reset()
		}
	}
	return err
}

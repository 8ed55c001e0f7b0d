package postgres

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How a write waits for synchronous standbys. PostgreSQL commits a statement first on the primary, and responds when a
// standby has it too. Until then no other transaction sees it. But if the wait is cancelled, the statement is committed
// on the primary alone, visible to all, and reported with a warning; a failover loses it. So
//
//   - inserts of rows are never cancelled: the driver would do so at the end of their time limit (newWrites);
//   - an insert with a warning has an unknown outcome (errWarned), as has one without a response;
//   - a row that is looked up counts only when the commit of that statement has reached the standby: it writes to the
//     log of PostgreSQL after the row (lookUpRow).

// mostWrites is the maximum number of connections for inserts. One is in use; those that did not respond in time keep
// their place for a while.
const mostWrites = 8

// warning is the code of PostgreSQL's warnings.
const warning = "01000"

// errWarned is the error of an insert that PostgreSQL has reported with a warning.
var errWarned = errors.New("a standby may lack the row: its wait was cancelled")

// errNoCancel is the error of a request to cancel an insert.
var errNoCancel = errors.New("inserts are not cancelled")

// writes are the connections for inserts.
type writes struct {
	*pgxpool.Pool
	// warnings is the number of warnings so far.
	warnings atomic.Int64
}

// newWrites returns connections for inserts to the server of other connections. None is made before the first insert.
func newWrites(ctx context.Context, other *pgxpool.Pool) (*writes, error) {
	w := &writes{}
	config := other.Config()
	config.MaxConns = mostWrites
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == warning {
			w.warnings.Add(1)
		}
	}
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		// A request to cancel has its own connection, which is dialed when this one has been established.
		var established atomic.Bool
		dial, after := c.DialFunc, c.AfterConnect
		c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			if established.Load() {
				return nil, errNoCancel
			}
			return dial(ctx, network, address)
		}
		c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
			established.Store(true)
			if after != nil {
				return after(ctx, conn)
			}
			return nil
		}
		return nil
	}
	var err error
	w.Pool, err = pgxpool.NewWithConfig(ctx, config)
	return w, err
}

// on calls do with a connection. It returns errWarned if do succeeds with a warning. There is one call at a time.
func (w *writes) on(ctx context.Context, do func(conn *pgxpool.Conn) error) error {
	conn, err := w.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	before := w.warnings.Load() // after those of a new connection
	if err := do(conn); err != nil {
		return err
	}
	if w.warnings.Load() != before {
		return errWarned
	}
	return nil
}

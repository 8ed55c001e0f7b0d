package postgres

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// membersPause is the interval at which the lease is read.
const membersPause = 100 * time.Millisecond

// membersTimeout is the time limit of a read of the lease, and firstTimeout that of the first one, whose failure ends a
// node or a command at its start.
const (
	membersTimeout = 2 * time.Second
	firstTimeout   = 10 * time.Second
)

// Leader is the node that leads. The zero Leader means that no node leads.
type Leader struct {
	Node string
	// Inner is the address at which other nodes reach it, and Address the one at which clients do.
	Inner, Address string
	Epoch          int64
}

// Members reads from PostgreSQL the data about the other nodes that a node needs before it has a replica: the leader,
// and the shared secret.
type Members struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	host string
	mu   struct {
		sync.Mutex
		leader  Leader
		changed chan struct{} // closed and replaced when leader changes
		// inner holds the addresses at which nodes that reported recently are reached by other nodes, by the nodes' names.
		inner map[string]string
		read  chan struct{} // closed and replaced after each read
	}
}

// OpenMembers connects to PostgreSQL and creates the tables if there are none.
func OpenMembers(ctx context.Context, url string, log *slog.Logger) (*Members, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	pool, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	m := &Members{pool: pool, log: log}
	m.mu.changed, m.mu.read = make(chan struct{}), make(chan struct{})
	if err = migrate(ctx, pool); err == nil {
		err = unfilled(ctx, pool)
	}
	if err == nil {
		err = m.findHost(ctx)
	}
	if err == nil {
		err = m.look(ctx, firstTimeout)
	}
	if err != nil {
		pool.Close()
		return nil, (&Store{pool: pool}).failed("look for other nodes", err)
	}
	return m, nil
}

// findHost finds the address by which this machine reaches PostgreSQL.
func (m *Members) findHost(ctx context.Context) error {
	conn, err := m.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	m.host = "127.0.0.1"
	if at, ok := conn.Conn().PgConn().Conn().LocalAddr().(*net.TCPAddr); ok {
		m.host = at.IP.String()
	}
	return nil
}

// Host returns the address by which this machine reaches PostgreSQL, or 127.0.0.1 for a Unix socket.
func (m *Members) Host() string { return m.host }

// Secret returns the secret that the nodes of a cluster share. Only users of the database can read it.
func (m *Members) Secret(ctx context.Context) ([]byte, error) {
	var text string
	if err := m.pool.QueryRow(ctx, "select secret from clave_secret where id = 1").Scan(&text); err != nil {
		return nil, (&Store{pool: m.pool}).failed("read the secret of the nodes", err)
	}
	secret, err := hex.DecodeString(text)
	if err != nil || len(secret) < 32 {
		return nil, fault.E(fault.DataLoss, "clave_secret holds no secret; restore a backup of PostgreSQL")
	}
	return secret, nil
}

// Leader returns the leader, and a channel that is closed when the leader changes.
func (m *Members) Leader() (Leader, <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.leader, m.mu.changed
}

// Inner returns the addresses at which other nodes reach the nodes that reported recently, by the nodes' names. The
// result must not be changed.
func (m *Members) Inner() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mu.inner
}

// NextInner returns the result of Inner as of a time after the call, or the last one known when ctx is done.
func (m *Members) NextInner(ctx context.Context) map[string]string {
	for range 2 { // the read in progress may have begun before the call
		m.mu.Lock()
		read := m.mu.read
		m.mu.Unlock()
		select {
		case <-read:
		case <-ctx.Done():
		}
	}
	return m.Inner()
}

// look reads the leader, and where the nodes are, within a time limit.
func (m *Members) look(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var l Leader
	var held bool
	var inner map[string]string
	err := m.pool.QueryRow(ctx, `select l.node, coalesce(n.inner_address, ''), l.address, l.epoch, l.until >= clock_timestamp(),
		(select json_object_agg(node, inner_address) from clave_node where inner_address <> '' and seen > clock_timestamp() - interval '10 seconds')
		from clave_lease l left join clave_node n on n.node = l.node where l.id = 1`).Scan(&l.Node, &l.Inner, &l.Address, &l.Epoch, &held, &inner)
	if err != nil {
		return err
	}
	if !held {
		l = Leader{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.inner = inner
	close(m.mu.read)
	m.mu.read = make(chan struct{})
	if l != m.mu.leader {
		m.mu.leader = l
		close(m.mu.changed)
		m.mu.changed = make(chan struct{})
	}
	return nil
}

// Run updates the leader until ctx is done. While PostgreSQL can't be reached, the last known leader stays; it stops by
// itself when its lease ends.
func (m *Members) Run(ctx context.Context) error {
	failing := false
	for clock.Sleep(ctx, clock.System(), membersPause) == nil {
		err := (&Store{pool: m.pool}).distrust(m.look(ctx, membersTimeout))
		if err != nil && !failing && ctx.Err() == nil {
			m.log.Warn("the leader can't be read from PostgreSQL; the read is retried", "error", (&Store{pool: m.pool}).failed("read the lease", err))
		}
		failing = err != nil
	}
	return nil
}

// Close ends the connections.
func (m *Members) Close() error {
	m.pool.Close()
	return nil
}

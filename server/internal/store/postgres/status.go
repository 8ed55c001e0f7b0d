package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/fault"
)

// Status is the status of a cluster.
type Status struct {
	// Leader is the name of the node that leads, with Address; Held reports whether its lease has not ended.
	Leader, Address string
	Held            bool
	// Epoch counts the leaders so far.
	Epoch int64
	// Log is the last row of the log, First the first that is kept, and State the one up to which the state is complete.
	Log, First, State int64
	// LogBytes and StateBytes are the sizes of the tables in PostgreSQL.
	LogBytes, StateBytes int64
	// VersionsUntil is the end of the reserved versions.
	VersionsUntil time.Time
	// Nodes are the nodes that reported in the last minute.
	Nodes []Node
}

// Node is one node of a cluster.
type Node struct {
	// Role is what the node last reported, or roleAbsent.
	Name, Address, Role string
	// Inner is the address at which other nodes reach it.
	Inner string
	// Seq is the last row of the log in its replica, and Age the time since it reported that.
	Seq int64
	Age time.Duration
}

// ReadStatus reads the status of a cluster. It needs no replica.
func ReadStatus(ctx context.Context, url string) (*Status, error) {
	pool, err := connectReading(ctx, url)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	s := &Store{pool: pool}
	st := &Status{}
	var versions int64
	err = pool.QueryRow(ctx, `select l.node, l.address, l.until >= clock_timestamp(), l.epoch, l.versions_until,
		(select max(seq) from clave_log), (select min(seq) from clave_log), (select seq from clave_applied where id = 1),
		pg_total_relation_size('clave_log'), pg_total_relation_size('clave_state') from clave_lease l where l.id = 1`).
		Scan(&st.Leader, &st.Address, &st.Held, &st.Epoch, &versions, &st.Log, &st.First, &st.State, &st.LogBytes, &st.StateBytes)
	if isCode(err, undefinedTable) {
		return nil, fault.Wrap(err, fault.NotFound, "PostgreSQL: the database has no tables of clave. The first start of a node creates them.")
	}
	if err != nil {
		return nil, s.failed("read the status", err)
	}
	st.VersionsUntil = time.UnixMicro(versions).UTC()
	if st.Nodes, err = s.nodes(ctx); err != nil {
		return nil, err
	}
	return st, nil
}

// nodes reads the nodes that reported in the last minute. One that has not reported for five seconds has no role, and
// neither has a leader that the lease does not name: it has ended, or does not reach PostgreSQL.
func (s *Store) nodes(ctx context.Context) ([]Node, error) {
	rows, err := s.pool.Query(ctx, `select node, address,
		case when seen < clock_timestamp() - interval '5 seconds'
			or role = $1 and not exists(select 1 from clave_lease l where l.id = 1 and l.node = n.node and l.until >= clock_timestamp()) then $2 else role end,
		inner_address, seq, (extract(epoch from clock_timestamp() - seen) * 1000)::bigint from clave_node n
		where seen > clock_timestamp() - interval '1 minute' order by node`, roleLeader, roleAbsent)
	if err != nil {
		return nil, s.failed("read the nodes", err)
	}
	nodes, err := pgx.CollectRows(rows, scanNode)
	if err != nil {
		return nil, s.failed("read the nodes", err)
	}
	return nodes, nil
}

// scanNode reads a row about a node.
func scanNode(row pgx.CollectableRow) (n Node, err error) {
	var age int64
	err = row.Scan(&n.Name, &n.Address, &n.Role, &n.Inner, &n.Seq, &age)
	n.Age = time.Duration(age) * time.Millisecond
	return n, err
}

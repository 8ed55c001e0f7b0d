package pgstore

import (
	"context"
	"time"
)

// Standing is where a leader and the nodes around it are.
type Standing struct {
	// Epoch counts the leaders so far, this one included. Log is the last row that was written, and State the one up to which the state is
	// complete.
	Epoch, Log, State int64
	// Nodes are the nodes that reported in the last minute.
	Nodes []Node
}

// standingPatience is how long PostgreSQL may take to list the nodes.
const standingPatience = 2 * time.Second

// Standing returns where this leader is, without a request, and where the other nodes are, as far as PostgreSQL answers.
func (s *Store) Standing(ctx context.Context) (Standing, error) {
	st := Standing{Epoch: s.lead.epoch, Log: s.lead.seq.Load(), State: s.lead.behind.Load()}
	ctx, cancel := context.WithTimeout(ctx, standingPatience)
	defer cancel()
	var err error
	st.Nodes, err = s.nodes(ctx)
	return st, err
}

// Usage returns how many bytes the replica takes on the disk, and how many are free there.
func (s *Store) Usage() (used, free uint64) { return s.local.Usage() }

// LogSize returns how many bytes of the replica's log are not yet in tables.
func (s *Store) LogSize() uint64 { return s.local.LogSize() }

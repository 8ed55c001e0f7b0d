package pgstore

import (
	"context"
	"time"
)

// Standing describes the positions of a leader and the other nodes.
type Standing struct {
	// Epoch counts the leaders so far, this one included. Log is the last row that was written, and State the one up to which the state is
	// complete.
	Epoch, Log, State int64
	// Nodes are the nodes that reported in the last minute.
	Nodes []Node
}

// standingPatience is the time limit for PostgreSQL to list the nodes.
const standingPatience = 2 * time.Second

// Standing returns the position of this leader, which needs no request, and those of the other nodes, if PostgreSQL
// responds.
func (s *Store) Standing(ctx context.Context) (Standing, error) {
	st := Standing{Epoch: s.lead.epoch, Log: s.lead.seq.Load(), State: s.lead.behind.Load()}
	ctx, cancel := context.WithTimeout(ctx, standingPatience)
	defer cancel()
	var err error
	st.Nodes, err = s.nodes(ctx)
	return st, err
}

// Usage returns the bytes that the replica uses on the disk, and the free bytes there.
func (s *Store) Usage() (used, free uint64) { return s.local.Usage() }

// LogSize returns the number of bytes of the replica's log that are not in tables yet.
func (s *Store) LogSize() uint64 { return s.local.LogSize() }

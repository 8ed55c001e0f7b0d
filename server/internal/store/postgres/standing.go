package postgres

import (
	"context"
	"time"
)

// Standing describes the positions of a leader and the other nodes.
type Standing struct {
	// Epoch counts the leaders so far, this one included. Log is the last row that was written, and State the one up to
	// which the state is complete.
	Epoch, Log, State int64
	// Nodes are the nodes that reported in the last minute.
	Nodes []Node
}

// standingTimeout is the time limit for PostgreSQL to list the nodes.
const standingTimeout = 2 * time.Second

// Standing returns the position of this leader, which needs no request, and those of the other nodes, if PostgreSQL
// responds.
func (s *Store) Standing(ctx context.Context) (Standing, error) {
	st := Standing{Epoch: s.lead.epoch, Log: s.lead.seq.Load(), State: s.lead.behind.Load()}
	ctx, cancel := context.WithTimeout(ctx, standingTimeout)
	defer cancel()
	var err error
	st.Nodes, err = s.nodes(ctx)
	return st, err
}

// Usage returns the bytes that the replica uses on the disk, and the free bytes there.
func (s *Store) Usage() (used, free uint64) { return s.local.Usage() }

// LogSize returns the number of bytes of the replica's log that are not in tables yet.
func (s *Store) LogSize() uint64 { return s.local.LogSize() }

// Behind returns the position of a node that does not lead: the number of rows of the log that the leader has reported
// and the replica lacks, and the time since the last contact with the leader or PostgreSQL.
func (s *Store) Behind() (rows int64, contact time.Duration) {
	seq, _ := s.Progress()
	return max(0, s.following.confirmed.Load()-seq), max(0, s.lead.elapsed()-time.Duration(s.following.contact.Load()))
}

// Condition is the condition of a replica.
type Condition struct {
	// Used and Free are the bytes that it uses on the disk and the free bytes there, and Log the bytes of its log that are
	// not in tables yet.
	Used, Free, Log uint64
	// Err is an error if there is a problem with its files.
	Err error
}

// Condition returns the condition of the replica. It is zero once the reader has stopped.
func (r *Replica) Condition() (c Condition) {
	r.s.following.mu.Lock() // while there is a reader, the replica is not rebuilt
	defer r.s.following.mu.Unlock()
	if r.s.following.mu.applied == nil {
		return c
	}
	c.Used, c.Free = r.s.local.Usage()
	c.Log, c.Err = r.s.local.LogSize(), r.s.local.Err()
	return c
}

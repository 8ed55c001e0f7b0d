package torture

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// The targets of a moving listener: documents that are created once and never deleted, and the accounts, whose sum is
// constant.
const (
	entriesTarget = 1
	bankTarget    = 2
)

// moving is a listener that continues at another node every few seconds, by its resume tokens. It checks each snapshot:
// times never decrease, entries never disappear, and the sum of the accounts is correct. It records between which
// snapshots each entry appeared, so that check detects an entry that a snapshot lacked.
type moving struct {
	clients []client
	mu      sync.Mutex
	targets map[int32]*movingTarget
	// pending are the messages since the last snapshot, which the next one applies.
	pending []*firestorepb.ListenResponse
	at      time.Time
	came    map[string]span
	wrong   []string
	// snapshots and moves are counters.
	snapshots, moves int
}

// movingTarget is a listener's state of a query.
type movingTarget struct {
	collection string
	token      []byte
	// current is set on each stream once the target is complete.
	current bool
	docs    map[string]fields
}

// span holds the times of two consecutive snapshots. The first lacks a document and the second contains it.
type span struct{ before, at time.Time }

// newMoving returns a listener that moves from client to client.
func newMoving(clients ...client) *moving {
	return &moving{clients: clients, came: make(map[string]span), targets: map[int32]*movingTarget{
		entriesTarget: {collection: "entries", docs: make(map[string]fields)}, bankTarget: {collection: "bank", docs: make(map[string]fields)},
	}}
}

// run listens until ctx ends.
func (m *moving) run(ctx context.Context) {
	for at := rand.IntN(len(m.clients)); ctx.Err() == nil; at++ {
		stay, cancel := context.WithTimeout(ctx, time.Second+rand.N(2*time.Second))
		m.listen(stay, cancel, m.clients[at%len(m.clients)])
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// listen reads messages from one node until the stream ends or it is time to move.
func (m *moving) listen(ctx context.Context, cancel func(), c client) {
	// A deadline would count as an error of the call, so a cancellation ends the stream.
	streaming, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, end)()
	stream, err := c.rpc.Listen(streaming)
	if err != nil {
		return
	}
	for _, request := range m.resume() {
		if stream.Send(request) != nil {
			break // RecvMsg returns the reason
		}
	}
	for {
		res, err := stream.Recv()
		if err != nil {
			return
		}
		if m.take(res) {
			cancel()
		}
	}
}

// resume discards pending messages and returns the requests that resume the targets.
func (m *moving) resume() []*firestorepb.ListenRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = nil
	m.moves++
	var requests []*firestorepb.ListenRequest
	for id, target := range m.targets {
		target.current = false
		add := &firestorepb.Target{TargetId: id, TargetType: &firestorepb.Target_Query{Query: &firestorepb.Target_QueryTarget{
			Parent: root, QueryType: &firestorepb.Target_QueryTarget_StructuredQuery{StructuredQuery: &firestorepb.StructuredQuery{
				From: []*firestorepb.StructuredQuery_CollectionSelector{{CollectionId: target.collection}},
			}},
		}}}
		if target.token != nil {
			add.ResumeType = &firestorepb.Target_ResumeToken{ResumeToken: target.token}
		}
		requests = append(requests, &firestorepb.ListenRequest{Database: database, TargetChange: &firestorepb.ListenRequest_AddTarget{AddTarget: add}})
	}
	return requests
}

// take handles a message and reports whether the stream must be ended.
func (m *moving) take(res *firestorepb.ListenResponse) (end bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = append(m.pending, res)
	change := res.GetTargetChange()
	if change == nil {
		return false
	}
	switch change.TargetChangeType {
	case firestorepb.TargetChange_CURRENT:
		for id, target := range m.targets {
			target.current = target.current || names32(change.TargetIds, id)
		}
	case firestorepb.TargetChange_REMOVE:
		m.fail("a target was removed: %v", change.Cause)
		return true
	case firestorepb.TargetChange_NO_CHANGE:
		if len(change.TargetIds) == 0 && change.ReadTime != nil && m.targets[entriesTarget].current && m.targets[bankTarget].current {
			return m.snapshot(change.ReadTime.AsTime())
		}
	default: // pending until the next snapshot
	}
	return false
}

// names32 reports whether a message concerns a target. A message without ids concerns all targets.
func names32(ids []int32, id int32) bool {
	for _, one := range ids {
		if one == id {
			return true
		}
	}
	return len(ids) == 0
}

// fail records an error.
func (m *moving) fail(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// snapshot applies the pending messages and checks the result. It returns true if the listener has to start again
// without a token.
func (m *moving) snapshot(at time.Time) (anew bool) {
	gone := make(map[string]bool)
	var came []string
	for _, res := range m.pending {
		switch r := res.ResponseType.(type) {
		case *firestorepb.ListenResponse_DocumentChange:
			path := r.DocumentChange.Document.Name[len(root)+1:]
			for _, id := range r.DocumentChange.TargetIds {
				m.targets[id].docs[path] = numbers(r.DocumentChange.Document)
				came = append(came, path)
				delete(gone, path)
			}
			m.remove(path, r.DocumentChange.RemovedTargetIds, gone)
		case *firestorepb.ListenResponse_DocumentDelete:
			m.remove(r.DocumentDelete.Document[len(root)+1:], r.DocumentDelete.RemovedTargetIds, gone)
		case *firestorepb.ListenResponse_DocumentRemove:
			m.remove(r.DocumentRemove.Document[len(root)+1:], r.DocumentRemove.RemovedTargetIds, gone)
		case *firestorepb.ListenResponse_Filter:
			if target := m.targets[r.Filter.TargetId]; int(r.Filter.Count) != len(target.docs) {
				m.fail("%s: the server has %d documents at %v, the listener %d", target.collection, r.Filter.Count, at, len(target.docs))
				target.token, anew = nil, true
			}
		case *firestorepb.ListenResponse_TargetChange:
			m.change(r.TargetChange, gone)
		}
	}
	m.pending = nil
	m.judge(at, came, gone)
	m.at = at
	m.snapshots++
	return anew
}

// remove removes a document of targets.
func (m *moving) remove(path string, ids []int32, gone map[string]bool) {
	for _, id := range ids {
		if _, found := m.targets[id].docs[path]; found {
			delete(m.targets[id].docs, path)
			gone[path] = true
		}
	}
}

// change stores the tokens of a target change, and empties reset targets.
func (m *moving) change(change *firestorepb.TargetChange, gone map[string]bool) {
	for id, target := range m.targets {
		if !names32(change.TargetIds, id) {
			continue
		}
		if len(change.ResumeToken) > 0 {
			target.token = change.ResumeToken
		}
		if change.TargetChangeType == firestorepb.TargetChange_RESET {
			for path := range target.docs {
				gone[path] = true
			}
			clear(target.docs)
		}
	}
}

// judge checks a snapshot.
func (m *moving) judge(at time.Time, came []string, gone map[string]bool) {
	if at.Before(m.at) {
		m.fail("a snapshot at %v came after one at %v", at, m.at)
	}
	for path := range gone {
		m.fail("%s has vanished at %v", path, at)
	}
	for _, path := range came {
		if _, had := m.came[path]; !had {
			m.came[path] = span{m.at, at}
		}
	}
	bank, sum := m.targets[bankTarget].docs, int64(0)
	for _, f := range bank {
		sum += f["v"]
	}
	if len(bank) != accounts || sum != accounts*balance {
		m.fail("at %v %d accounts have %d in all, want %d with %d", at, len(bank), sum, accounts, accounts*balance)
	}
}

// check waits until the listener has all given entries, and returns all errors. An acknowledged entry that was not in
// the first snapshot at or after its commit is an error.
func (m *moving) check(t *testing.T, want map[string]fields, acknowledged map[string]time.Time) []string {
	t.Helper()
	limit := time.Now().Add(timeLimit / 4)
	for !m.has(want) {
		if time.Now().After(limit) {
			m.mu.Lock()
			m.fail("after %v the listener has %d entries, which are not the %d that there are", timeLimit/4, len(m.targets[entriesTarget].docs), len(want))
			m.mu.Unlock()
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for path, made := range acknowledged {
		switch came, found := m.came[path]; {
		case !found:
			m.fail("%s never came", path)
		case made.After(came.at) || !made.After(came.before):
			m.fail("%s of %v came with the snapshot of %v, after that of %v", path, made, came.at, came.before)
		}
	}
	wrong := m.wrong
	m.wrong = nil
	return wrong
}

// has reports whether the listener has exactly these entries.
func (m *moving) has(want map[string]fields) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.EqualFunc(m.targets[entriesTarget].docs, want, func(a, b fields) bool { return maps.Equal(a, b) })
}

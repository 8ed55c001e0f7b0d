package sdk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	pb "clave/server/internal/model/wire/firestorepb"
)

// conflict is a scene of two transactions, or of a transaction and a writer outside of it. The documents c/x and c/y
// exist, with n=0.
type conflict struct {
	name string
	// play carries out the scene. Codes are those of commits, whose order may differ.
	play func(p *conflictPlayer)
	// deadlock is set if each commit waits for the other transaction: then exactly one succeeds here. The official
	// emulator may end both.
	deadlock bool
}

// conflictPlayer carries out scenes at a server.
type conflictPlayer struct {
	*sequenceClient
	ctx context.Context
	// results are the codes of the commits under way, in no order.
	pending int
	results chan codes.Code
	seen    []string
}

// conflicts are the scenes.
var conflicts = []conflict{
	{"a writer waits for a transaction that has read", func(p *conflictPlayer) {
		one := p.begin(false)
		p.read(one, "c/x")
		p.commit(nil, p.set("c/x", 1))
		p.commit(one, p.set("c/x", 2))
	}, false},
	{"a writer goes on after a rollback", func(p *conflictPlayer) {
		one := p.begin(false)
		p.read(one, "c/x")
		p.rollBack(one)
		p.commit(nil, p.set("c/x", 1))
	}, false},
	{"two transactions read and write a document", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.read(one, "c/x")
		p.read(two, "c/x")
		p.commit(one, p.set("c/x", 1))
		p.commit(two, p.set("c/x", 2))
	}, true},
	{"two transactions write what the other one has read", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.read(one, "c/x")
		p.read(two, "c/y")
		p.commit(one, p.set("c/y", 1))
		p.commit(two, p.set("c/x", 2))
	}, true},
	{"two transactions of different documents", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.read(one, "c/x")
		p.read(two, "c/y")
		p.commit(one, p.set("c/x", 1))
		p.commit(two, p.set("c/y", 2))
	}, false},
	{"two transactions read a document without writers", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.read(one, "c/x")
		p.read(two, "c/x")
		p.commit(one, p.set("d/a", 1))
		p.commit(two, p.set("d/b", 2))
	}, false},
	{"a transaction reads a missing document that a writer creates", func(p *conflictPlayer) {
		one := p.begin(false)
		p.read(one, "c/z")
		p.commit(nil, p.set("c/z", 1))
		p.commit(one, p.set("d/z", 2))
	}, false},
	{"a transaction writes what it has queried and another one writes", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.query(one)
		p.commit(two, p.set("c/x", 2))
		p.commit(one, p.set("c/x", 1))
	}, false},
	{"the older one of them has not queried", func(p *conflictPlayer) {
		one, two := p.begin(false), p.begin(false)
		p.query(two)
		p.commit(one, p.set("c/x", 2))
		p.commit(two, p.set("c/x", 1))
	}, false},
	{"a read-only transaction keeps its past", func(p *conflictPlayer) {
		one := p.begin(true)
		p.read(one, "c/x")
		p.commit(nil, p.set("c/x", 1))
		p.await()
		p.read(one, "c/x")
		p.read(nil, "c/x")
	}, false},
}

// conflictScenes carries out scenes in which calls wait for locks, and compares which commits succeed.
func conflictScenes(t *testing.T, ours, theirs string) {
	for i, scene := range conflicts {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			var got [2][]string
			for at, address := range []string{ours, theirs} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				p := &conflictPlayer{sequenceClient: newSequenceClient(t, address, address, fmt.Sprintf("conflict-%d", i)), results: make(chan codes.Code, 10)}
				p.ctx = p.owner(ctx)
				p.commit(nil, p.set("c/x", 0), p.set("c/y", 0))
				p.await()
				scene.play(p)
				p.await()
				if !scene.deadlock {
					p.read(nil, "c/x", "c/y", "c/z", "d/a", "d/b", "d/z")
				}
				got[at] = p.seen
			}
			switch last := fmt.Sprint([]codes.Code{codes.Aborted, codes.OK}); {
			case scene.deadlock && got[0][len(got[0])-1] != last:
				t.Errorf("%v, want %s at the end", got[0], last)
			case !scene.deadlock && !slices.Equal(got[0], got[1]):
				t.Errorf("ours:   %v\ntheirs: %v", got[0], got[1])
			}
		})
	}
}

// begin begins a transaction.
func (p *conflictPlayer) begin(readOnly bool) []byte {
	p.t.Helper()
	r := &pb.BeginTransactionRequest{Database: p.database()}
	if readOnly {
		r.Options = &pb.TransactionOptions{Mode: &pb.TransactionOptions_ReadOnly_{ReadOnly: &pb.TransactionOptions_ReadOnly{}}}
	}
	res, err := p.api.BeginTransaction(p.ctx, r)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.Transaction
}

// read reads documents, in a transaction if one is given.
func (p *conflictPlayer) read(in []byte, paths ...string) {
	p.t.Helper()
	s := &callSequence{}
	var one *sequenceTransaction
	if in != nil {
		one = &sequenceTransaction{ids: [][]byte{in}}
	}
	text, err := s.get(p.ctx, p.sequenceClient, 0, one, -1, paths)
	if err != nil {
		p.t.Fatal(err)
	}
	p.seen = append(p.seen, text)
}

// query queries the documents of a collection in a transaction.
func (p *conflictPlayer) query(in []byte) {
	p.t.Helper()
	stream, err := p.api.RunQuery(p.ctx, &pb.RunQueryRequest{
		Parent: p.database() + "/documents",
		QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: &pb.StructuredQuery{
			From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}},
		}},
		ConsistencySelector: &pb.RunQueryRequest_Transaction{Transaction: in},
	})
	found, err := rows(stream, err, func(m *pb.RunQueryResponse) string { return p.short(m.GetDocument().GetName()) })
	if err != nil {
		p.t.Fatal(err)
	}
	p.seen = append(p.seen, strings.TrimSpace(strings.Join(found, " ")))
}

// set returns a write of a document.
func (p *conflictPlayer) set(path string, n int64) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{
		Name: p.database() + "/documents/" + path, Fields: map[string]*pb.Value{"n": {ValueType: &pb.Value_IntegerValue{IntegerValue: n}}},
	}}}
}

// commit begins a commit, which may wait for a lock.
func (p *conflictPlayer) commit(in []byte, writes ...*pb.Write) {
	p.pending++
	go func() {
		_, err := p.api.Commit(p.ctx, &pb.CommitRequest{Database: p.database(), Transaction: in, Writes: writes})
		p.results <- codeOf(err)
	}()
}

// await waits until all commits have ended.
func (p *conflictPlayer) await() {
	p.t.Helper()
	var all []string
	for ; p.pending > 0; p.pending-- {
		all = append(all, (<-p.results).String())
	}
	slices.Sort(all)
	p.seen = append(p.seen, fmt.Sprint(all))
}

// rollBack ends a transaction.
func (p *conflictPlayer) rollBack(id []byte) {
	p.t.Helper()
	if _, err := p.api.Rollback(p.ctx, &pb.RollbackRequest{Database: p.database(), Transaction: id}); err != nil {
		p.t.Fatal(err)
	}
}

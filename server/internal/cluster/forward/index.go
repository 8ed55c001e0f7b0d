package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/store/postgres/readlease"
)

// IndexService is the name of the leader's service for read indexes.
const IndexService = "index"

// maxIndex is the maximum size of a request for a read index.
const maxIndex = 1 << 20

// Index is a read index: a node that has all that it names reads everything that was acknowledged before the index was
// requested.
type Index struct {
	// Seq is the last row of the log.
	Seq int64 `json:"seq"`
	// Rules identifies the rules in force at the leader.
	Rules string `json:"rules"`
	// Versions holds versions for reads of the latest state, by the names of databases. All commits after Seq have greater
	// versions.
	Versions map[string]clock.Version `json:"versions"`
	// Lease is the time from the sending of the request for which no node shows a later row or decides by other rules; 0
	// for none. It ends earlier with the next response on the same stream, which may bring another one.
	Lease time.Duration `json:"-"`
}

// IndexRequest is the request for a read index.
type IndexRequest struct {
	// Wait lets the leader wait for a short time until the last row of the log differs from After.
	Wait  bool  `json:"wait,omitempty"`
	After int64 `json:"after,omitempty"`
	// Databases lists the databases whose versions are requested.
	Databases []string `json:"databases"`
	// Lease requests a lease, which needs Wait. The leader waits until it can grant one. It is ignored by a leader of an
	// earlier version.
	Lease bool `json:"-"`
	// Holder stands for the stream of the request at the leader; nil without leases. Received is a time after the
	// request's arrival.
	Holder   *readlease.Holder `json:"-"`
	Received time.Time         `json:"-"`
}

// AnswerIndex returns the handler of IndexService. It responds to requests over HTTP, and on the node's streams.
func AnswerIndex(answer func(context.Context, IndexRequest) (Index, error)) http.Handler {
	return indexHandler(answer)
}

// indexHandler serves requests for read indexes.
type indexHandler func(context.Context, IndexRequest) (Index, error)

// ServeHTTP implements http.Handler, for nodes of an earlier version.
func (answer indexHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request IndexRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, maxIndex)).Decode(&request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	index, err := answer(r.Context(), request)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	httpjson.Write(w, http.StatusOK, index)
}

// Index requests a read index from the leader, until ctx is done; ctx must have a deadline. It does not wait for a
// leader.
func (n *Node) Index(ctx context.Context, request IndexRequest) (index Index, err error) {
	leader, _ := n.o.Leader()
	if leader.Address == "" || leader.Node == n.o.Name {
		return index, errNotReached
	}
	stream := &n.reading
	if request.Wait {
		stream = &n.waiting
	}
	found, err := stream.request(ctx, n, leader, request)
	switch {
	case errors.Is(err, errNoStreams):
		return n.indexOverHTTP(ctx, leader, request)
	case err != nil:
		return index, err
	case found == nil:
		return index, errIndex
	}
	return *found, nil
}

// indexOverHTTP requests a read index from a leader of an earlier version.
func (n *Node) indexOverHTTP(ctx context.Context, leader Leader, request IndexRequest) (index Index, err error) {
	ctx, cancel := n.during(leader).Within(ctx)
	defer cancel()
	body, err := json.Marshal(request)
	if err != nil {
		return index, err
	}
	status, answer, err := n.Client().Call(ctx, leader, IndexService, body)
	switch {
	case err != nil:
		return index, err
	case status != http.StatusOK:
		return index, fmt.Errorf("cluster: the leader returned status %d for a read index", status)
	}
	return index, json.Unmarshal(answer, &index)
}

// Shared makes one call at a time for many callers. Callers that arrive during a call share the next one, which begins
// after they have arrived. Call must be set.
type Shared[T any] struct {
	// Call makes a call. Its context does not depend on any of the callers.
	Call func(ctx context.Context) (T, error)
	mu   struct {
		sync.Mutex
		running bool
		next    *flight[T]
	}
}

// flight is one call of several callers.
type flight[T any] struct {
	// turn holds one message; the caller that receives it makes the call. done is closed when result and err are set.
	turn, done chan struct{}
	result     T
	err        error
}

// Do returns the result of a call that begins after Do was called.
func (s *Shared[T]) Do(ctx context.Context) (result T, err error) {
	s.mu.Lock()
	if s.mu.next == nil {
		s.mu.next = &flight[T]{turn: make(chan struct{}, 1), done: make(chan struct{})}
	}
	f := s.mu.next
	if !s.mu.running {
		s.mu.running = true
		f.turn <- struct{}{}
	}
	s.mu.Unlock()
	select {
	case <-f.turn:
		s.fly(ctx, f)
	case <-f.done:
	case <-ctx.Done():
		// If this flight has the turn, another of its callers takes it.
		return result, ctx.Err()
	}
	return f.result, f.err
}

// fly makes the call of a flight and passes the turn to the next one.
func (s *Shared[T]) fly(ctx context.Context, f *flight[T]) {

	s.mu.Lock()
	s.mu.next = nil // later callers join the next flight
	s.mu.Unlock()
	f.result, f.err = s.Call(context.WithoutCancel(ctx))
	close(f.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.next != nil {
		s.mu.next.turn <- struct{}{}
	} else {
		s.mu.running = false
	}
}

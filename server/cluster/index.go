package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"

	"clave/server/clock"
	"clave/server/httpjson"
)

// IndexService is the service by which the leader answers requests for read indexes.
const IndexService = "index"

// maxIndex is how large a request for a read index may be.
const maxIndex = 1 << 20

// Index is a read index: a node that has all that it names reads what was acknowledged before the index was requested.
type Index struct {
	// Seq is the last row of the log.
	Seq int64 `json:"seq"`
	// Rules identifies the rules by which the leader decides.
	Rules string `json:"rules"`
	// Versions are versions for reads of now, by the names of databases. No commit behind Seq has one of them or an earlier one.
	Versions map[string]clock.Version `json:"versions"`
}

// IndexRequest is the request for a read index.
type IndexRequest struct {
	// Wait has the leader wait for a short time until the last row of the log is another one than After.
	Wait  bool  `json:"wait,omitempty"`
	After int64 `json:"after,omitempty"`
	// Databases are those of which versions are wanted.
	Databases []string `json:"databases"`
}

// AnswerIndex returns the handler of IndexService.
func AnswerIndex(answer func(context.Context, IndexRequest) (Index, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	})
}

// Index requests a read index from the leader. It does not wait for a leader.
func (n *Node) Index(ctx context.Context, request IndexRequest) (index Index, err error) {
	leader, _ := n.o.Leader()
	if leader.Address == "" || leader.Node == n.o.Name {
		return index, errNotReached
	}
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
		return index, fmt.Errorf("cluster: the leader answers %d to a request for a read index", status)
	}
	return index, json.Unmarshal(answer, &index)
}

// Shared makes calls of which one is under way at a time. Whoever comes meanwhile shares the next one, which begins after all of its
// callers have come. The zero value needs Call.
type Shared[T any] struct {
	// Call makes a call. Its context does not end with any of the callers.
	Call func(ctx context.Context) (T, error)
	mu   struct {
		sync.Mutex
		running bool
		next    *flight[T]
	}
}

// flight is one call of several callers.
type flight[T any] struct {
	// turn has the one message that whoever receives it makes the call, and done is closed when result and err are set.
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
		// Whoever comes next takes the turn, if it is this flight's.
		return result, ctx.Err()
	}
	return f.result, f.err
}

// fly makes the call of a flight and gives the turn to the next one.
func (s *Shared[T]) fly(ctx context.Context, f *flight[T]) {
	s.mu.Lock()
	s.mu.next = nil // who comes from now on is late for this one
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

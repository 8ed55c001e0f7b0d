package listen_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/database/listen"
	"clave/server/internal/model/document"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// TestClientsThatDontReadShareTheMemory checks that many clients that do not read, each with its own changing query,
// together hold no more memory than is allowed. A client that reads receives every change, and a client that resumes
// reading is reset.
func TestClientsThatDontReadShareTheMemory(t *testing.T) {
	const (
		clients, rounds = 6, 12
		size            = 32 << 10
		most            = 1 << 20
	)
	h := newFixture(t, listen.Options{MaxHeldBytes: most})
	reader := h.open()
	reader.stream.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(t, "read", nil)}})
	reader.want("opening", "ADD[1], CUR[1], B")
	read := make(chan struct{})
	var resets []chan struct{}
	for i := range clients {
		resets = append(resets, h.openStuck(fmt.Sprintf("c%d", i), read))
	}
	large := func(path string, n int) document.Write {
		w := set(path, n)
		w.Fields["s"] = value.String(strings.Repeat("x", size))
		return w
	}
	for round := range rounds {
		for i := range clients {
			h.commit(large(fmt.Sprintf("c%d/a", i), round), large("read/a", round*clients+i))
			reader.want("a change", "chg read/a>[1], B") // The feed reader has delivered the commit by now.
			// The changes of the last commit may not have been counted yet.
			if held := h.hub.Held(); held > most+3*size {
				t.Fatalf("%d bytes wait for clients, want at most %d and a commit", held, most)
			}
		}
	}
	close(read)
	for _, reset := range resets[:clients/2] {
		<-reset
	}
	reader.close()
}

// openStuck opens a stream whose client reads its first snapshot and then nothing until read is closed. The returned
// channel is closed when a target was reset and sent again.
func (h *fixture) openStuck(collectionID string, read <-chan struct{}) chan struct{} {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	s := h.hub.Open(testDB)
	opened, reset, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer s.Close()
		first, wasReset := true, false
		_ = s.Run(ctx, func(e *target.Event) error {
			switch {
			case e.Kind == target.Snapshot && first:
				first = false
				close(opened)
			case e.Kind == target.Reset:
				wasReset = true
			case e.Kind == target.Current && wasReset:
				close(reset)
				wasReset = false
			case e.Kind == target.Changed:
				select {
				case <-read:
				case <-ctx.Done():
				}
			}
			return nil
		}) // ends with ctx
	}()
	h.t.Cleanup(func() { cancel(); <-ended })
	s.Add(listen.Target{Authorization: listen.Unrestricted(), Target: target.Target{ID: 1, Query: collection(h.t, collectionID, nil)}})
	<-opened
	return reset
}

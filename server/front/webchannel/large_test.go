package webchannel

import (
	"context"
	"errors"
	"strings"
	"testing"

	pb "clave/server/wire/firestorepb"
)

// TestLargeMessagesWaitForEachOther fills the budget for large messages: a small one is still parsed, a large one waits, and its
// share is returned before the next message and at the end of the stream.
func TestLargeMessagesWaitForEachOther(t *testing.T) {
	h := newHandler(Options{}, nil)
	h.o.EnsureDefaults()
	s := newSession(h, "id", 0)
	small, large := `{"database":""}`, `{"database":"", "labels":{"a":"`+strings.Repeat("x", largeMessage)+`"}}`
	s.mu.in = []string{small, large, large}
	if !h.large.TryAcquire(maxLarge) {
		t.Fatal("the budget is not whole")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	st := &stream[pb.WriteRequest, pb.WriteResponse]{ctx: ended, s: s}
	if _, err := st.Recv(); err != nil {
		t.Errorf("a small message beside large ones: %v", err)
	}
	if _, err := st.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("a large message without room: %v, want that it waits until its stream ends", err)
	}
	h.large.Release(maxLarge)
	st.ctx = t.Context()
	if _, err := st.Recv(); err != nil {
		t.Errorf("a large message: %v", err)
	}
	if h.large.TryAcquire(maxLarge) {
		t.Fatal("a large message has no share of the budget")
	}
	st.end()
	if !h.large.TryAcquire(maxLarge) {
		t.Error("the share is not returned at the end")
	}
}

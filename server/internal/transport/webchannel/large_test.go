package webchannel

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/limit/parse"
	"clave/server/internal/limit/receive"
	"clave/server/internal/transport/calls"
)

// TestLargeMessagesWaitForEachOther uses up the limit of large messages. A small message must be parsed, a large one
// must wait, and its share must be returned before the next message and at the end of the stream.
func TestLargeMessagesWaitForEachOther(t *testing.T) {
	h := newHandler(Options{}, nil)
	h.o.EnsureDefaults()
	s := newSession(h, "id", 0)
	small, large := `{"database":""}`, `{"database":"", "labels":{"a":"`+strings.Repeat("x", parse.Large)+`"}}`
	s.mu.in = []string{small, large, large}
	whole, err := h.o.Parsing.Admit(t.Context(), netip.Addr{}, h.o.Parsing.Most())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	st := &stream{ctx: parse.Within(ended), s: s, call: calls.ByName["Write"]}
	if _, err := st.Recv(); err != nil {
		t.Errorf("a small message beside large ones: %v", err)
	}
	if _, err := st.Recv(); !errors.Is(err, context.Canceled) {
		t.Errorf("a large message without room: %v, want that it waits until its stream ends", err)
	}
	whole.Release()
	st.ctx = parse.Within(t.Context())
	if _, err := st.Recv(); err != nil {
		t.Errorf("a large message: %v", err)
	}
	if h.o.Parsing.Used() == 0 {
		t.Error("a large message has no share")
	}
	st.end()
	if n := h.o.Parsing.Used(); n != 0 {
		t.Errorf("the message has a share of %d bytes after the end", n)
	}
}

// TestWaitingMessagesAreInTheBudget queues large messages. They count in the budget until they are parsed. A session is
// ended if its messages wait while requests need the bytes.
func TestWaitingMessagesAreInTheBudget(t *testing.T) {
	now := clocktest.NewManual(clock.System().Now())
	b := receive.New(receive.Options{Bytes: 4 * parse.Large, Clock: now})
	h := newHandler(Options{Budget: b, Clock: now}, nil)
	h.o.EnsureDefaults()
	s := h.register("Write", 0)
	text := `{"database":"", "labels":{"a":"` + strings.Repeat("x", 2*parse.Large) + `"}}`
	queue := func(rid int, data string, want int) {
		t.Helper()
		if _, ok := s.accept(rid, -1, []forwardMap{{id: rid, data: data}}); !ok {
			t.Fatal("a message is refused")
		}
		if got := b.Used(); got != int64(want) {
			t.Errorf("%d bytes are in the budget, want %d", got, want)
		}
	}
	queue(0, text, weight(text))
	whole, err := h.o.Parsing.Admit(t.Context(), netip.Addr{}, h.o.Parsing.Most())
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	st := &stream{ctx: parse.Within(ended), s: s, call: calls.ByName["Write"]}
	if _, err := st.Recv(); !errors.Is(err, context.Canceled) || b.Used() != int64(weight(text)) {
		t.Errorf("a message that can't be parsed yet: %v and %d bytes in the budget, want that it waits there", err, b.Used())
	}
	whole.Release()
	st.ctx = parse.Within(t.Context())
	if _, err := st.Recv(); err != nil || b.Used() != 0 {
		t.Errorf("a message that is parsed: %v and %d bytes in the budget, want none", err, b.Used())
	}
	st.end()
	queue(1, `{}`, 0)
	queue(2, text, weight(text)+weight(`{}`))
	now.Advance(2 * time.Second)
	other := b.Hold(nil)
	defer other.Release()
	if err := other.Take(t.Context(), 3*parse.Large); err != nil {
		t.Errorf("a request beside messages that wait: %v", err)
	}
	if _, err := s.recv(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the session: %v, want that it has ended", err)
	}
	if got := b.Used(); got != 3*parse.Large {
		t.Errorf("%d bytes are in the budget afterwards, want those of the request", got)
	}
}

package webchannel

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"clave/server/internal/auth/token"
)

// TestSlowClientsShareTheMemory sends on many streams whose clients read nothing. No stream may be ended, and together
// they must hold little memory.
func TestSlowClientsShareTheMemory(t *testing.T) {
	const (
		sessions = 200
		each     = 8 << 10
		most     = 16 << 20
	)
	synctest.Test(t, func(t *testing.T) {
		o := Options{MaxHeld: most, Log: slog.New(slog.DiscardHandler)}
		o.EnsureDefaults()
		h := newHandler(o, nil)
		for i := range sessions {
			s := newSession(h, strconv.Itoa(i), 1)
			h.mu.sessions[s.id] = s
			go func() {
				for s.send(t.Context(), make([]byte, each), false) == nil { // until the test or the session ends
				}
			}()
		}
		synctest.Wait()
		if got := h.Sessions(); got != sessions {
			t.Errorf("%d sessions are left, want all %d", got, sessions)
		}
		if held, want := h.held.Load(), int64(most/crowdedDivisor+sessions*maxChunk+o.MaxUnacked); held > want {
			t.Errorf("%d bytes are held for clients that take nothing, want at most %d", held, want)
		}
		h.closeAll()
	})
}

// TestClientContinuesUnderMemoryPressure reads a whole stream while all sessions together may hold little. The back
// channel must end when the stream waits, so that the client acknowledges.
func TestClientContinuesUnderMemoryPressure(t *testing.T) {
	const messages, size = 40, 16 << 10
	text := strings.Repeat("1", size)
	h := newFixture(t, Options{MaxHeld: 8 * maxChunk}, func(ctx context.Context, _ token.Caller, s *session) error {
		for range messages {
			if err := s.send(ctx, []byte(text), false); err != nil {
				return err
			}
		}
		<-ctx.Done()
		return ctx.Err()
	})
	sid := h.open()
	got, last, channels := 0, 0, 0
	for got < messages {
		b := h.get(sid, last, "&CI=0")
		channels++
		for got < messages {
			arrays, err := b.next()
			if err != nil {
				break
			}
			for _, a := range arrays {
				if a.id != last+1 {
					t.Fatalf("array %d after %d", a.id, last)
				}
				last = a.id
				if string(a.payload) == "["+text+"]" {
					got++
				}
			}
		}
		if channels > messages {
			t.Fatalf("%d back channels have brought %d of %d messages", channels, got, messages)
		}
	}
	if channels < 2 {
		t.Error("all came over one back channel, so no stream waited")
	}
}

package webchannel

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
)

// TestNumbersFarAhead sends acknowledgements and messages whose numbers are far from those of the session.
func TestNumbersFarAhead(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	for _, tt := range []struct {
		name     string
		ack      int
		sessions int // that are left
	}{
		{"arrays that were never sent", 1e9, 0},
		{"the largest number", math.MaxInt, 0},
		{"less than none", -1e9, 1},
		{"the smallest number", math.MinInt, 1},
	} {
		sid := h.open(`0`)
		h.get(sid, 0, "&CI=0").want(`[0]`)
		if status, body := h.post(sid, 101, tt.ack, 1, `1`); (status == 200) != (tt.sessions == 1) {
			t.Errorf("an acknowledgement of %s: %d %q", tt.name, status, body)
		}
		if got := h.h.Sessions(); got != tt.sessions {
			t.Errorf("after an acknowledgement of %s there are %d sessions, want %d", tt.name, got, tt.sessions)
		}
		h.do("POST", testAddress+"&SID="+sid+"&TYPE=terminate", "")
	}
	sid := h.open(`0`)
	if status, _ := h.do("GET", testAddress+"&RID=rpc&AID=1000000000&SID="+sid, ""); status != 400 {
		t.Errorf("a back channel after arrays that were never sent: %d, want 400", status)
	}
	if status, _ := h.post(sid, 101, 0, math.MaxInt32, `1`); status != 200 {
		t.Errorf("a message far ahead: %d, want 200", status)
	}
	if status, _ := h.post(sid, 102, 0, 2, `2`); status != 200 {
		t.Errorf("a message before it: %d, want 200", status)
	}
	if status, _ := h.post(sid, 103, 0, math.MaxInt32+1, `3`); status != 400 {
		t.Errorf("a message whose number is too large: %d, want 400", status)
	}
	h.get(sid, 0, "&CI=0").want(`[0]`, `[1]`)
}

// TestRequestNumbersDoNotOverflow begins a session with the largest number, after which every other number would be in
// the future and its request would be kept.
func TestRequestNumbersDoNotOverflow(t *testing.T) {
	h := newFixture(t, Options{}, echo)
	if status, body := h.do("POST", fmt.Sprintf("%s&RID=%d&CVER=22", testAddress, math.MaxInt), form(0)); status != 400 {
		t.Errorf("handshake = %d %q, want 400", status, body)
	}
	sid := h.open()
	for _, rid := range []int{math.MaxInt, math.MinInt} {
		h.post(sid, rid, -1, 0)
	}
	if s := h.h.find(sid, "Test"); s != nil && len(s.mu.early) > maxEarly {
		t.Errorf("%d requests are kept, want at most %d", len(s.mu.early), maxEarly)
	}
}

// TestSmallMessagesHaveALimit sends many messages of one byte to a stream that receives none.
func TestSmallMessagesHaveALimit(t *testing.T) {
	h := newFixture(t, Options{MaxBody: 64 << 10}, func(ctx context.Context, _ token.Caller, s *session) error {
		<-ctx.Done()
		return ctx.Err()
	})
	sid := h.open()
	const most = 5000
	small := strings.Split(strings.Repeat("1", maxMaps), "")
	sent := 0
	for status := 200; status == 200 && sent < most; sent += maxMaps {
		status, _ = h.post(sid, 101+sent/maxMaps, -1, sent, small...)
	}
	if sent >= most {
		t.Errorf("%d messages wait, want fewer than %d to fill 64 KiB", sent, most)
	}
}

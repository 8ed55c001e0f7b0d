package slots_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/limit/slots"
)

// holder takes slots for an address and counts those that were ended.
type holder struct {
	address netip.Addr
	taken   []*slots.Slot
	// ended has the indexes of ended slots, in the order of their ends.
	ended []int
}

// take takes n slots, and returns how many were granted.
func (h *holder) take(p *slots.Slots, n int) (granted int) {
	for range n {
		i := len(h.taken)
		if slot := p.Take(h.address, func() { h.ended = append(h.ended, i) }); slot != nil {
			h.taken = append(h.taken, slot)
			granted++
		}
	}
	return granted
}

// of returns a holder of an address.
func of(address string) *holder { return &holder{address: netip.MustParseAddr(address)} }

// TestANetworkHasABound takes more slots than a network may have.
func TestANetworkHasABound(t *testing.T) {
	p := slots.New(slots.Options{All: 100, Network: 10})
	for _, tt := range []struct {
		name        string
		first, next *holder
		want        int
	}{
		{"an IPv4 address", of("192.0.2.1"), of("::ffff:192.0.2.1"), 0},
		{"another one", of("192.0.2.2"), of("192.0.2.3"), 10},
		{"a /64", of("2001:db8::1"), of("2001:db8::ffff:1"), 0},
		{"another /64", of("2001:db8:0:1::1"), of("2001:db8:0:2::1"), 10},
	} {
		if got := tt.first.take(p, 15); got != 10 {
			t.Errorf("%s: %d of 15 slots, want 10", tt.name, got)
		}
		if got := tt.next.take(p, 15); got != tt.want {
			t.Errorf("%s, then %v: %d of 15 slots, want %d", tt.name, tt.next.address, got, tt.want)
		}
	}
}

// TestSlotsAreReleased takes slots that were released, also repeatedly.
func TestSlotsAreReleased(t *testing.T) {
	p := slots.New(slots.Options{All: 4, Network: 4})
	for range 3 {
		h := of("192.0.2.1")
		if got := h.take(p, 5); got != 4 {
			t.Fatalf("%d of 5 slots, want 4", got)
		}
		for _, slot := range h.taken {
			slot.Release()
			slot.Release()
		}
		if got := p.Taken(); got != 0 {
			t.Fatalf("%d slots are taken after the release of all, want 0", got)
		}
	}
	(*slots.Slot)(nil).Release()
}

// TestFewPlacesDisplaceMany fills all slots by large networks. Others must get the oldest slots of the largest one,
// until each has as many.
func TestFewPlacesDisplaceMany(t *testing.T) {
	p := slots.New(slots.Options{All: 12, Network: 8})
	large, medium, small := of("192.0.2.1"), of("192.0.2.2"), of("192.0.2.3")
	large.take(p, 8)
	medium.take(p, 4)
	if got := small.take(p, 9); got != 4 {
		t.Errorf("the newcomer has %d slots, want 4", got)
	}
	if !slices.Equal(large.ended, []int{0, 1, 2, 3}) || len(medium.ended) != 0 {
		t.Errorf("ended slots of the largest network %v, of the other %v, want the four oldest of the largest", large.ended, medium.ended)
	}
	if got := large.take(p, 1); got != 0 {
		t.Errorf("the largest network has taken %d slots of others, want 0", got)
	}
	large.taken[0].Release() // it was taken away
	if got := p.Taken(); got != 12 {
		t.Errorf("%d slots are taken, want 12", got)
	}
}

// TestSharedAddresses takes slots for addresses that many clients share.
func TestSharedAddresses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		shared  bool
		address string
	}{
		{"a proxy", true, "192.0.2.1"},
		{"this machine", false, "127.0.0.1"},
		{"this machine by IPv6", false, "::1"},
	} {
		p := slots.New(slots.Options{All: 10, Network: 2, Shared: tt.shared})
		h, other := of(tt.address), of("192.0.2.9")
		if got := h.take(p, 12); got != 10 {
			t.Errorf("%s: %d of 12 slots, want 10", tt.name, got)
		}
		if got := other.take(p, 1); got != 0 || len(h.ended) != 0 {
			t.Errorf("%s: the next client has %d slots and ended %v, want none", tt.name, got, h.ended)
		}
	}
}

// TestConnectionsHoldSlots opens and closes connections.
func TestConnectionsHoldSlots(t *testing.T) {
	p := slots.New(slots.Options{All: 1})
	ours, theirs := net.Pipe()
	first := p.Conn(ours)
	if first == nil {
		t.Fatal("no slot for the first connection")
	}
	refused, peer := net.Pipe()
	if p.Conn(refused) != nil {
		t.Error("a slot for the second connection, want none")
	}
	if _, err := peer.Read(make([]byte, 1)); err == nil {
		t.Error("the refused connection is open")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Read(make([]byte, 1)); err == nil {
		t.Error("the first connection is open after Close")
	}
	if got := p.Taken(); got != 0 {
		t.Errorf("%d slots are taken after Close, want 0", got)
	}
}

// TestRefusalsAreLogged checks that the log names the kind and the client that is refused or loses its slot, and that a
// flood does not fill it.
func TestRefusalsAreLogged(t *testing.T) {
	var log bytes.Buffer
	manual := clocktest.NewManual(time.Unix(1_800_000_000, 0))
	p := slots.New(slots.Options{All: 4, Network: 3, Kind: "streams", Clock: manual, Log: slog.New(slog.NewTextHandler(&log, nil))})
	large, small := of("192.0.2.1"), of("192.0.2.2")
	lines := func() int { return strings.Count(log.String(), "\n") }
	if large.take(p, 3); lines() != 0 {
		t.Errorf("the log has %q before any refusal", log.String())
	}
	large.take(p, 1000)
	if !strings.Contains(log.String(), `msg="a client was refused" kind=streams address=192.0.2.1 taken=3 all=4 network=3`) || lines() != 1 {
		t.Errorf("the log after 1,000 refusals is %q, want one line with the kind and the client", log.String())
	}
	log.Reset()
	manual.Advance(time.Minute)
	small.take(p, 2)
	if !strings.Contains(log.String(), `msg="a slot was taken from a client" kind=streams network=192.0.2.1/32 taken=4 all=4`) || lines() != 1 {
		t.Errorf("the log after a minute is %q, want one line about the slot that was taken away", log.String())
	}
}

// Package slots bounds how many connections or streams clients hold: those of one network, and those of all clients
// together. Each costs memory and needs no credentials.
//
// When all slots are taken, a client of a network that holds few of them gets one that the network with the most has
// taken first. A single network therefore does not keep the others out, and no slot is unused while a client needs it.
package slots

import (
	"container/list"
	"log/slog"
	"net/netip"
	"sync"

	"clave/server/internal/base/clock"
	"clave/server/internal/limit/rate"
)

// Options configure Slots.
type Options struct {
	// All is the maximum number of slots; zero means 4,096.
	All int
	// Network is the maximum number of slots of one network: an IPv4 address or the /64 of an IPv6 address; zero means
	// a quarter of All.
	Network int
	// Shared is set if many clients share addresses, as behind a proxy that hides theirs. Only All applies then.
	Shared bool
	// Kind names what takes the slots, in the log.
	Kind string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives a warning when a client is refused, or loses a slot, at most once a minute; nil logs nothing.
	Log *slog.Logger
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.All == 0 {
		o.All = 4096
	}
	if o.Network == 0 {
		o.Network = max(o.All/4, 1)
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Slots are the slots of all clients. It is safe for concurrent use.
type Slots struct {
	o  Options
	mu struct {
		sync.Mutex
		taken int
		// warned limits the warnings.
		warned clock.Minutely
		// networks holds the slots that each network has taken, the oldest first, as *Slot. Loopback and shared
		// addresses are not in it: their slots are never taken away.
		networks map[netip.Prefix]*list.List
	}
}

// New returns Slots that are all free.
func New(o Options) *Slots {
	o.EnsureDefaults()
	p := &Slots{o: o}
	p.mu.networks = make(map[netip.Prefix]*list.List)
	return p
}

// Slot is a slot that a client has taken.
type Slot struct {
	slots   *Slots
	network netip.Prefix
	// at is the slot's element in the list of its network, nil if it is in none.
	at *list.Element
	// end ends what holds the slot.
	end      func()
	released bool
}

// Taken returns the number of slots that are taken.
func (p *Slots) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.taken
}

// Take takes a slot for a client of an address. It returns nil if there is none. end ends the connection or the stream
// that holds the slot. It is called, at most once and by another goroutine, if another client needs the slot; the slot
// is free from then on. It must not block.
func (p *Slots) Take(address netip.Addr, end func()) *Slot {
	p.mu.Lock()
	slot, ended := p.takeLocked(address, end)
	taken, warn := p.mu.taken, (slot == nil || ended != nil) && p.mu.warned.Due(p.o.Clock.Now())
	p.mu.Unlock()
	if warn {
		p.warn(address, ended, taken)
	}
	if ended != nil {
		ended.end()
	}
	return slot
}

// warn logs that a client of an address was refused, or that the slot ended was taken from another network for it.
// Without a line a client that tries again and again would wait for no visible reason.
func (p *Slots) warn(address netip.Addr, ended *Slot, taken int) {
	if ended != nil {
		p.o.Log.Warn("a slot was taken from a client", "kind", p.o.Kind, "network", ended.network.String(), "taken", taken, "all", p.o.All)
		return
	}
	p.o.Log.Warn("a client was refused", "kind", p.o.Kind, "address", address.String(), "taken", taken, "all", p.o.All, "network", p.o.Network)
}

// takeLocked takes a slot, and returns the slot that was taken from another network for it, if any; mu is held.
func (p *Slots) takeLocked(address netip.Addr, end func()) (slot, ended *Slot) {
	slot = &Slot{slots: p, end: end}
	counted := !p.o.Shared && address.IsValid() && !address.Unmap().IsLoopback()
	own := 0
	if counted {
		slot.network = rate.Network(address)
		if l := p.mu.networks[slot.network]; l != nil {
			own = l.Len()
		}
		if own >= p.o.Network {
			return nil, nil
		}
	}
	// All slots are taken: the network that has the most loses one, if it has more than this one would then have.
	if p.mu.taken >= p.o.All {
		if ended = p.oldestOfMostLocked(own + 1); ended == nil {
			return nil, nil
		}
		p.releaseLocked(ended)
	}
	p.mu.taken++
	if counted {
		l := p.mu.networks[slot.network]
		if l == nil {
			l = list.New()
			p.mu.networks[slot.network] = l
		}
		slot.at = l.PushBack(slot)
	}
	return slot, ended
}

// oldestOfMostLocked returns the oldest slot of the network that has the most, or nil if none has more than least; mu
// is held.
func (p *Slots) oldestOfMostLocked(least int) *Slot {
	var most *list.List
	for _, l := range p.mu.networks {
		if n := l.Len(); n > least {
			most, least = l, n
		}
	}
	if most == nil {
		return nil
	}
	return most.Front().Value.(*Slot)
}

// Release releases the slot. It may be called more than once, and on nil.
func (p *Slot) Release() {
	if p == nil {
		return
	}
	p.slots.mu.Lock()
	defer p.slots.mu.Unlock()
	p.slots.releaseLocked(p)
}

// releaseLocked releases a slot; mu is held.
func (p *Slots) releaseLocked(slot *Slot) {
	if slot.released {
		return
	}
	slot.released = true
	p.mu.taken--
	if slot.at == nil {
		return
	}
	l := p.mu.networks[slot.network]
	l.Remove(slot.at)
	if l.Len() == 0 {
		delete(p.mu.networks, slot.network)
	}
}

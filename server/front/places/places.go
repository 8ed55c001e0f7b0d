// Package places bounds how many connections or streams clients hold: those of one network, and those of all clients together. Each costs
// memory and needs no credentials.
//
// When all places are taken, a client of a network that holds few of them gets one that the network with the most has taken first. A single
// network therefore does not keep the others out, and no place is unused while a client needs it.
package places

import (
	"container/list"
	"net/netip"
	"sync"

	"clave/server/ratelimit"
)

// Options configure Places.
type Options struct {
	// All is the maximum number of places; zero means 4,096.
	All int
	// Network is the maximum number of places of one network: an IPv4 address or the /64 of an IPv6 address; zero means a quarter of All.
	Network int
	// Shared is set if many clients share addresses, as behind a proxy that hides theirs. Only All applies then.
	Shared bool
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.All == 0 {
		o.All = 4096
	}
	if o.Network == 0 {
		o.Network = max(o.All/4, 1)
	}
}

// Places are the places of all clients. It is safe for concurrent use.
type Places struct {
	o  Options
	mu struct {
		sync.Mutex
		taken int
		// networks holds the places that each network has taken, the oldest first, as *Place. Loopback and shared addresses are not in it:
		// their places are never taken away.
		networks map[netip.Prefix]*list.List
	}
}

// New returns Places that are all free.
func New(o Options) *Places {
	o.EnsureDefaults()
	p := &Places{o: o}
	p.mu.networks = make(map[netip.Prefix]*list.List)
	return p
}

// Place is a place that a client has taken.
type Place struct {
	places  *Places
	network netip.Prefix
	// at is the place's element in the list of its network, nil if it is in none.
	at *list.Element
	// end ends what holds the place.
	end      func()
	released bool
}

// Taken returns the number of places that are taken.
func (p *Places) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mu.taken
}

// Take takes a place for a client of an address. It returns nil if there is none. end ends the connection or the stream that holds the place. It
// is called, at most once and by another goroutine, if another client needs the place; the place is free from then on. It must not block.
func (p *Places) Take(address netip.Addr, end func()) *Place {
	p.mu.Lock()
	place, ended := p.takeLocked(address, end)
	p.mu.Unlock()
	if ended != nil {
		ended.end()
	}
	return place
}

// takeLocked takes a place, and returns the place that was taken from another network for it, if any; mu is held.
func (p *Places) takeLocked(address netip.Addr, end func()) (place, ended *Place) {
	place = &Place{places: p, end: end}
	counted := !p.o.Shared && address.IsValid() && !address.Unmap().IsLoopback()
	own := 0
	if counted {
		place.network = ratelimit.Network(address)
		if l := p.mu.networks[place.network]; l != nil {
			own = l.Len()
		}
		if own >= p.o.Network {
			return nil, nil
		}
	}
	// All places are taken: the network that has the most loses one, if it has more than this one would then have.
	if p.mu.taken >= p.o.All {
		if ended = p.oldestOfMostLocked(own + 1); ended == nil {
			return nil, nil
		}
		p.releaseLocked(ended)
	}
	p.mu.taken++
	if counted {
		l := p.mu.networks[place.network]
		if l == nil {
			l = list.New()
			p.mu.networks[place.network] = l
		}
		place.at = l.PushBack(place)
	}
	return place, ended
}

// oldestOfMostLocked returns the oldest place of the network that has the most, or nil if none has more than least; mu is held.
func (p *Places) oldestOfMostLocked(least int) *Place {
	var most *list.List
	for _, l := range p.mu.networks {
		if n := l.Len(); n > least {
			most, least = l, n
		}
	}
	if most == nil {
		return nil
	}
	return most.Front().Value.(*Place)
}

// Release releases the place. It may be called more than once, and on nil.
func (p *Place) Release() {
	if p == nil {
		return
	}
	p.places.mu.Lock()
	defer p.places.mu.Unlock()
	p.places.releaseLocked(p)
}

// releaseLocked releases a place; mu is held.
func (p *Places) releaseLocked(place *Place) {
	if place.released {
		return
	}
	place.released = true
	p.mu.taken--
	if place.at == nil {
		return
	}
	l := p.mu.networks[place.network]
	l.Remove(place.at)
	if l.Len() == 0 {
		delete(p.mu.networks, place.network)
	}
}

package rate

import (
	"net/netip"
	"time"
)

// aggregates are the prefixes for which an IPv6 address counts, and how many times the allowance of one client each
// has. A household or a server usually has one or a few /64, a customer of a hosting provider a /48, and a provider a
// /32.
var aggregates = []struct{ bits, times int }{{64, 1}, {48, 8}, {32, 64}}

// demands returns the tokens that an event of an address takes. The string what distinguishes the kinds of events in
// one Limiter.
func demands(what string, address netip.Addr, r Rate) []Demand {
	address = address.Unmap().WithZone("")
	if !address.Is6() {
		return []Demand{{what + "\x00" + address.String(), r}}
	}
	all := make([]Demand, 0, len(aggregates))
	for _, a := range aggregates {
		prefix, err := address.Prefix(a.bits)
		if err != nil {
			continue // An IPv6 address has all of these prefixes.
		}
		all = append(all, Demand{what + "\x00" + prefix.String(), r.times(a.times)})
	}
	return all
}

// Network returns the addresses that count as one client: an IPv4 address, or the /64 of an IPv6 address, within which
// a client can choose any address. It returns the zero Prefix for an invalid address.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	prefix, _ := address.Prefix(bits)
	return prefix
}

// AddressOptions configure Addresses.
type AddressOptions struct {
	Options
	// Rate is the rate of one client: an IPv4 address or an IPv6 /64.
	Rate Rate
	// Total is the rate of all clients together; the zero Rate sets no limit.
	Total Rate
}

// Addresses limits events by the client's network address. It is safe for concurrent use. Requests without a valid
// address share one allowance.
type Addresses struct {
	limiter *Limiter
	o       AddressOptions
}

// NewAddresses returns Addresses.
func NewAddresses(o AddressOptions) *Addresses {
	return &Addresses{limiter: New(o.Options), o: o}
}

// Allow counts an event of an address and reports whether it may happen.
func (a *Addresses) Allow(address netip.Addr) bool { return a.Take(address) == 0 }

// Take counts an event of an address. It returns zero if the event may happen, and otherwise the time until it may.
func (a *Addresses) Take(address netip.Addr) (wait time.Duration) {
	return a.limiter.Take(a.demands(address)...)
}

// Return takes back what Take counted.
func (a *Addresses) Return(address netip.Addr) { a.limiter.Return(a.demands(address)...) }

// demands returns the tokens that an event of an address takes.
func (a *Addresses) demands(address netip.Addr) []Demand {
	all := demands("", address, a.o.Rate)
	if a.o.Total != (Rate{}) {
		all = append(all, Demand{"total", a.o.Total})
	}
	return all
}

// ForAddress returns the tokens that an event of an address takes of a Limiter that is shared by several kinds of
// events.
func ForAddress(what string, address netip.Addr, r Rate) []Demand { return demands(what, address, r) }

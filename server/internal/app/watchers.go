package app

import (
	"net/netip"

	"clave/server/internal/limit/slots"
	"clave/server/internal/suite/control"
)

// watcherSlots are the slots of the websockets of the request monitor.
type watcherSlots struct{ *slots.Slots }

// newWatcherSlots returns the slots, a quarter of which one network may take.
func newWatcherSlots() watcherSlots {
	return watcherSlots{slots.New(slots.Options{All: control.MaxWatchers})}
}

// Take implements control.Slots.
func (s watcherSlots) Take(address netip.Addr, end func()) (release func()) {
	slot := s.Slots.Take(address, end)
	if slot == nil {
		return nil
	}
	return slot.Release
}

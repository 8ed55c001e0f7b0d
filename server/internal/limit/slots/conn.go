package slots

import (
	"net"
	"net/netip"
)

// Conn takes a slot for a connection until it is closed. Without a free slot it closes the connection and returns nil.
func (p *Slots) Conn(inner net.Conn) net.Conn {
	c := &conn{Conn: inner}
	c.slot = p.Take(AddressOf(inner), func() { _ = inner.Close() })
	if c.slot == nil {
		_ = inner.Close()
		return nil
	}
	return c
}

// AddressOf returns the IP address of a connection's client, the zero Addr if it has none.
func AddressOf(c net.Conn) netip.Addr {
	a := c.RemoteAddr()
	if a == nil {
		return netip.Addr{}
	}
	at, _ := netip.ParseAddrPort(a.String())
	return at.Addr()
}

// conn is a connection that holds a slot.
type conn struct {
	net.Conn
	slot *Slot
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.slot.Release()
	return c.Conn.Close()
}

package places

import (
	"net"
	"net/netip"
)

// Conn takes a place for a connection until it is closed. Without a free place it closes the connection and returns nil.
func (p *Places) Conn(inner net.Conn) net.Conn {
	c := &conn{Conn: inner}
	c.place = p.Take(AddressOf(inner), func() { _ = inner.Close() })
	if c.place == nil {
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

// conn is a connection that holds a place.
type conn struct {
	net.Conn
	place *Place
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.place.Release()
	return c.Conn.Close()
}

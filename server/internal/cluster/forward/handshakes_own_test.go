package forward

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/test/kit/wait"
)

// distant is a listener on this machine whose connections seem to come from other machines.
type distant struct {
	net.Listener
	// network is the last byte of the address of connections that are accepted now, and accepted is their number.
	network, accepted atomic.Int32
}

// Accept implements net.Listener.
func (d *distant) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	defer d.accepted.Add(1)
	return &distantConn{conn, &net.TCPAddr{IP: net.IPv4(203, 0, 113, byte(d.network.Load())), Port: 1}}, nil
}

// distantConn is a connection that seems to come from another machine.
type distantConn struct {
	net.Conn
	remote net.Addr
}

// RemoteAddr implements net.Conn.
func (d *distantConn) RemoteAddr() net.Addr { return d.remote }

// flood opens n connections of a network that send nothing. It returns a channel with a value for each that is closed
// by the server.
func (d *distant) flood(t *testing.T, network int32, n int) (closed <-chan struct{}) {
	t.Helper()
	d.network.Store(network)
	ended := make(chan struct{}, n)
	for range n {
		before := d.accepted.Load()
		conn, err := net.Dial("tcp", d.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			ended <- struct{}{}
		}()
		wait.Until(t, "the connection is accepted", func() bool { return d.accepted.Load() > before })
	}
	return ended
}

// TestHandshakesAreLimited opens connections that never begin the handshake, from one network and then from several.
// Those of one network, and all together, are limited, and a node of another network connects.
func TestHandshakesAreLimited(t *testing.T) {
	const network = maxHandshakes / 4
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := identity([]byte("a secret of the nodes"))
	if err != nil {
		t.Fatal(err)
	}
	d := &distant{Listener: inner}
	h := newHandshakes(t.Context(), d, settings, clock.System(), slog.New(slog.DiscardHandler))
	connect := func(when string) {
		t.Helper()
		d.network.Store(255)
		client := make(chan error, 1)
		go func() {
			conn, err := tls.Dial("tcp", d.Addr().String(), settings)
			if err == nil {
				_, err = conn.Read(make([]byte, 1)) // the test closes its end below
				_ = conn.Close()
			}
			client <- err
		}()
		conn, err := h.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if state := conn.(*tls.Conn).ConnectionState(); !state.HandshakeComplete {
			t.Errorf("a node %s: %+v", when, state)
		}
		_ = conn.Close()
		if err := <-client; !errors.Is(err, io.EOF) {
			t.Errorf("a node %s: %v", when, err)
		}
	}
	refused := d.flood(t, 1, network+10)
	for range 10 {
		<-refused
	}
	connect("beside a flood of one network")
	if n := h.slots.Taken(); n > network {
		t.Errorf("%d handshakes of one network, want at most %d", n, network)
	}
	for i := range int32(8) {
		d.flood(t, 2+i, network)
	}
	if n := h.slots.Taken(); n > maxHandshakes {
		t.Errorf("%d handshakes of all networks, want at most %d", n, maxHandshakes)
	}
	connect("beside a flood of many networks")
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, err := h.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept of a closed listener: %v", err)
	}
	if n := h.slots.Taken(); n != 0 {
		t.Errorf("%d handshakes after Close", n)
	}
}

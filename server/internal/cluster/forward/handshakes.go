package forward

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/limit/slots"
	"clave/server/internal/transport/port"
)

// Limits of connections to the inner listener whose TLS handshake has not ended. Until then nothing shows that the peer
// is a node. If there are too many, the network that has the most loses its oldest one, so that a flood does not keep
// other nodes out.
const (
	maxHandshakes    = 512
	handshakeTimeout = 5 * time.Second
)

// handshakes is the inner listener. Its connections have ended the TLS handshake: their peers are nodes.
type handshakes struct {
	net.Listener
	tls    *tls.Config
	clock  clock.Clock
	log    *slog.Logger
	slots  *slots.Slots
	ready  chan net.Conn // never closed; ctx ends both ends
	ctx    context.Context
	cancel context.CancelFunc
	// failed is the error of the inner listener; it is set before cancel is called.
	failed error
	wg     sync.WaitGroup
}

// newHandshakes returns a listener that accepts until it is closed, whenever ctx ends.
func newHandshakes(ctx context.Context, inner net.Listener, settings *tls.Config, c clock.Clock, log *slog.Logger) *handshakes {
	h := &handshakes{Listener: inner, tls: settings, clock: c, log: log, slots: slots.New(slots.Options{All: maxHandshakes}), ready: make(chan net.Conn)}
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	h.wg.Go(h.accept)
	return h
}

// accept begins the handshakes of new connections.
func (h *handshakes) accept() {
	defer h.cancel()
	h.failed = port.Accept(h.ctx, h.Listener, h.clock, func(raw net.Conn) {
		if slot := h.slots.Take(slots.AddressOf(raw), func() { _ = raw.Close() }); slot != nil {
			h.wg.Go(func() { h.shake(raw, slot) })
		} else {
			_ = raw.Close()
		}
	})
	if h.failed == nil {
		h.failed = net.ErrClosed
	}
}

// shake performs a handshake and passes the connection on.
func (h *handshakes) shake(raw net.Conn, slot *slots.Slot) {
	ctx, stop := context.WithTimeout(h.ctx, handshakeTimeout)
	defer stop()
	conn := tls.Server(raw, h.tls)
	err := conn.HandshakeContext(ctx)
	slot.Release()
	if err != nil {
		h.log.Debug("TLS handshake", "remote", raw.RemoteAddr().String(), "error", err)
		_ = raw.Close()
		return
	}
	select {
	case h.ready <- conn:
	case <-h.ctx.Done():
		_ = conn.Close()
	}
}

// Accept implements net.Listener.
func (h *handshakes) Accept() (net.Conn, error) {
	select {
	case conn := <-h.ready:
		return conn, nil
	case <-h.ctx.Done():
		h.wg.Wait()
		return nil, h.failed
	}
}

// Close implements net.Listener. It ends the handshakes.
func (h *handshakes) Close() error {
	h.cancel()
	err := h.Listener.Close()
	h.wg.Wait()
	return err
}

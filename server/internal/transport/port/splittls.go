package port

import (
	"context"
	"crypto/tls"
	"net"
)

// offering is a connection with the protocols that its client offers in the TLS handshake.
type offering struct {
	net.Conn
	// http2Only is set if the client offers HTTP/2 and no other version of HTTP.
	http2Only bool
}

// notingOffers returns TLS settings with which the handshake of an offering sets its fields.
func notingOffers(o *tls.Config) *tls.Config {
	settings, next := o.Clone(), o.GetConfigForClient
	settings.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if c, ok := hello.Conn.(*offering); ok {
			c.http2Only = http2Only(hello.SupportedProtos)
		}
		if next != nil {
			return next(hello)
		}
		return nil, nil
	}
	return settings
}

// http2Only reports whether the protocols that a client offers (ALPN) are HTTP/2 and no other version of HTTP; older
// gRPC libraries also name gRPC.
func http2Only(offered []string) bool {
	found := false
	for _, protocol := range offered {
		switch protocol {
		case "h2":
			found = true
		case "grpc-exp":
		default:
			return false
		}
	}
	return found
}

// routeTLS performs the TLS handshake of a connection and passes the connection on.
func (s *split) routeTLS(ctx context.Context, raw net.Conn) {
	writes := newCoalescer(raw)
	from := &offering{Conn: writes}
	conn := tls.Server(from, s.tls)
	quiet, stop := context.WithTimeout(context.WithoutCancel(ctx), sniffTimeout)
	defer stop()
	if err := conn.HandshakeContext(quiet); err != nil {
		s.log.Debug("TLS handshake", "remote", raw.RemoteAddr().String(), "error", err)
		_ = raw.Close()
		return
	}
	to, http2 := s.http, conn.ConnectionState().NegotiatedProtocol == "h2"
	switch {
	case http2 && from.http2Only && s.calls():
		to = s.grpc
	case http2:
		writes.join()
	}
	to.give(conn)
}

package port_test

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
	"clave/server/internal/transport/grpc"
	"clave/server/internal/transport/port"
)

// connLimits are the limits of a connection of HTTP/2 that a server announces.
type connLimits struct {
	streams, streamWindow, frame, headers, connWindow uint32
}

// announced opens a connection of HTTP/2 and returns the limits in the server's first frames (RFC 9113 §6.5.2 and
// §6.9).
func announced(t *testing.T, conn net.Conn) connLimits {
	t.Helper()
	const emptySettings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+emptySettings); err != nil {
		t.Fatal(err)
	}
	const typeSettings, typeWindowUpdate, each, normalWindow, normalFrame = 4, 8, 6, 65535, 16 << 10
	got := connLimits{streamWindow: normalWindow, frame: normalFrame}
	fields := map[uint16]*uint32{3: &got.streams, 4: &got.streamWindow, 5: &got.frame, 6: &got.headers}
	for got.connWindow == 0 {
		head := make([]byte, len(emptySettings))
		if _, err := io.ReadFull(conn, head); err != nil {
			t.Fatal(err)
		}
		body := make([]byte, binary.BigEndian.Uint32(append([]byte{0}, head[:3]...)))
		if _, err := io.ReadFull(conn, body); err != nil {
			t.Fatal(err)
		}
		switch head[3] {
		case typeSettings:
			for ; len(body) >= each; body = body[each:] {
				if field := fields[binary.BigEndian.Uint16(body)]; field != nil {
					*field = binary.BigEndian.Uint32(body[2:])
				}
			}
		case typeWindowUpdate:
			got.connWindow = normalWindow + binary.BigEndian.Uint32(body)
		}
	}
	return got
}

// TestConnectionsOfAllKindsHaveTheSameLimits opens connections as gRPC clients do, with TLS and without, and as
// browsers and clients of several protocols do, whose calls net/http receives.
func TestConnectionsOfAllKindsHaveTheSameLimits(t *testing.T) {
	settings, client := settings(t)
	calls, err := grpc.New(grpc.Options{Firestore: &api.Server{}, Tokens: token.New(token.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(calls.Stop)
	both, plain, forwarding := listener(t), listener(t), listener(t)
	run(t, port.Options{Listener: both, TLS: settings, Handlers: port.Handlers{GRPC: calls}})
	run(t, port.Options{Listener: plain, Handlers: port.Handlers{GRPC: calls}})
	run(t, port.Options{Listener: forwarding, Handlers: port.Handlers{Forward: calls}})
	want := connLimits{
		streamWindow: grpc.StreamWindow, frame: 16 << 10, headers: grpc.MaxHeaders, connWindow: grpc.ConnWindow,
	}
	for _, c := range []struct {
		name string
		to   net.Listener
		// offers are the protocols that a client of TLS offers; nil means no TLS.
		offers  []string
		streams uint32
	}{
		{"gRPC", plain, nil, grpc.MaxStreams},
		{"gRPC with TLS", both, []string{"h2"}, grpc.MaxStreams},
		{"HTTP with TLS", both, []string{"h2", "http/1.1"}, 1000},
		{"gRPC, forwarded", forwarding, nil, 1000},
	} {
		conn, err := net.Dial("tcp", c.to.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if c.offers != nil {
			own := client.Clone()
			own.NextProtos = c.offers
			conn = tls.Client(conn, own)
		}
		want.streams = c.streams
		if got := announced(t, conn); got != want {
			t.Errorf("%s: the limits are %+v, want %+v", c.name, got, want)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if got := tooLarge(t, c.to.Addr().String(), client, c.offers); got != "8" {
			t.Errorf("%s: a message of 18 MiB is answered by status %q, want 8 (RESOURCE_EXHAUSTED)", c.name, got)
		}
	}
}

// tooLarge begins a call with a message of 18 MiB and returns the status of gRPC.
func tooLarge(t *testing.T, address string, client *tls.Config, offers []string) string {
	t.Helper()
	scheme, protocols := "http", &http.Protocols{}
	protocols.SetUnencryptedHTTP2(offers == nil)
	protocols.SetHTTP1(len(offers) > 1)
	if offers != nil {
		scheme = "https"
		protocols.SetHTTP2(true)
	}
	transport := &http.Transport{TLSClientConfig: client.Clone(), Protocols: protocols}
	defer transport.CloseIdleConnections()
	const size = 18 << 20
	head := binary.BigEndian.AppendUint32([]byte{0}, size)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("%s://%s/google.firestore.v1.Firestore/GetDocument", scheme, address), strings.NewReader(string(head)+strings.Repeat("x", size)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	response, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	if got := response.Header.Get("Grpc-Status"); got != "" {
		return got
	}
	return response.Trailer.Get("Grpc-Status")
}

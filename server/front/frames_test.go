package front_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"clave/server/front"
)

// TestFramesAreSmall reads the settings of a port's HTTP/2 (RFC 9113 §6.5): it must not accept frames for which each connection has a large buffer.
func TestFramesAreSmall(t *testing.T) {
	settings, client := settings(t)
	ln := listener(t)
	run(t, front.Options{Listener: ln, TLS: settings, Log: slog.New(slog.DiscardHandler), Handlers: front.Handlers{REST: http.NotFoundHandler()}})
	client.NextProtos = []string{"h2", "http/1.1"}
	conn, err := tls.Dial("tcp", ln.Addr().String(), client)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	const header, each, maxFrameSize, most = 9, 6, 5, 16 << 10
	head := make([]byte, header)
	if _, err := io.ReadFull(conn, head); err != nil {
		t.Fatal(err)
	}
	values := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(conn, values); err != nil || len(values) == 0 {
		t.Fatalf("%d bytes of settings, %v", len(values), err)
	}
	for ; len(values) > 0; values = values[each:] {
		if size := binary.BigEndian.Uint32(values[2:]); binary.BigEndian.Uint16(values) == maxFrameSize && size > most {
			t.Errorf("the port accepts frames of %d bytes, want at most %d", size, most)
		}
	}
}

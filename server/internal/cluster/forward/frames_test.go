package forward

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"testing"
)

// TestFramesOfInnerConnectionsAreSmall reads the settings of an inner listener (RFC 9113 §6.5): it must not accept
// frames for which each connection has a large buffer.
func TestFramesOfInnerConnectionsAreSmall(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(Options{Name: "a", Secret: []byte("secret"), Listener: ln, Leader: func() (Leader, <-chan struct{}) { return Leader{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	conn, err := tls.Dial("tcp", ln.Addr().String(), n.tls)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	const header, each, maxFrameSize = 9, 6, 5
	head := make([]byte, header)
	if _, err := io.ReadFull(conn, head); err != nil {
		t.Fatal(err)
	}
	settings := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(conn, settings); err != nil || len(settings) == 0 {
		t.Fatalf("%d bytes of settings, %v", len(settings), err)
	}
	for ; len(settings) > 0; settings = settings[each:] {
		if size := binary.BigEndian.Uint32(settings[2:]); binary.BigEndian.Uint16(settings) == maxFrameSize && size > maxFrame {
			t.Errorf("the inner listener accepts frames of %d bytes, want at most %d", size, maxFrame)
		}
	}
}

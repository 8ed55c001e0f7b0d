package grpc

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
)

// TestConnectionsHaveLimits reads the settings in the first frame of a new HTTP/2 connection (RFC 9113 §6.5).
func TestConnectionsHaveLimits(t *testing.T) {
	s, err := New(Options{Firestore: &api.Server{}, Tokens: token.New(token.Options{})})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const emptySettings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+emptySettings); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, len(emptySettings))
	if _, err := io.ReadFull(conn, head); err != nil {
		t.Fatal(err)
	}
	settings := make([]byte, binary.BigEndian.Uint32(append([]byte{0}, head[:3]...)))
	if _, err := io.ReadFull(conn, settings); err != nil {
		t.Fatal(err)
	}
	got := make(map[uint16]uint32)
	for ; len(settings) > 0; settings = settings[6:] {
		got[binary.BigEndian.Uint16(settings)] = binary.BigEndian.Uint32(settings[2:])
	}
	const concurrentStreams, headerListSize = 3, 6
	if got[concurrentStreams] != MaxStreams || got[headerListSize] != MaxHeaders {
		t.Errorf("the server's settings are %v, want %d streams at a time and %d bytes of headers", got, MaxStreams, MaxHeaders)
	}
}

package attack

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/test/e2e/harness"
)

// The frames of HTTP/2 (RFC 9113) that attacks send.
const (
	frameData         = 0
	frameHeaders      = 1
	framePriority     = 2
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameWindow       = 8
	frameContinuation = 9

	flagAck        = 1
	flagEndStream  = 1
	flagEndHeaders = 4

	settingStreamWindow = 4
)

// frames is a connection of HTTP/2 whose client sends any frames in any order.
type frames struct {
	net.Conn
	w *bufio.Writer
	// ended is closed when the server has closed the connection.
	ended chan struct{}
	// answered is the number of streams that the server has answered or reset, each counted once, and pongs the number of
	// its answers to pings.
	answered, pongs atomic.Int64
	// unread is locked while the client reads nothing.
	unread sync.Mutex
}

// dialFrames connects to an address, with TLS if settings are given, and sends the preface and the client's settings.
func dialFrames(t *testing.T, address string, settings *tls.Config, offered []string, pairs ...uint32) *frames {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, harness.WaitLimit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if settings != nil {
		settings = settings.Clone()
		settings.NextProtos, settings.ServerName = offered, "127.0.0.1"
		secure := tls.Client(conn, settings)
		if err := secure.HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn = secure
	}
	f := &frames{Conn: conn, w: bufio.NewWriterSize(conn, 64<<10), ended: make(chan struct{})}
	go f.read()
	_, _ = f.w.WriteString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	f.settings(pairs...)
	if err := f.w.Flush(); err != nil {
		t.Fatal(err)
	}
	return f
}

// read reads the server's frames until the connection ends.
func (f *frames) read() {
	defer close(f.ended)
	r := bufio.NewReader(f.Conn)
	streams := map[uint32]bool{} // A call has two answers: its headers, and its trailers or a reset.
	var head [9]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		f.unread.Lock()
		f.unread.Unlock() //nolint:staticcheck // It waits until the client reads again.
		switch stream := binary.BigEndian.Uint32(head[5:]); {
		case (head[3] == frameHeaders || head[3] == frameReset) && !streams[stream]:
			streams[stream] = true
			f.answered.Add(1)
		case head[3] == framePing && head[4] == flagAck:
			f.pongs.Add(1)
		}
		if _, err := r.Discard(int(head[0])<<16 | int(head[1])<<8 | int(head[2])); err != nil {
			return
		}
	}
}

// send buffers a frame. Errors are those of the next flush.
func (f *frames) send(kind, flags byte, stream uint32, payload []byte) error {
	var head [9]byte
	head[0], head[1], head[2] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload))
	head[3], head[4] = kind, flags
	binary.BigEndian.PutUint32(head[5:], stream)
	_, _ = f.w.Write(head[:])
	_, err := f.w.Write(payload)
	return err
}

// settings buffers settings, given as pairs of an identifier and a value.
func (f *frames) settings(pairs ...uint32) {
	var payload []byte
	for i := 0; i+1 < len(pairs); i += 2 {
		payload = binary.BigEndian.AppendUint16(payload, uint16(pairs[i]))
		payload = binary.BigEndian.AppendUint32(payload, pairs[i+1])
	}
	_ = f.send(frameSettings, 0, 0, payload)
}

// number is the payload of a frame that holds a number.
func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// fields encodes header fields without compression (RFC 7541 §6.2.2), given as pairs of a name and a value.
func fields(pairs ...string) []byte {
	var b []byte
	for i := 0; i+1 < len(pairs); i += 2 {
		b = append(b, 0)
		b = appendText(b, pairs[i])
		b = appendText(b, pairs[i+1])
	}
	return b
}

// appendText appends a string of HPACK without Huffman coding.
func appendText(b []byte, text string) []byte {
	return append(appendInteger(b, 0, 7, len(text)), text...)
}

// appendInteger appends an integer of HPACK with a prefix of n bits (RFC 7541 §5.1).
func appendInteger(b []byte, first byte, n, value int) []byte {
	most := 1<<n - 1
	if value < most {
		return append(b, first|byte(value))
	}
	b = append(b, first|byte(most))
	for value -= most; value >= 128; value >>= 7 {
		b = append(b, byte(value)|128)
	}
	return append(b, byte(value))
}

// closes reports whether the server closes the connection within a time.
func (f *frames) closes(limit time.Duration) bool {
	select {
	case <-f.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

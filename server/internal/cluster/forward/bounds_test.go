package forward_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/limit/receive"
	"clave/server/internal/transport/port"
	"clave/server/test/kit/wait"
)

// TestSlowReadersOfForwardedResponsesAreCounted requests an endless response at a follower and reads nothing of it. The
// follower counts what it holds, and ends the response when another request needs the bytes. A client that reads is not
// counted.
func TestSlowReadersOfForwardedResponsesAreCounted(t *testing.T) {
	const most = 1 << 20
	b := newBallot()
	bytes := receive.New(receive.Options{Bytes: most})
	leader, follower := join(t, "a", secret, b, time.Second), joinWith(t, "b", secret, b, time.Second, bytes, nil)
	b.elect(leader)
	ended := make(chan struct{}, 1)
	leader.lead(port.Handlers{REST: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for sent := 0; r.URL.Path != "/v1/finite" || sent < 10*most; {
			n, err := w.Write(make([]byte, 64<<10))
			if sent += n; err != nil {
				ended <- struct{}{}
				return
			}
		}
	})})
	res, err := http.Get("http://" + follower.addr + "/v1/finite")
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if err != nil || n != 10*most {
		t.Fatalf("a client that reads gets %d bytes, %v, want %d", n, err, 10*most)
	}
	// A write that lasted long is counted until it returns, which may be after the client has read all.
	wait.Until(t, "bytes are held for a client that has read all", func() bool { return bytes.Used() == 0 })
	conn, err := net.Dial("tcp", follower.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /v1/endless HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	// The port counts its piece, and the node what the leader has sent beyond it.
	wait.Until(t, "a client that does not read is not counted, or not once", func() bool { return bytes.Used() == (48+64)<<10 })
	other := bytes.Hold(nil)
	other.Complete() // as a request that the server handles: it is not evicted
	if err := other.Take(t.Context(), most); err != nil {
		t.Errorf("a request beside a slow client: %v", err)
	}
	<-ended
	other.Release()
	if _, err := io.Copy(io.Discard, conn); err == nil {
		t.Log("the connection was closed in order") // the response has no end without a last chunk
	}
	wait.Until(t, "bytes are held", func() bool { return bytes.Used() == 0 })
}

// TestForwardedBodiesAreCounted sends a part of a body to a follower. The follower counts it as received, and refuses
// one for which there is no memory.
func TestForwardedBodiesAreCounted(t *testing.T) {
	b := newBallot()
	bytes := receive.New(receive.Options{Bytes: 1 << 20, Wait: 10 * time.Millisecond})
	leader, follower := join(t, "a", secret, b, time.Second), joinWith(t, "b", secret, b, time.Second, bytes, nil)
	b.elect(leader)
	leader.lead(port.Handlers{REST: echo})
	open := func(length, sent int) (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", follower.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn, "POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", length, strings.Repeat("x", sent)); err != nil {
			t.Fatal(err)
		}
		return conn, bufio.NewReader(conn)
	}
	open(60_000, 50_000)
	wait.Until(t, "a part of a body is not counted", func() bool { return bytes.Used() >= 50_000 })
	open(1_000_000, 950_000)
	wait.Until(t, "a part of a large body is not counted", func() bool { return bytes.Used() >= 1_000_000 })
	_, answer := open(200_000, 200_000)
	res, err := http.ReadResponse(answer, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "too many large requests") {
		t.Errorf("a body beyond the budget: %s %s %v, want 503 for the lack of memory", res.Status, text, err)
	}
}

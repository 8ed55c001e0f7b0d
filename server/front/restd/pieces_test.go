package restd

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"clave/server/clock"
	pb "clave/server/wire/firestorepb"
)

func TestAClientThatReadsNothingIsDisconnected(t *testing.T) {
	ended := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := &answer{w: w, stream: true, clock: clock.System(), pieceTimeout: 50 * time.Millisecond}
		m := plain{&pb.Document{Name: strings.Repeat("a", 1<<20)}}
		for {
			if err := out.send(m); err != nil {
				ended <- err
				return
			}
		}
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the answer ended with %v, want the deadline", err)
	}
}

package port_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"clave/server/internal/transport/port"
)

// TestChunksBesideALengthEndTheConnection smuggles a request in what is the body of another one by its length. It must
// not be answered, and the connection must end.
func TestChunksBesideALengthEndTheConnection(t *testing.T) {
	addr := serve(t, port.Handlers{Site: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, r.URL.Path)
	})})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 44\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "/first" || !res.Close {
		t.Errorf("the response: %q, %v, the connection ends: %v; want /first, true", body, err, res.Close)
	}
	if more, err := http.ReadResponse(in, nil); err == nil {
		t.Errorf("the smuggled request was answered with %s", more.Status)
	}
}

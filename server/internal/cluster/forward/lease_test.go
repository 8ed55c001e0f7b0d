package forward

import (
	"bufio"
	"context"
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	"clave/server/internal/cluster/readindex"
	"clave/server/internal/store/postgres/readlease"
)

// leasing returns the handlers of a leader that grants leases of a second on streams with leases, and reports the
// streams' holders.
func leasing(holders chan<- *readlease.Holder) map[string]http.Handler {
	return map[string]http.Handler{IndexService: AnswerIndex(func(_ context.Context, r readindex.Request) (index readindex.Index, err error) {
		if holders <- r.Holder; r.Lease {
			index.Lease = time.Second
		}
		return index, nil
	})}
}

// TestLeasesOnStreams requests leases of a leader, of one of the earlier version, and of one by a node of the earlier
// version.
func TestLeasesOnStreams(t *testing.T) {
	e := newElectorate()
	leader, at := runNode(t, "secret", e)
	follower, _ := runNode(t, "secret", e)
	holders := make(chan *readlease.Holder, 1)
	leader.Serve(leasing(holders))
	e.elect(leader.o.Name)
	request := func(r readindex.Request, want time.Duration) *readlease.Holder {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		index, err := follower.Index(ctx, r)
		if err != nil || index.Lease != want {
			t.Errorf("Index = %+v, %v; want a lease of %v", index, err, want)
		}
		return <-holders
	}
	one := request(readindex.Request{Wait: true, Lease: true}, time.Second)
	if again := request(readindex.Request{Wait: true, Lease: true}, time.Second); one == nil || again != one {
		t.Errorf("requests on one stream have the holders %p and %p", one, again)
	}
	request(readindex.Request{Wait: true}, 0)
	at.cut()
	if other := request(readindex.Request{Wait: true, Lease: true}, time.Second); other == one {
		t.Error("another stream has the same holder")
	}

	// A node of the earlier version supports one protocol, and no leases.
	settings := follower.tls.Clone()
	settings.NextProtos = []string{indexProtocol, "h2"}
	conn, err := dialInner(t.Context(), settings, "tcp", leader.o.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	frame, err := appendRequest(beginFrame(nil), readindex.Request{Wait: true, Lease: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(endFrame(frame)); err != nil {
		t.Fatal(err)
	}
	response, err := readFrame(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if index, err := parseIndex(response, nil, false); err != nil || index.Lease != 0 {
		t.Errorf("the response to a node of the earlier version is %+v, %v", index, err)
	}
	if holder := <-holders; holder != nil {
		t.Error("the stream of a node of the earlier version has a holder")
	}

	// So does a leader of the earlier version.
	ln := listenInner(t)
	only := new(http.Protocols)
	only.SetHTTP2(true)
	settings = leader.tls.Clone()
	settings.NextProtos = []string{indexProtocol, "h2"}
	earlier := &http.Server{TLSConfig: settings, Protocols: only, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){
		indexProtocol: func(_ *http.Server, conn *tls.Conn, _ http.Handler) { leader.serveIndexes(t.Context(), conn, false) },
	}}
	go func() { _ = earlier.ServeTLS(ln, "", "") }()
	defer earlier.Close()
	e.elect(ln.Addr().String())
	if holder := request(readindex.Request{Wait: true, Lease: true}, 0); holder != nil {
		t.Error("the stream to a leader of the earlier version has a holder")
	}
	if follower.RoutesSessions() {
		t.Error("a leader of the earlier version routes sessions")
	}
}

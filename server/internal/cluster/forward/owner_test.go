package forward_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/readindex"
)

// ownedEcho responds with whether a request was forwarded to its owner, and what the owner receives of it.
var ownedEcho = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprint(w, forward.IsForwardedToOwner(r.Context()), r.Header["Clave-Owner"], " ")
	echo(w, r)
})

// toOwner sends a request by way of a node to the owner of its session, and returns whether it was reached and the
// response.
func toOwner(t *testing.T, from *member, address, method, body string) (bool, *httptest.ResponseRecorder) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://clave.example/x?c=d", strings.NewReader(body))
	r.Header.Set("Clave-Client", "6.6.6.6:6")
	r.Header.Set("Clave-Owner", "1")
	w := httptest.NewRecorder()
	return from.ToOwner(w, r, "test", address), w
}

// TestARequestReachesTheOwnerOfItsSession forwards requests between two nodes of which neither leads.
func TestARequestReachesTheOwnerOfItsSession(t *testing.T) {
	b := newBallot()
	from, owner := join(t, "a", secret, b, time.Minute), join(t, "b", secret, b, time.Minute)
	if done, w := toOwner(t, from, owner.inner, http.MethodPost, "body"); done || w.Body.Len() > 0 {
		t.Errorf("ToOwner of a node without sessions = %t %q, want false", done, w.Body)
	}
	owner.ServeOwned(map[string]http.Handler{"test": ownedEcho})
	for range 2 {
		done, w := toOwner(t, from, owner.inner, http.MethodPost, "body")
		if want := "true [] POST clave.example /x?c=d 192.0.2.1   body"; !done || w.Body.String() != want {
			t.Errorf("ToOwner = %t %q, want %q", done, w.Body, want)
		}
	}
	owner.stop()
	if done, w := toOwner(t, from, owner.inner, http.MethodPost, "body"); done || w.Body.Len() > 0 {
		t.Errorf("ToOwner of a node that has ended = %t %q, want false", done, w.Body)
	}
}

// TestOnlyNodesForwardToOwners sends the header of such a request as a client. The leader must receive it without the
// header.
func TestOnlyNodesForwardToOwners(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Minute), join(t, "b", secret, b, time.Minute)
	leader.ServeOwned(map[string]http.Handler{"test": ownedEcho})
	b.elect(leader)
	leader.Serve(map[string]http.Handler{"test": ownedEcho})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+follower.addr+"/v1/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Clave-Owner", "1")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || !strings.HasPrefix(string(text), "false [] ") {
		t.Errorf("the leader receives %q, %v; want no header", text, err)
	}
}

// TestLeadersThatRouteSessions checks whether a node has recorded that its leader forwards requests to owners, before
// and after it has requested an index.
func TestLeadersThatRouteSessions(t *testing.T) {
	b := newBallot()
	leader, follower := join(t, "a", secret, b, time.Minute), join(t, "b", secret, b, time.Minute)
	leader.Serve(map[string]http.Handler{forward.IndexService: forward.AnswerIndex(func(context.Context, readindex.Request) (index readindex.Index, err error) {
		return index, nil
	})})
	request := func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for { // the node may see the new leader a moment later
			if _, err := follower.Index(ctx, readindex.Request{}); err == nil {
				return
			}
			if err := clock.Sleep(ctx, clock.System(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		b.elect(leader)
		if follower.RoutesSessions() {
			t.Error("a leader routes sessions before an index was requested")
		}
		request()
		if !follower.RoutesSessions() {
			t.Error("a leader does not route sessions")
		}
	}
}

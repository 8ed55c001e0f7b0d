package webchannel

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
)

// TestIdsNameTheOwner begins sessions at handlers with and without a name.
func TestIdsNameTheOwner(t *testing.T) {
	for _, owner := range []string{"", "node-1_x"} {
		h := newFixture(t, Options{Owner: owner}, echo)
		sid := h.open(`0`)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, testAddress+"&SID="+sid, http.NoBody)
		if got := SessionOwner(r); got != owner {
			t.Errorf("the owner of the session %s is %q, want %q", sid, got, owner)
		}
		h.get(sid, 0, "&CI=0").want(`[0]`)
	}
}

// TestRequestsThatBeginListen classifies requests.
func TestRequestsThatBeginListen(t *testing.T) {
	const listen, write = "/google.firestore.v1.Firestore/Listen/channel", "/google.firestore.v1.Firestore/Write/channel"
	for _, c := range []struct {
		method, address string
		channel, begins bool
	}{
		{"POST", listen + "?VER=8&RID=1", true, true},
		{"GET", listen + "?VER=8&RID=1", true, false},
		{"POST", listen + "?SID=a.b&RID=1", true, false},
		{"POST", write + "?VER=8&RID=1", true, false},
		{"POST", "/v1/projects/p/databases/d/documents", false, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, c.address, http.NoBody)
		if IsRequest(r) != c.channel || BeginsListen(r) != c.begins {
			t.Errorf("%s %s: IsRequest %t, BeginsListen %t", c.method, c.address, IsRequest(r), BeginsListen(r))
		}
	}
}

// TestListenOnly begins sessions of both streams at a handler of Listen.
func TestListenOnly(t *testing.T) {
	only, err := New(Options{Firestore: new(api.Server), Tokens: token.New(token.Options{Unsigned: true}), ListenOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for rpc, want := range map[string]int{"Write": http.StatusNotFound, "Listen": http.StatusBadRequest} {
		w := httptest.NewRecorder()
		only.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/google.firestore.v1.Firestore/"+rpc+"/channel?VER=8", strings.NewReader("count=0")))
		if w.Code != want { // the handshakes lack a number
			t.Errorf("a handshake of %s without a number = %d, want %d", rpc, w.Code, want)
		}
	}
}

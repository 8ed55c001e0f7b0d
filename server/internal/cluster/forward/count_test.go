package forward_test

import (
	"io"
	"net/http"
	"reflect"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
	"clave/server/internal/transport/port"
	"clave/server/test/kit/wait"
)

// TestForwardedRequestsAreCounted forwards requests that the leader counts as calls, and others, and requests without a
// leader. The leader's reports must not reach clients.
func TestForwardedRequestsAreCounted(t *testing.T) {
	b := newBallot()
	atLeader, atFollower := meter.New(clock.System(), nil), meter.New(clock.System(), nil)
	leader, follower := join(t, "a", secret, b, time.Second), joinWith(t, "b", secret, b, 100*time.Millisecond, nil, atFollower)
	calls := atLeader.Calls("rest", []string{"Get"}, nil)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/counted" {
			defer calls.BeginIn(r.Context(), "Get").End(fault.AlreadyExists)
		}
		if r.URL.Query().Get("fail") != "" {
			w.WriteHeader(http.StatusConflict)
		}
		_, _ = w.Write([]byte("done"))
	})
	get := func(path string) {
		t.Helper()
		res, err := http.Get("http://" + follower.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		_ = res.Body.Close()
		if len(res.Trailer) > 0 || res.Header.Get("Clave-Counted") != "" {
			t.Errorf("a client gets %v %v", res.Header, res.Trailer)
		}
	}
	get("/v1/projects/p/databases/d/documents/c/a") // without a leader
	b.elect(leader)
	leader.lead(port.Handlers{REST: handler, WebChannel: handler, Identity: handler})
	for _, path := range []string{"/v1/counted?fail=1", "/google.firestore.v1.Firestore/Listen/channel", "/identitytoolkit.googleapis.com/v1/a?fail=1"} {
		get(path)
	}
	want := map[string]map[fault.Code]uint64{
		"rest other": {fault.Unavailable: 1}, "rest Get": {fault.AlreadyExists: 1}, "webchannel other": {fault.OK: 1}, "auth other": {fault.Aborted: 1},
	}
	counts := func() map[string]map[fault.Code]uint64 {
		got := make(map[string]map[fault.Code]uint64)
		for _, m := range atFollower.AllForwarded() {
			got[m.Transport+" "+m.Method] = m.Codes
		}
		return got
	}
	// The requests are counted after the response.
	wait.Until(t, "the requests are not counted", func() bool { return len(counts()) >= len(want) })
	if got := counts(); !reflect.DeepEqual(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

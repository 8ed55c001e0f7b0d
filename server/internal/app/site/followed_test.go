package site

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFollowed serves the site of a node that does not lead, before and after a site was deployed.
func TestFollowed(t *testing.T) {
	page := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	type answer struct{ found, known bool }
	for name, test := range map[string]struct {
		own        http.Handler
		deployable bool
		deployed   []answer
		want       []string
	}{
		"deployed while it runs":      {page("own"), true, []answer{{false, true}, {true, true}, {false, false}}, []string{"own", "leader", "leader"}},
		"not known at first":          {page("own"), true, []answer{{false, false}, {false, true}}, []string{"leader", "own"}},
		"deployed by former settings": {page("own"), false, []answer{{false, false}, {true, true}, {false, true}}, []string{"own", "leader", "leader"}},
		"never deployed":              {page("own"), false, []answer{{false, true}, {true, true}}, []string{"own", "own"}},
		"no site of its own":          {nil, false, []answer{{false, true}}, []string{"leader"}},
	} {
		t.Run(name, func(t *testing.T) {
			var next answer
			f := &Followed{Own: test.own, Forward: page("leader"), Deployed: func(context.Context) (bool, bool) { return next.found, next.known }, Deployable: test.deployable}
			for i, want := range test.want {
				next = test.deployed[i]
				w := httptest.NewRecorder()
				f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
				if got := w.Body.String(); got != want {
					t.Errorf("request %d gets %q, want %q", i, got, want)
				}
			}
		})
	}
}

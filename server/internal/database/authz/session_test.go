package authz_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
)

// TestSessionsEnd revokes the sessions of accounts, tenants, projects and service accounts: the open sessions end that
// the revocation is for and that are no longer valid.
func TestSessionsEnd(t *testing.T) {
	callers := map[string]token.Caller{
		"ann":       {UID: "ann", Project: "p"},
		"bob":       {UID: "bob", Project: "p"},
		"in tenant": {UID: "ann", Project: "p", Tenant: "t"},
		"elsewhere": {UID: "ann", Project: "q"},
		"server":    {Privileged: true, Project: "p", Service: "backend@p.iam.gserviceaccount.com"},
	}
	for _, tt := range []struct {
		name                 string
		project, tenant, uid string
		valid                bool
		want                 []string
	}{
		{"an account", "p", "", "ann", false, []string{"ann"}},
		{"an account that is valid again", "p", "", "ann", true, nil},
		{"a project", "p", "", "", false, []string{"ann", "bob"}},
		{"a tenant", "p", "t", "", false, []string{"in tenant"}},
		{"a service account", "", "", "backend@p.iam.gserviceaccount.com", false, []string{"server"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var revoked sync.Map
			checked := make(chan struct{}, len(callers))
			h := newFixtureWith(t, authz.RulesetsOptions{}, func(o *authz.Options) {
				o.CheckSession = func(context.Context, token.Caller) error {
					if _, is := revoked.Load("now"); !is {
						return nil
					}
					checked <- struct{}{}
					if tt.valid {
						return nil
					}
					return fault.E(fault.Unauthenticated, "revoked")
				}
			})
			open := make(map[string]*authz.Session)
			for name, c := range callers {
				s, err := h.authorizer.Session(t.Context(), c, testDB, "Listen")
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				open[name] = s
			}
			revoked.Store("now", true)
			h.authorizer.Revoke(tt.project, tt.tenant, tt.uid)
			for range max(len(tt.want), 1) {
				within(t, checked, "the check of a session")
			}
			for _, name := range tt.want {
				within(t, open[name].Ended(), "the end of the session of "+name)
				wants(t, "the session of "+name, open[name].Err(), fault.Unauthenticated)
				delete(open, name)
			}
			for name, s := range open {
				if err := s.Err(); err != nil {
					t.Errorf("the session of %s has ended: %v", name, err)
				}
			}
			if _, err := h.authorizer.Session(t.Context(), callers["ann"], testDB, "Listen"); (err == nil) != tt.valid {
				t.Errorf("a session that opens now: %v, want one that is valid: %v", err, tt.valid)
			}
		})
	}
}

// within waits for a channel.
func within(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	select {
	case <-c:
	case <-late.C:
		t.Fatalf("no sign of %s within 30 seconds", what)
	}
}

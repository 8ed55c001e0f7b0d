package api_test

import (
	"testing"

	"clave/server/internal/auth/service"
)

// TestLinkDomains requests links on a domain other than the server's, and links that continue to domains with unusual
// characters.
func TestLinkDomains(t *testing.T) {
	fixtures := make(map[bool]*fixture)
	for _, production := range []bool{false, true} {
		w := newFixture(t, setup{production: production})
		w.signUp("a@example.com", "secret1")
		domains := &service.ConfigRequest{Body: object{"authorizedDomains": []any{"Example.org"}}}
		if _, err := w.service.UpdateConfig(t.Context(), service.Call{Project: project}, domains); err != nil {
			t.Fatal(err)
		}
		fixtures[production] = w
	}
	for _, tt := range []struct {
		name       string
		production bool
		body       object
		want       string
	}{
		{"a foreign domain", true, object{"linkDomain": "links.example.com"}, "INVALID_HOSTING_LINK_DOMAIN"},
		{"no domain", true, object{"linkDomain": ""}, ""},
		{"a foreign domain under start", false, object{"linkDomain": "links.example.com"}, ""},
		{"an authorised domain", true, object{"continueUrl": "https://www.example.org/x"}, ""},
		{"in capitals", true, object{"continueUrl": "https://WWW.Example.ORG/x"}, ""},
		{"another", true, object{"continueUrl": "https://example.net/x"}, "UNAUTHORIZED_DOMAIN"},
		{"one that ends alike", true, object{"continueUrl": "https://badexample.org/x"}, "UNAUTHORIZED_DOMAIN"},
	} {
		w := fixtures[tt.production]
		tt.body["requestType"], tt.body["email"] = "PASSWORD_RESET", "a@example.com"
		if got := w.refusal("sendOobCode", tt.body); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

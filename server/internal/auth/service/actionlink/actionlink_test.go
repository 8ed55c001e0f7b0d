package actionlink_test

import (
	"strings"
	"testing"

	"clave/server/internal/auth/service/actionlink"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/fault"
)

func TestMayContinue(t *testing.T) {
	production := actionlink.Policy{PublicURL: "https://example.org"}
	emulator := actionlink.Policy{Emulator: true}
	listed := []string{"Example.com"}
	for _, c := range []struct {
		policy  actionlink.Policy
		domains []string
		address string
		want    bool
	}{
		{production, nil, "https://example.org/a", true},
		{production, nil, "https://evil.example/a", false},
		{production, nil, "http://localhost:5173/", true},
		{production, listed, "http://localhost:5173/", false},
		{production, listed, "https://example.com/", true},
		{production, listed, "https://sub.EXAMPLE.com/", true},
		{production, listed, "https://notexample.com/", false},
		{production, listed, "https://example.org/", false},
		{production, nil, "javascript:alert(1)", false},
		{production, nil, "//example.org/", false},
		{emulator, nil, "https://anything.example/", true},
		{emulator, nil, "http://www.localhost/", false},
		{emulator, listed, "http://localhost/", true},
	} {
		if got := c.policy.MayContinue(c.domains, c.address); got != c.want {
			t.Errorf("%+v, domains %v: MayContinue(%q) = %v", c.policy, c.domains, c.address, got)
		}
	}
}

func TestCheck(t *testing.T) {
	production := actionlink.Policy{PublicURL: "https://example.org"}
	for _, c := range []struct {
		kind               onetime.Kind
		domain, continueTo string
		want               string
	}{
		{onetime.PasswordReset, "", "", ""},
		{onetime.PasswordReset, "example.org", "https://example.org/", ""},
		{onetime.PasswordReset, "evil.example", "", "INVALID_HOSTING_LINK_DOMAIN"},
		{onetime.EmailSignIn, "", "", "MISSING_CONTINUE_URI"},
		{onetime.EmailSignIn, "", "/a", "INVALID_CONTINUE_URI"},
		{onetime.EmailSignIn, "", "ftp://example.org/", "INVALID_CONTINUE_URI"},
		{onetime.EmailSignIn, "", "https://evil.example/", "UNAUTHORIZED_DOMAIN"},
	} {
		got := ""
		if err := production.Check(nil, c.kind, c.domain, c.continueTo); err != nil {
			got, _, _ = strings.Cut(fault.FromError(err).Message, " ")
		}
		if got != c.want {
			t.Errorf("%s with domain %q to %q: %q, want %q", c.kind, c.domain, c.continueTo, got, c.want)
		}
	}
}

func TestURL(t *testing.T) {
	link := actionlink.Link{Kind: onetime.PasswordReset, Code: "c", Origin: "http://localhost:9099", Key: "k", Locale: "es", Tenant: "t"}
	const query = "?apiKey=k&lang=es&mode=resetPassword&oobCode=c&tenantId=t"
	if got, want := (actionlink.Policy{PublicURL: "https://example.org"}).URL(link), "https://example.org/__/auth/action"+query; got != want {
		t.Errorf("URL = %s, want %s", got, want)
	}
	if got, want := (actionlink.Policy{Emulator: true}).URL(link), "http://localhost:9099/emulator/action"+query; got != want {
		t.Errorf("URL = %s, want %s", got, want)
	}
}

// TestLinksNameTheConfiguredOrigin requests links at other origins than the configured one.
func TestLinksNameTheConfiguredOrigin(t *testing.T) {
	link := actionlink.Link{Kind: onetime.PasswordReset, Code: "c", Origin: "http://10.0.0.2:8000"}
	for want, policy := range map[string]actionlink.Policy{
		"http://10.0.0.2:8000/emulator/action?":   {Emulator: true},
		"http://127.0.0.1:9099/emulator/action?":  {Emulator: true, Origin: "http://127.0.0.1:9099"},
		"https://tunnel.example/emulator/action?": {Emulator: true, Origin: "http://127.0.0.1:9099", PublicURL: "https://tunnel.example"},
	} {
		if got := policy.URL(link); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: URL = %s, want %s…", policy, got, want)
		}
	}
}

func TestDomains(t *testing.T) {
	for _, tt := range []struct {
		url    string
		listed []string
		want   string
	}{
		{"", nil, "localhost 127.0.0.1"}, {"https://www.example.org:8443", nil, "localhost 127.0.0.1 www.example.org"}, {"http://localhost:5000", nil, "localhost 127.0.0.1"},
		{"https://www.example.org", []string{"example.com"}, "example.com"},
	} {
		policy := actionlink.Policy{PublicURL: tt.url}
		domains := policy.Domains(tt.listed)
		if got := strings.Join(domains, " "); got != tt.want {
			t.Errorf("%q, listed %v: Domains = %s, want %s", tt.url, tt.listed, got, tt.want)
		}
		for _, domain := range domains {
			if !policy.MayContinue(tt.listed, "https://"+domain+"/") {
				t.Errorf("%q, listed %v: a link may not lead to %s", tt.url, tt.listed, domain)
			}
		}
	}
}

func TestCheckLength(t *testing.T) {
	policy := actionlink.Policy{PublicURL: "https://example.org"}
	for want, l := range map[string]actionlink.Link{
		"":                     {Kind: onetime.PasswordReset, Key: "k", ContinueURL: "https://example.org/" + strings.Repeat("a", 2000)},
		"INVALID_CONTINUE_URI": {Kind: onetime.PasswordReset, Key: "k", ContinueURL: "https://example.org/" + strings.Repeat("é", 2000)},
	} {
		got := ""
		if err := policy.CheckLength(l); err != nil {
			got, _, _ = strings.Cut(fault.FromError(err).Message, " ")
		}
		if got != want {
			t.Errorf("a URL of %d bytes: %q, want %q", len(l.ContinueURL), got, want)
		}
	}
}

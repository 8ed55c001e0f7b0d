package console_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/app/config"
	"clave/server/internal/console"
)

// exchange sends the code of a link to the site, and returns the status and the body of the response.
func (s *server) exchange(code string, header ...string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", "http://"+s.app.Hosting+console.SignInPath, strings.NewReader(fmt.Sprintf(`{"code": %q}`, code)))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestSiteIsOpenedAsAUser exchanges the codes of links that open the site. A code works once, before it expires, and
// only from the site's pages.
func TestSiteIsOpenedAsAUser(t *testing.T) {
	s := start(t, config.ModeStart, "--memory")
	s.session()
	s.call("POST", "/identitytoolkit.googleapis.com/v1/projects/"+project+"/accounts", `{"localId": "ada", "email": "ada@example.org", "password": "secret-word"}`, nil)
	link := func() string {
		var out struct{ URL string }
		s.call("POST", "/api/users/open", `{"localId": "ada"}`, &out)
		code, ok := strings.CutPrefix(out.URL, "http://"+s.app.Hosting+console.SignInPath+"#")
		if !ok {
			t.Fatalf("the link is %s", out.URL)
		}
		return code
	}
	first := link()
	for name, header := range map[string][]string{
		"another origin":      {"Origin", "https://evil.example"},
		"another site":        {"Sec-Fetch-Site", "cross-site"},
		"the console's pages": {"Origin", "http://" + s.app.Console},
		"a sandboxed page":    {"Origin", "null"},
	} {
		if got, text := s.exchange(first, header...); got != http.StatusForbidden || strings.Contains(text, "ada") {
			t.Errorf("%s: %d %s, want 403", name, got, text)
		}
	}
	got, text := s.exchange(first, "Origin", "http://"+s.app.Hosting, "Sec-Fetch-Site", "same-origin")
	if got != http.StatusOK || !strings.Contains(text, `"ada@example.org"`) || !strings.Contains(text, `"refreshToken"`) || strings.Contains(text, "passwordHash") {
		t.Errorf("the first use of a code: %d %s", got, text)
	}
	if got, _ := s.exchange(first); got != http.StatusNotFound {
		t.Errorf("the second use of a code: %d, want 404", got)
	}
	old := link()
	s.manual.Advance(61 * time.Second)
	for name, code := range map[string]string{"an old code": old, "an empty code": "", "an unknown code": "x"} {
		if got, _ := s.exchange(code); got != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", name, got)
		}
	}
	if got := s.status("POST", "/api/users/open", `{"localId": "nobody"}`); got != http.StatusNotFound {
		t.Errorf("a link of an account that is not there: %d, want 404", got)
	}
}

// TestProductionOpensNoSite sends the requests for opening the site as a user to a server for production.
func TestProductionOpensNoSite(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(true)
	if got := s.status("POST", "/api/users/open", `{"localId": "ada"}`); got != http.StatusNotFound {
		t.Errorf("a link: %d, want 404", got)
	}
	if got, _ := s.exchange("x"); got != http.StatusMethodNotAllowed {
		t.Errorf("the exchange of a code: %d, want 405", got)
	}
}

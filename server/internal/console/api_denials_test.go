package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"clave/server/internal/app/config"
)

// TestDenialsInProduction shows the latest denials of a production server without the data of their documents.
func TestDenialsInProduction(t *testing.T) {
	s := start(t, config.ModeServe)
	s.open(false)
	type denials struct {
		Denials []struct {
			Method, Path, Time string
			Lines              []int
			UID                *string
		}
	}
	var got denials
	s.call("GET", "/api/denials", "", &got)
	if len(got.Denials) != 0 {
		t.Fatalf("before any request: %+v", got)
	}
	deny := func(path string) {
		t.Helper()
		res, err := http.Get("http://" + s.app.Hosting + documents + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Fatalf("%s without a user: %d, want 403", path, res.StatusCode)
		}
	}
	deny("open/shut")
	deny("secret/ana@example.org/orders/o-17")
	res, text := s.request("GET", "/api/denials", "")
	if res.StatusCode != http.StatusOK || strings.Contains(text, "ana@example.org") || strings.Contains(text, "o-17") {
		t.Errorf("the denials: %d %s, want no ids", res.StatusCode, text)
	}
	s.call("GET", "/api/denials", "", &got)
	if len(got.Denials) != 2 {
		t.Fatalf("the denials: %+v, want two", got)
	}
	if d := got.Denials[0]; d.Method != "get" || d.Path != "secret/*/orders/*" || d.UID != nil || d.Time == "" {
		t.Errorf("the latest denial: %+v", d)
	}
	if d := got.Denials[1]; d.Path != "open/*" || !slices.Equal(d.Lines, []int{4}) {
		t.Errorf("the denial before it: %+v, want open/* by line 4", d)
	}
	s.call("GET", "/api/denials?database=other", "", &got)
	if len(got.Denials) != 0 {
		t.Errorf("in another database: %+v", got.Denials)
	}
}

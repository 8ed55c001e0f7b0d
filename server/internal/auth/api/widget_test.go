package api_test

import (
	"errors"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheWidgetHasItsAccountsInTheHTML requests the page of popups, which shows the accounts of one provider and of one
// tenant. Browser tests look for them as soon as the page is loaded.
func TestTheWidgetHasItsAccountsInTheHTML(t *testing.T) {
	w := newFixture(t, setup{emulatorSettings: true})
	signIn := func(provider, claims, tenant string) {
		w.must(w.client("signInWithIdp", object{"requestUri": "http://localhost", "tenantId": tenant, "postBody": "providerId=" + provider + "&id_token=" + claims}))
	}
	signIn("google.com", `{"sub":"1","email":"ana@example.com","email_verified":true,"name":"Ana <b>\"","picture":"http://p/1"}`, "")
	signIn("google.com", `{"sub":"2"}`, "")
	signIn("github.com", `{"sub":"3","email":"github@example.com","email_verified":true}`, "")
	signIn("google.com", `{"sub":"4","email":"tenant@example.com","email_verified":true}`, "shop")
	claims := regexp.MustCompile(`class="js-reuse-account"[^>]* data-claims="([^"]*)"`)
	for query, want := range map[string][]string{
		"providerId=google.com":          {`{"sub":"1","email":"ana@example.com","email_verified":true,"name":"Ana \u003cb\u003e\"","picture":"http://p/1"}`, `{"sub":"2","email_verified":true}`},
		"providerId=github.com":          {`{"sub":"3","email":"github@example.com","email_verified":true}`},
		"providerId=google.com&tid=shop": {`{"sub":"4","email":"tenant@example.com","email_verified":true}`},
		"providerId=apple.com":           nil,
	} {
		res, err := http.Get(w.url + "/emulator/auth/handler?apiKey=k&" + query)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, found := range claims.FindAllStringSubmatch(string(page), -1) {
			got = append(got, html.UnescapeString(found[1]))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || strings.Contains(string(page), "<b>") {
			t.Errorf("%s: accounts %q, want %q without markup", query, got, want)
		}
	}
}

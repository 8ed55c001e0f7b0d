package identity_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	rpc "clave/server/rpc/identity"
)

// TestActionPage opens an e-mail's link in production, as the recipient does.
func TestActionPage(t *testing.T) {
	mails := make(slowMail)
	w := newFixture(t, setup{production: true, mail: mails})
	w.run()
	page := w.url + rpc.ActionPath
	w.signUp("ana@example.com", "secret1")
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "ana@example.com"}))
	mail := <-mails
	link, err := url.Parse(mail.Link)
	if err != nil || link.Path != rpc.ActionPath || mail.To != "ana@example.com" {
		t.Fatalf("mail = %+v, %v", mail, err)
	}
	read := func(res *http.Response, err error) (int, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	for range 2 { // opening the link does not use the code
		status, text := read(http.Get(page + "?" + link.RawQuery + "&lang=es&continueUrl=https://evil.example.com"))
		if status != http.StatusOK || !strings.Contains(text, `name="newPassword"`) || strings.Contains(text, "evil") {
			t.Fatalf("the page: %d %s", status, text)
		}
	}
	form := link.Query()
	post := func(password string) (int, string) {
		form.Set("newPassword", password)
		return read(http.PostForm(page, form))
	}
	if status, text := post("short"); status != http.StatusBadRequest || !strings.Contains(text, "requirements") {
		t.Errorf("a weak password: %d %s", status, text)
	}
	if status, text := post("secret2"); status != http.StatusOK || !strings.Contains(text, "Done.") {
		t.Errorf("the new password: %d %s", status, text)
	}
	if status, _ := post("secret3"); status != http.StatusBadRequest {
		t.Errorf("the link again: %d", status)
	}
	w.must(w.client("signInWithPassword", object{"email": "ana@example.com", "password": "secret2"}))
}

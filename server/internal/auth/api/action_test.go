package api_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	rpc "clave/server/internal/auth/api"
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

// TestTheFormerAddressIsNotifiedInThePagesLanguage changes an address by an e-mail's link, on the page in Spanish and
// in English.
func TestTheFormerAddressIsNotifiedInThePagesLanguage(t *testing.T) {
	mails := make(slowMail)
	w := newFixture(t, setup{production: true, mail: mails})
	w.run()
	for lang, name := range map[string]string{"es": "ana", "en": "bob"} {
		in := w.signUp(name+"@example.com", "secret1")
		w.must(w.client("sendOobCode", object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": in["idToken"], "newEmail": name + "@new.example"}))
		link, err := url.Parse((<-mails).Link)
		if err != nil {
			t.Fatal(err)
		}
		form := link.Query()
		form.Set("lang", lang)
		posted := make(chan error, 1)
		go func() {
			res, err := http.PostForm(w.url+rpc.ActionPath, form)
			if err == nil {
				err = res.Body.Close()
			}
			posted <- err
		}()
		notice := <-mails
		if err := <-posted; err != nil {
			t.Fatal(err)
		}
		if notice.To != name+"@example.com" || notice.Locale != lang || queryOf(t, notice.Link, "lang") != lang {
			t.Errorf("the page in %s: an e-mail to %s in %q with the link %s; want the former address and %s", lang, notice.To, notice.Locale, notice.Link, lang)
		}
	}
}

// TestEmulatorActionContinues follows links to the emulator's page that continue to URLs of several kinds. A browser
// would run a script in the URL of a redirect's page.
func TestEmulatorActionContinues(t *testing.T) {
	w := newFixture(t, setup{})
	w.signUp("ana@example.com", "secret1")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	follow := func(q url.Values) (status int, to string) {
		t.Helper()
		res, err := client.Get(w.url + "/emulator/action?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode, res.Header.Get("Location")
	}
	for _, tt := range []struct{ next, signIn, verify string }{
		{"http://localhost:5000/in", "http://localhost:5000/in?apiKey=k&mode=signIn&oobCode=x", "http://localhost:5000/in"},
		{"https://example.com/in", "https://example.com/in?apiKey=k&mode=signIn&oobCode=x", "https://example.com/in"},
		{"javascript:alert(1)", "", ""},
		{"JavaScript://example.com/%0aalert(1)", "", ""},
		{"data:text/html,<script>alert(1)</script>", "", ""},
		{"//example.com/in", "", ""},
		{"https:example.com", "", ""},
		{"/in", "", ""},
	} {
		status, to := follow(url.Values{"mode": {"signIn"}, "apiKey": {"k"}, "oobCode": {"x"}, "continueUrl": {tt.next}})
		if want := map[bool]int{true: 303, false: 400}[tt.signIn != ""]; status != want || to != tt.signIn {
			t.Errorf("sign-in that continues to %s: %d %q, want %d %q", tt.next, status, to, want, tt.signIn)
		}
		made := w.must(w.admin("POST", "v1/projects/"+project+"/accounts:sendOobCode", object{"requestType": "VERIFY_EMAIL", "email": "ana@example.com", "returnOobLink": true}))
		status, to = follow(url.Values{"mode": {"verifyEmail"}, "apiKey": {"k"}, "oobCode": {made["oobCode"].(string)}, "continueUrl": {tt.next}})
		if want := map[bool]int{true: 303, false: 200}[tt.verify != ""]; status != want || to != tt.verify {
			t.Errorf("verification that continues to %s: %d %q, want %d %q", tt.next, status, to, want, tt.verify)
		}
	}
}

package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/base/clock/clocktest"
)

// tooMany is the error of requests over a limit.
const tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"

// lastText stores the code of the last text message.
type lastText struct {
	mu   sync.Mutex
	last string
}

// Text implements sms.Sender.
func (x *lastText) Text(_ context.Context, m sms.Message) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last = m.Code
	return nil
}

// code returns the last code.
func (x *lastText) code() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.last
}

// TestWrongPasswordsDoNotLockTheOwnerOut guesses a password continually from many addresses. Meanwhile the owner can
// sign in from a known address, and from another one after a reset.
func TestWrongPasswordsDoNotLockTheOwnerOut(t *testing.T) {
	manual, post := clocktest.NewManual(noon), &mailbox{}
	w := newFixture(t, setup{production: true, limits: true, clock: manual, mail: post})
	w.run()
	const home, hotel = "192.0.2.1", "192.0.2.2"
	in := func(password string) object {
		return object{"email": "a@example.com", "password": password, "returnSecureToken": true}
	}
	if got := w.from(home, "signUp", in("secret1")); got != "" {
		t.Fatal(got)
	}
	w.confirm("a@example.com")
	guesses := 0
	attack := func() {
		for i := range 300 {
			if w.from(fmt.Sprintf("198.51.%d.%d", 100+i/256, i%256), "signInWithPassword", in("wrong1")) != tooMany {
				guesses++
			}
		}
	}
	attack()
	if guesses > 60 {
		t.Errorf("attackers at 300 addresses could try %d passwords at once, want 60 at most", guesses)
	}
	if got := w.from(home, "signInWithPassword", in("secret1")); got != "" {
		t.Errorf("the owner at a known address, after the attack: %q", got)
	}
	if got := w.from(hotel, "signInWithPassword", in("secret1")); got != tooMany {
		t.Errorf("an unknown address: %q, want %q", got, tooMany)
	}
	w.must(w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}))
	var sent []service.Email
	for deadline := time.Now().Add(time.Minute); len(sent) == 0 && time.Now().Before(deadline); {
		sent = post.take("a@example.com")
	}
	if len(sent) == 0 {
		t.Fatal("no e-mail came within a minute")
	}
	if got := w.from(hotel, "resetPassword", object{"oobCode": queryOf(t, sent[0].Link, "oobCode"), "newPassword": "secret2"}); got != "" {
		t.Fatal(got)
	}
	attack()
	if got := w.from(hotel, "signInWithPassword", in("secret2")); got != "" {
		t.Errorf("the owner after a reset: %q", got)
	}
	for i := range 40 {
		if got := w.from(home, "signInWithPassword", in("secret2")); got != "" {
			t.Fatalf("right password %d: %q", i, got)
		}
		manual.Advance(2 * time.Second)
	}
}

// TestAnAttackersNetworkIsNotKnownAfterAHandOver signs up as an attacker with a user's address. After the owner has
// taken the account over, the attacker's network has no allowance of its own for wrong passwords.
func TestAnAttackersNetworkIsNotKnownAfterAHandOver(t *testing.T) {
	const attacker, home = "198.51.100.1", "192.0.2.1"
	post := &mailbox{}
	w := newFixture(t, setup{production: true, limits: true, clock: clocktest.NewManual(noon), mail: post})
	w.withPrivacy(false)
	in := func(password string) object {
		return object{"email": "a@example.com", "password": password, "returnSecureToken": true}
	}
	if got := w.from(attacker, "signUp", in("secret1")); got != "" {
		t.Fatal(got)
	}
	if got := w.from(home, "sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "a@example.com"}); got != "" {
		t.Fatal(got)
	}
	code := queryOf(t, post.take("a@example.com")[0].Link, "oobCode")
	if got := w.from(home, "resetPassword", object{"oobCode": code, "newPassword": "secret2"}); got != "" {
		t.Fatal(got)
	}
	for i := range 60 {
		w.from(fmt.Sprintf("203.0.113.%d", i), "signInWithPassword", in("wrong1"))
	}
	if got := w.from(attacker, "signInWithPassword", in("wrong1")); got != tooMany {
		t.Errorf("the attacker's guess: %q, want %q", got, tooMany)
	}
	if got := w.from(home, "signInWithPassword", in("secret2")); got != "" {
		t.Errorf("the owner at home: %q", got)
	}
}

// TestCodesAreLimitedFirst requests codes from one address and to one recipient. A refusal does not reveal whether an
// address has an account.
func TestCodesAreLimitedFirst(t *testing.T) {
	post := &mailbox{}
	w := newFixture(t, setup{production: true, limits: true, clock: clocktest.NewManual(noon), mail: post})
	w.signUp("known@example.com", "secret1")
	anonymous := w.must(w.client("signUp", object{}))
	codes := func(address string, n int, body func(i int) object) (refused map[string]int) {
		refused = make(map[string]int)
		for i := range n {
			refused[w.from(address, "sendOobCode", body(i))]++
		}
		return refused
	}
	change := func(email func(i int) string) func(i int) object {
		return func(i int) object {
			return object{"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": anonymous["idToken"], "newEmail": email(i)}
		}
	}
	always := func(email string) func(int) string { return func(int) string { return email } }
	for name, tt := range map[string]struct {
		address string
		body    func(i int) object
		want    int
	}{
		"changes to addresses without account": {"192.0.2.1", change(func(i int) string { return fmt.Sprintf("free%d@example.com", i) }), 30},
		"resets of addresses without account": {"192.0.2.2", func(i int) object {
			return object{"requestType": "PASSWORD_RESET", "email": fmt.Sprintf("free%d@example.org", i)}
		}, 30},
		"resets of one address without account":          {"192.0.2.3", func(int) object { return object{"requestType": "PASSWORD_RESET", "email": "nobody@example.com"} }, 5},
		"resets of one account":                          {"192.0.2.4", func(int) object { return object{"requestType": "PASSWORD_RESET", "email": "known@example.com"} }, 5},
		"changes to one address by accounts without one": {"192.0.2.5", change(always("one@example.com")), 5},
	} {
		got := codes(tt.address, 40, tt.body)
		if got[""] != tt.want || got[tooMany] != 40-tt.want {
			t.Errorf("%s: %v, want %d answered and the rest %s", name, got, tt.want, tooMany)
		}
	}
	if got := w.from("192.0.2.6", "sendOobCode", change(always("known@example.com"))(0)); got != tooMany {
		t.Errorf("a change to an account's address that has had its codes: %q, want %q", got, tooMany)
	}
	w.signUp("other@example.com", "secret1")
	post.take("")
	if got := w.from("192.0.2.7", "sendOobCode", change(always("other@example.com"))(0)); got != "" {
		t.Errorf("a change to another account's address: %q, want the answer to a free one", got)
	}
	if sent := post.take("other@example.com"); len(sent) != 0 {
		t.Errorf("a change to another account's address sent %v", sent)
	}
}

// TestLinksAreShort requests e-mails with links of any length: by the URL to continue to, the language, and the key.
func TestLinksAreShort(t *testing.T) {
	post := &mailbox{}
	w := newFixture(t, setup{production: true, limits: true, clock: clocktest.NewManual(noon), mail: post})
	const refused = "INVALID_CONTINUE_URI"
	for _, tt := range []struct {
		name, next, locale, key, want string
	}{
		{"a usual link", "/?q=" + strings.Repeat("a", 2000), "es", "k", ""},
		{"a long URL", "/?q=" + strings.Repeat("a", 500_000), "es", "k", refused},
		{"a URL that is long when it is encoded", "/?q=" + strings.Repeat("é", 1500), "es", "k", refused},
		{"a long language", "/", strings.Repeat("es", 5000), "k", refused},
		{"a long key", "/", "es", strings.Repeat("k", 10_000), refused},
	} {
		body := object{"requestType": "EMAIL_SIGNIN", "email": "a@example.com", "continueUrl": w.url + tt.next}
		_, answer := w.send("POST", "/identitytoolkit.googleapis.com/v1/accounts:sendOobCode?key="+tt.key, body, "X-Firebase-Locale", tt.locale)
		if got := codeOf(answer); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if sent := post.take("a@example.com"); len(sent) > 1 || (len(sent) == 1) != (tt.want == "") || len(sent) == 1 && len(sent[0].Link) > 8<<10 {
			t.Errorf("%s: %d e-mails, want one at most, with a short link", tt.name, len(sent))
		}
	}
}

// TestHashingIsFair changes passwords continually from one client. A sign-in of another client must not starve.
func TestHashingIsFair(t *testing.T) {
	w := newFixture(t, setup{limits: true, hashCost: 13})
	if got := w.from("192.0.2.1", "signUp", object{"email": "a@example.com", "password": "secret1"}); got != "" {
		t.Fatal(got)
	}
	const requests = 16
	done := make(chan struct{}, requests)
	for i := range requests {
		go func() {
			defer func() { done <- struct{}{} }()
			w.from("198.51.100.7", "signUp", object{"email": fmt.Sprintf("attacker%d@example.com", i), "password": "secret1"})
		}()
	}
	<-done // all requests that have arrived now wait for the others
	signedIn := make(chan string, 1)
	go func() {
		signedIn <- w.from("192.0.2.1", "signInWithPassword", object{"email": "a@example.com", "password": "secret1", "returnSecureToken": true})
	}()
	before := 0
	for finished := 1; ; finished++ {
		select {
		case got := <-signedIn:
			if got != "" {
				t.Fatalf("the sign-in: %q", got)
			}
			if before > requests/2 {
				t.Errorf("the sign-in came after %d of an attacker's %d requests", before, requests)
			}
			for ; finished < requests; finished++ {
				<-done
			}
			return
		case <-done:
			before++
		}
	}
}

// TestHashingIsLimited has a client change passwords: each change costs a hash.
func TestHashingIsLimited(t *testing.T) {
	w := newFixture(t, setup{limits: true, clock: clocktest.NewManual(noon)})
	in := w.must(w.client("signUp", object{"email": "a@example.com", "password": "secret1"}))
	hashed := 0
	for range 50 {
		answer, refused := w.client("update", object{"idToken": in["idToken"], "password": "secret2", "returnSecureToken": true})
		if refused == tooMany {
			continue
		}
		in = w.must(answer, refused)
		hashed++
	}
	if hashed != 30 {
		t.Errorf("a client could change passwords %d times at once, want 30", hashed)
	}
}

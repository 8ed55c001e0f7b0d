package api_test

import (
	"fmt"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/base/clock/clocktest"
)

// addressChange is an account of a user, whose e-mails are stored.
type addressChange struct {
	w      *fixture
	post   *mailbox
	manual *clocktest.Manual
}

// newAddressChange starts a server whose addresses are not protected, so that users may take addresses without proving
// that they own them.
func newAddressChange(t *testing.T, limits bool) *addressChange {
	t.Helper()
	m := &addressChange{post: &mailbox{}, manual: clocktest.NewManual(noon)}
	m.w = newFixture(t, setup{production: true, clock: m.manual, mail: m.post, limits: limits})
	m.w.withPrivacy(false)
	return m
}

// to changes the address of the account that in signed in, and returns the new session and the code that restores the
// address from.
func (m *addressChange) to(in object, from, to string) (object, string) {
	m.w.t.Helper()
	m.post.take("")
	m.manual.Advance(time.Second)
	in = m.w.must(m.w.client("update", object{"idToken": in["idToken"], "email": to, "returnSecureToken": true}))
	sent := m.post.take(from)
	if len(sent) != 1 || sent[0].Kind != onetime.RecoverEmail {
		m.w.t.Fatalf("%s was sent %v, want one e-mail that restores it", from, sent)
	}
	return in, queryOf(m.w.t, sent[0].Link, "oobCode")
}

// reset sets a new password by an e-mail to an address.
func (m *addressChange) reset(email, password string) {
	m.w.t.Helper()
	m.w.must(m.w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": email}))
	sent := m.post.take(email)
	if len(sent) == 0 {
		m.w.t.Fatalf("%s was sent no code", email)
	}
	m.w.must(m.w.client("resetPassword", object{"oobCode": queryOf(m.w.t, sent[len(sent)-1].Link, "oobCode"), "newPassword": password}))
}

// TestARecoveryCodeEndsAfterAHandOver moves another user's account to a user's address, which the user proves later.
// The code that the attacker's former address received must not take the account back. A user whose account an attacker
// moves and takes over in this way still has a day to restore the address.
func TestARecoveryCodeEndsAfterAHandOver(t *testing.T) {
	for _, tt := range []struct {
		name string
		// before and after are the times between the change of address and its proof, and between the proof and the use of
		// the code.
		before, after time.Duration
		want          string
	}{
		{"proved after a day", 25 * time.Hour, time.Minute, "INVALID_OOB_CODE"},
		{"proved at once, used after a day", time.Minute, 25 * time.Hour, "INVALID_OOB_CODE"},
		{"proved at once, used within a day", time.Minute, 22 * time.Hour, ""},
		{"not proved, used after three weeks", 0, 21 * 24 * time.Hour, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newAddressChange(t, false)
			m.w.confirmed("former@example.com")
			_, code := m.to(m.w.signIn("former@example.com", "secret1"), "former@example.com", "present@example.com")
			m.manual.Advance(tt.before)
			if tt.before > 0 {
				m.reset("present@example.com", "secret2")
			}
			m.manual.Advance(tt.after)
			if got := m.w.refusal("resetPassword", object{"oobCode": code}); got != tt.want {
				t.Errorf("looking at the code of the former address: %q, want %q", got, tt.want)
			}
			if got := m.w.refusal("update", object{"oobCode": code}); got != tt.want {
				t.Errorf("the code of the former address: %q, want %q", got, tt.want)
			}
			if got := m.w.refusal("signInWithPassword", object{"email": "present@example.com", "password": "secret2"}); tt.want != "" && got != "" {
				t.Errorf("the owner of the present address signs in: %q", got)
			}
		})
	}
}

// TestALinkOfAnAdministratorEndsWithAHandOver has an administrator make a link that moves an account whose address was
// not proved. Then the owner of the address proves it.
func TestALinkOfAnAdministratorEndsWithAHandOver(t *testing.T) {
	m := newAddressChange(t, false)
	m.w.signUp("owner@example.com", "secret1")
	link := func() any {
		made, err := m.w.service.SendOobCode(t.Context(), service.Call{Project: project, Admin: true}, &service.OobRequest{
			RequestType: onetime.ChangeEmail, Email: new("owner@example.com"), NewEmail: new("attacker@example.com"), ReturnOobLink: new(true),
		})
		if err != nil {
			t.Fatal(err)
		}
		return made.OobCode
	}
	code := link()
	m.manual.Advance(time.Second)
	m.reset("owner@example.com", "secret2")
	if got := m.w.refusal("update", object{"oobCode": code}); got != "INVALID_OOB_CODE" {
		t.Errorf("a link from before the proof: %q, want INVALID_OOB_CODE", got)
	}
	m.manual.Advance(time.Second)
	if got := m.w.refusal("update", object{"oobCode": link()}); got != "" {
		t.Errorf("a link from after the proof: %q", got)
	}
}

// TestARestoredAddressEndsLaterCodes has an attacker move a stolen account from address to address. The owner restores
// the first one. The codes that the attacker's addresses received must not move the account again.
func TestARestoredAddressEndsLaterCodes(t *testing.T) {
	m := newAddressChange(t, false)
	m.w.confirmed("owner@example.com")
	in, owners := m.to(m.w.signIn("owner@example.com", "secret1"), "owner@example.com", "attacker1@example.com")
	in, first := m.to(in, "attacker1@example.com", "attacker2@example.com")
	_, second := m.to(in, "attacker2@example.com", "attacker3@example.com")
	m.w.must(m.w.client("update", object{"oobCode": second}))
	if got := m.w.refusal("update", object{"oobCode": second}); got != "INVALID_OOB_CODE" {
		t.Errorf("a code that is used twice: %q, want INVALID_OOB_CODE", got)
	}
	m.reset("attacker2@example.com", "secret2")
	in, third := m.to(m.w.signIn("attacker2@example.com", "secret2"), "attacker2@example.com", "attacker4@example.com")
	m.w.must(m.w.client("update", object{"oobCode": owners}))
	for name, code := range map[string]string{"first": first, "third": third} {
		if got := m.w.refusal("update", object{"oobCode": code}); got != "INVALID_OOB_CODE" {
			t.Errorf("the attacker's %s code: %q, want INVALID_OOB_CODE", name, got)
		}
	}
	if got := m.w.refusal("lookup", object{"idToken": in["idToken"]}); got != "TOKEN_EXPIRED" {
		t.Errorf("the attacker's session: %q, want TOKEN_EXPIRED", got)
	}
	m.reset("owner@example.com", "secret3")
	m.w.signIn("owner@example.com", "secret3")
}

// TestAResetCodeEndsWithItsAddress requests a reset, moves the account to another address and uses the reset code that
// the former address received.
func TestAResetCodeEndsWithItsAddress(t *testing.T) {
	m := newAddressChange(t, false)
	m.w.confirmed("former@example.com")
	in := m.w.signIn("former@example.com", "secret1")
	m.w.must(m.w.client("sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "former@example.com"}))
	code := queryOf(t, m.post.take("former@example.com")[0].Link, "oobCode")
	m.to(in, "former@example.com", "present@example.com")
	if got := m.w.refusal("resetPassword", object{"oobCode": code, "newPassword": "secret2"}); got != "USER_NOT_FOUND" {
		t.Errorf("a reset by the former address's code: %q, want USER_NOT_FOUND", got)
	}
	m.w.signIn("present@example.com", "secret1")
}

// TestChangesOfAddressAreLimited moves accounts between addresses: each change sends an e-mail to the former address.
func TestChangesOfAddressAreLimited(t *testing.T) {
	for _, tt := range []struct {
		name string
		// address is the network address of attempt i, and to the e-mail address of change i. Every second change is undone.
		address, to func(i int) string
		want        int
	}{
		{"e-mails to one recipient", func(i int) string { return fmt.Sprintf("192.0.2.%d", i) }, func(i int) string {
			if i%2 == 1 {
				return "victim@example.com"
			}
			return fmt.Sprintf("attacker%d@example.com", i)
		}, 2 * 5},
		{"changes from one network address", func(int) string { return "192.0.2.1" }, func(i int) string { return fmt.Sprintf("victim%d@example.com", i) }, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newAddressChange(t, true)
			in := m.w.signUp("victim@example.com", "secret1")
			changed, refused := 0, make(map[string]int)
			for range 40 {
				_, answer := m.w.send("POST", "/identitytoolkit.googleapis.com/v1/accounts:update?key=k",
					object{"idToken": in["idToken"], "email": tt.to(changed), "returnSecureToken": true}, "X-Forwarded-For", tt.address(changed+len(refused)))
				if codeOf(answer) != "" {
					refused[codeOf(answer)]++
					continue
				}
				in = answer
				changed++
			}
			if changed != tt.want || refused[tooMany] != 40-tt.want {
				t.Errorf("of 40 changes %d were made and %v refused, want %d and the rest %s", changed, refused, tt.want, tooMany)
			}
			if sent := m.post.take("victim@example.com"); len(sent) > 5 {
				t.Errorf("%d e-mails were sent to one address, want 5 at most", len(sent))
			}
			if tt.want != 30 {
				m.manual.Advance(5 * time.Minute)
				m.w.must(m.w.client("update", object{"idToken": in["idToken"], "email": "last@example.com"}))
			}
		})
	}
}

// TestRequestedCodesDoNotPreventAChangeOfAddress requests as many resets for an address as it may receive. Its owner
// can still change it.
func TestRequestedCodesDoNotPreventAChangeOfAddress(t *testing.T) {
	m := newAddressChange(t, true)
	in := m.w.signUp("owner@example.com", "secret1")
	for i := range 6 {
		got := m.w.from(fmt.Sprintf("192.0.2.%d", i), "sendOobCode", object{"requestType": "PASSWORD_RESET", "email": "owner@example.com"})
		if want := map[bool]string{true: tooMany}[i == 5]; got != want {
			t.Fatalf("reset %d: %q, want %q", i, got, want)
		}
	}
	m.to(in, "owner@example.com", "new@example.com")
}

package api_test

import (
	"slices"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
)

// noon is the initial time of clocks that the tests set.
var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// signIn signs in with a password and returns the answer.
func (w *fixture) signIn(email, password string) object {
	w.t.Helper()
	return w.must(w.client("signInWithPassword", object{"email": email, "password": password, "returnSecureToken": true}))
}

// TestSessionsOfTheSecondOfAPasswordChange changes a password in the second in which another session began. That
// session must end. The session of the change, and one that begins afterwards in the same second, must stay.
func TestSessionsOfTheSecondOfAPasswordChange(t *testing.T) {
	manual := clocktest.NewManual(noon)
	w := newFixture(t, setup{production: true, clock: manual})
	first := w.signUp("a@example.com", "secret1")
	second := w.signIn("a@example.com", "secret1")
	changed := w.must(w.client("update", object{"idToken": first["idToken"], "password": "secret2", "returnSecureToken": true}))
	later := w.signIn("a@example.com", "secret2")
	for range 2 {
		for name, tt := range map[string]struct {
			session object
			want    string
		}{"the session that changed the password": {first, "TOKEN_EXPIRED"}, "another session": {second, "TOKEN_EXPIRED"}, "the new session": {changed, ""}, "a session begun afterwards": {later, ""}} {
			if got := w.refusal("lookup", object{"idToken": tt.session["idToken"]}); got != tt.want {
				t.Errorf("lookup with the ID token of %s: %q, want %q", name, got, tt.want)
			}
			_, err := w.tokens.Caller(t.Context(), "Bearer "+str(tt.session, "idToken"), project)
			if (err != nil) != (tt.want != "") {
				t.Errorf("the ID token of %s as a caller's: %v, want refused %v", name, err, tt.want != "")
			}
			if got := w.refusal("token", object{"grant_type": "refresh_token", "refresh_token": tt.session["refreshToken"]}); got != tt.want {
				t.Errorf("refreshing %s: %q, want %q", name, got, tt.want)
			}
		}
		manual.Advance(time.Minute)
	}
	fresh := w.must(w.client("token", object{"grant_type": "refresh_token", "refresh_token": later["refreshToken"]}))
	w.must(w.client("lookup", object{"idToken": fresh["id_token"]}))
}

// TestRevocationsAreReported checks that every operation that ends sessions is reported, and only after the sessions
// have ended.
func TestRevocationsAreReported(t *testing.T) {
	manual := clocktest.NewManual(noon)
	w := newFixture(t, setup{production: true, clock: manual})
	var reported []account.Revocation
	w.service.OnRevoke(func(r account.Revocation) { reported = append(reported, r) })
	admin := service.Call{Project: project, Admin: true}
	tenant, err := w.service.CreateTenant(t.Context(), admin, &service.TenantRequest{Body: object{"displayName": "club", "allowPasswordSignup": true}})
	if err != nil {
		t.Fatal(err)
	}
	root, inTenant := account.Scope{Project: project}, account.Scope{Project: project, Tenant: tenant.TenantID}
	yes, since := true, noon.Add(2*time.Hour).Unix()
	for i, tt := range []struct {
		name   string
		scope  account.Scope
		whole  bool
		revoke func(c service.Call, uid string, session object) error
	}{
		{"disabled", root, false, func(c service.Call, uid string, _ object) error {
			_, err := w.service.Update(t.Context(), c, &updateform.Request{LocalID: &uid, DisableUser: &yes})
			return err
		}},
		{"deleted", root, false, func(c service.Call, uid string, _ object) error {
			_, err := w.service.Delete(t.Context(), c, &service.DeleteRequest{LocalID: &uid})
			return err
		}},
		{"tokens revoked", root, false, func(c service.Call, uid string, _ object) error {
			_, err := w.service.Update(t.Context(), c, &updateform.Request{LocalID: &uid, ValidSince: &since})
			return err
		}},
		{"password changed", root, false, func(_ service.Call, _ string, session object) error {
			w.must(w.client("update", object{"idToken": session["idToken"], "password": "secret2"}))
			return nil
		}},
		{"tenant disabled", inTenant, true, func(c service.Call, _ string, _ object) error {
			_, err := w.service.UpdateTenant(t.Context(), c, &service.TenantRequest{ID: c.Tenant, Mask: []string{"disableAuth"}, Body: object{"disableAuth": true}})
			return err
		}},
		{"tenant deleted", inTenant, true, func(c service.Call, _ string, _ object) error {
			_, err := w.service.DeleteTenant(t.Context(), c, &service.TenantRequest{ID: c.Tenant})
			return err
		}},
	} {
		email := string(rune('a'+i)) + "@example.com"
		if tt.whole { // the previous case has disabled this tenant
			enable := &service.TenantRequest{ID: tenant.TenantID, Mask: []string{"disableAuth"}, Body: object{"disableAuth": false}}
			if _, err := w.service.UpdateTenant(t.Context(), admin, enable); err != nil {
				t.Fatal(err)
			}
		}
		session := w.must(w.client("signUp", object{"email": email, "password": "secret1", "tenantId": tt.scope.Tenant}))
		header := "Bearer " + str(session, "idToken")
		if _, err := w.tokens.Caller(t.Context(), header, project); err != nil {
			t.Fatalf("%s: the session does not stand before: %v", tt.name, err)
		}
		reported = nil
		want := account.Revocation{Scope: tt.scope, UID: str(session, "localId")}
		if tt.whole {
			want.UID = ""
		}
		if err := tt.revoke(service.Call{Project: project, Tenant: tt.scope.Tenant, Admin: true}, str(session, "localId"), session); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if !slices.Contains(reported, want) {
			t.Errorf("%s: reported %v, want %v among them", tt.name, reported, want)
		}
		if _, err := w.tokens.Caller(t.Context(), header, project); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%s: the session's token answers %v, want Unauthenticated", tt.name, err)
		}
	}
	reported = nil
	w.signUp("z@example.com", "secret1")
	w.signIn("z@example.com", "secret1")
	if len(reported) != 0 {
		t.Errorf("a sign-up and a sign-in reported %v, want nothing", reported)
	}
}

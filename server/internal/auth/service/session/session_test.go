package session_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

func TestProfileOverridesClaims(t *testing.T) {
	attributes := `{"role":"editor","email":"other@example.com"}`
	u := &account.User{UID: "u", Email: "ana@example.com", Attributes: &attributes}
	claims := session.IDClaims(u, &session.Session{Provider: "custom", Claims: session.Claims{"role": "admin", "name": "Other"}})
	if claims["email"] != "ana@example.com" {
		t.Errorf("the token has the address %v", claims["email"])
	}
	if claims["role"] != "admin" {
		t.Errorf("the session's claim is %v; it must override the account's", claims["role"])
	}
}

func TestCheckAttributes(t *testing.T) {
	long := make([]byte, 1001)
	for i := range long {
		long[i] = 'x'
	}
	for text, want := range map[string]string{
		"":                 "",
		`{"role":"admin"}`: "",
		`[1]`:              "INVALID_CLAIMS",
		`{"sub":"other"}`:  "FORBIDDEN_CLAIM : sub",
		string(long):       "CLAIMS_TOO_LARGE",
	} {
		got := ""
		if err := session.CheckAttributes(text); err != nil {
			got = fault.FromError(err).Message
		}
		if got != want {
			t.Errorf("CheckAttributes(%.20q) = %q, want %q", text, got, want)
		}
	}
}

func TestResumeFindsTheClaimsOfTheSession(t *testing.T) {
	accounts := account.New(pebbletest.Open(t))
	scope := account.Scope{Project: "demo"}
	for _, claims := range []session.Claims{{"role": "admin"}, {"role": "admin", "level": int64(2)}, {"role": "editor"}} {
		err := accounts.Change(t.Context(), scope, []string{"u"}, func(ch *account.Change) error {
			return session.NoteClaims(ch, &session.Session{UID: "u", AuthTime: 7, Claims: claims})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		token map[string]any
		want  int
	}{
		{map[string]any{"role": "admin", "level": int64(2), "email": "ana@example.com"}, 2},
		{map[string]any{"role": "editor"}, 1},
		{map[string]any{}, 0},
	} {
		id := token.ID{UID: "u", Claims: c.token, AuthTime: time.Unix(7, 0)}
		ses, err := session.Resume(accounts, scope, id)
		if err != nil || len(ses.Claims) != c.want {
			t.Errorf("a token with %v resumes a session with %v, %v; want %d claims", c.token, ses.Claims, err, c.want)
		}
	}
}

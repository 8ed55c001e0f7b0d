package service_test

import (
	"net/url"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/onetime"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
)

// TestTokensAndCodesFollowTheProject signs up and resets a password while the clock of the project stands still in the
// past and is advanced.
func TestTokensAndCodesFollowTheProject(t *testing.T) {
	clocks := clock.NewShifted()
	keys, err := token.OpenKeys(token.KeyOptions{Clock: clocks})
	if err != nil {
		t.Fatal(err)
	}
	tokens := token.New(token.Options{Clock: clocks, Keys: keys})
	f := open(t, func(o *service.Options) { o.Clock, o.Tokens = clocks, tokens })
	past := time.Date(2020, 2, 29, 12, 0, 0, 0, time.UTC)
	if err := clocks.SetProject(project, past, true); err != nil {
		t.Fatal(err)
	}
	_, idToken := f.signUp("ana@example.com")
	id, err := tokens.IDOnly(idToken, project)
	if err != nil || !id.Issued.Equal(past) || !id.Expires.Equal(past.Add(time.Hour)) {
		t.Errorf("a token of %s: issued %s, expires %s, %v", past, id.Issued, id.Expires, err)
	}
	code := func() string {
		t.Helper()
		email, yes := "ana@example.com", true
		sent, err := f.SendOobCode(t.Context(), admin, &service.OobRequest{RequestType: onetime.PasswordReset, Email: &email, ReturnOobLink: &yes})
		if err != nil {
			t.Fatal(err)
		}
		link, err := url.Parse(sent.OobLink)
		if err != nil {
			t.Fatal(err)
		}
		return link.Query().Get("oobCode")
	}
	reset := func(code string) error {
		password := "secret2"
		_, err := f.ResetPassword(t.Context(), client, &service.ResetRequest{OobCode: &code, NewPassword: &password})
		return err
	}
	old := code()
	if err := clocks.AdvanceProject(project, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.IDOnly(idToken, project); err == nil {
		t.Error("a token of two hours ago is valid")
	}
	wantError(t, "a code of two hours ago", reset(old), "EXPIRED_OOB_CODE")
	if err := reset(code()); err != nil {
		t.Errorf("a new code: %v", err)
	}
	clocks.ResetProject(project)
	if _, idToken = f.signUp("eva@example.com"); idToken == "" {
		t.Error("no token after the reset")
	}
	if id, err := tokens.IDOnly(idToken, project); err != nil || time.Since(id.Issued) > time.Hour {
		t.Errorf("a token after the reset: %+v, %v", id, err)
	}
}

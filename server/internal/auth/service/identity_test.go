package service_test

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/updateform"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// project is the project of the tests.
const project = "demo-test"

// The callers: a client, and an administrator of the project.
var (
	client = service.Call{Project: project, Address: "192.0.2.1"}
	admin  = service.Call{Project: project, Admin: true}
)

// fixture is a service with its clock and tokens.
type fixture struct {
	*service.Service
	t      *testing.T
	clock  *clocktest.Manual
	tokens *token.Verifier
}

// open opens a service without accounts. change changes its options, which are those of a development server.
func open(t *testing.T, change func(*service.Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clocktest.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	f.tokens = token.New(token.Options{Clock: f.clock, Unsigned: true})
	o := service.Options{
		Accounts: account.New(pebbletest.Open(t)), Tokens: f.tokens, Clock: f.clock, Project: project, Emulator: true, EmulatorSettings: true, HashMemCost: 4,
	}
	change(&o)
	f.Service = service.New(o)
	return f
}

// unchanged leaves the options as they are.
func unchanged(*service.Options) {}

// signUp creates an account with a password and returns its id and an ID token.
func (f *fixture) signUp(email string) (uid, idToken string) {
	f.t.Helper()
	password := "secret1"
	out, err := f.SignUp(f.t.Context(), client, &service.SignUpRequest{Email: &email, Password: &password})
	if err != nil {
		f.t.Fatal(err)
	}
	return out.LocalID, out.IDToken
}

// signIn signs in with the password of signUp.
func (f *fixture) signIn(email string) (*service.PasswordResponse, error) {
	password := "secret1"
	return f.SignInWithPassword(f.t.Context(), client, &service.PasswordRequest{Email: &email, Password: &password})
}

// disable disables an account.
func (f *fixture) disable(uid string) {
	f.t.Helper()
	disabled := true
	if _, err := f.Update(f.t.Context(), admin, &updateform.Request{LocalID: &uid, DisableUser: &disabled}); err != nil {
		f.t.Fatal(err)
	}
}

// wantError fails unless an error has a text of the API.
func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || fault.FromError(err).Message != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// blockingFunc is a blocking function that calls a Go function and then allows the operation.
type blockingFunc func()

// Post implements blocking.Caller.
func (b blockingFunc) Post(context.Context, string, []byte) (status int, answer []byte, err error) {
	b()
	return 200, nil, nil
}

// beforeSignIn makes a project call a function before each sign-in.
func (f *fixture) beforeSignIn() {
	f.t.Helper()
	_, err := f.UpdateConfig(f.t.Context(), admin, &service.ConfigRequest{Body: map[string]any{
		"blockingFunctions": map[string]any{"triggers": map[string]any{"beforeSignIn": map[string]any{"functionUri": "https://f.example/"}}},
	}})
	if err != nil {
		f.t.Fatal(err)
	}
}

func TestASessionEndsWithItsAccount(t *testing.T) {
	f := open(t, unchanged)
	var revoked []account.Revocation
	f.OnRevoke(func(r account.Revocation) { revoked = append(revoked, r) })
	uid, idToken := f.signUp("ana@example.com")
	id, err := f.tokens.IDOnly(idToken, project)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.CheckSession(t.Context(), id); err != nil {
		t.Fatalf("a new session: %v", err)
	}
	f.disable(uid)
	wantError(t, "the session of a disabled account", f.CheckSession(t.Context(), id), "USER_DISABLED")
	if len(revoked) != 1 || revoked[0].UID != uid {
		t.Errorf("revocations %v, want one of %s", revoked, uid)
	}
	if _, err := f.Delete(t.Context(), admin, &service.DeleteRequest{LocalID: &uid}); err != nil {
		t.Fatal(err)
	}
	wantError(t, "the session of a deleted account", f.CheckSession(t.Context(), id), "USER_NOT_FOUND")
}

// TestAnAccountMayChangeDuringABlockingFunction disables an account while its sign-in waits for a blocking function,
// which holds no lock.
func TestAnAccountMayChangeDuringABlockingFunction(t *testing.T) {
	called := func() {}
	f := open(t, func(o *service.Options) { o.Blocking = blockingFunc(func() { called() }) })
	uid, _ := f.signUp("ana@example.com")
	f.beforeSignIn()
	if _, err := f.signIn("ana@example.com"); err != nil {
		t.Fatalf("a sign-in that the function allows: %v", err)
	}
	calls := 0
	called = func() {
		calls++
		f.disable(uid)
	}
	out, err := f.signIn("ana@example.com")
	wantError(t, "a sign-in to an account that was disabled meanwhile", err, "USER_DISABLED")
	if out != nil && out.IDToken != "" || calls != 1 {
		t.Errorf("%d calls, response %+v; want one call and no tokens", calls, out)
	}
}

func TestSweepRemovesExpiredCodes(t *testing.T) {
	f := open(t, unchanged)
	phone := "+18095550111"
	send := func() {
		t.Helper()
		if _, err := f.SendVerificationCode(t.Context(), client, &service.SendCodeRequest{PhoneNumber: &phone}); err != nil {
			t.Fatal(err)
		}
	}
	send()
	f.clock.Advance(50 * time.Minute)
	send()
	f.clock.Advance(20 * time.Minute)
	if err := f.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	codes, err := f.SentSMSCodes(t.Context(), client)
	if err != nil || len(codes) != 1 {
		t.Errorf("codes after a sweep: %+v, %v; want the later one", codes, err)
	}
}

func TestOriginIsNotThatOfTheRequestInProduction(t *testing.T) {
	c := service.Call{Project: project, Origin: "https://forged.example"}
	for _, tt := range []struct {
		emulator bool
		url      string
		want     string
	}{
		{true, "", "https://forged.example"},
		{false, "", ""},
		{false, "https://data.example.org", "https://data.example.org"},
	} {
		f := open(t, func(o *service.Options) { o.Emulator, o.PublicURL = tt.emulator, tt.url })
		if got := f.Origin(c); got != tt.want {
			t.Errorf("emulator %v, public URL %q: Origin = %q, want %q", tt.emulator, tt.url, got, tt.want)
		}
	}
}

// TestASignInIsRecent changes a password by a session of six minutes, which only a production server refuses.
func TestASignInIsRecent(t *testing.T) {
	for _, emulator := range []bool{true, false} {
		f := open(t, func(o *service.Options) { o.Emulator = emulator })
		_, idToken := f.signUp("ana@example.com")
		f.clock.Advance(6 * time.Minute)
		password := "secret2"
		_, err := f.Update(t.Context(), client, &updateform.Request{IDToken: &idToken, Password: &password})
		if emulator && err != nil {
			t.Errorf("clave start: %v", err)
		}
		if !emulator {
			wantError(t, "clave serve", err, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
		}
	}
}

package sms_test

import (
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store/pebble/pebbletest"
)

// scope is the scope of the tests' codes.
var scope = account.Scope{Project: "demo"}

// open returns codes and their clock.
func open(t *testing.T) (*sms.Codes, *clocktest.Manual) {
	t.Helper()
	manual := clocktest.NewManual(time.Unix(1_000_000, 0))
	return &sms.Codes{Accounts: account.New(pebbletest.Open(t)), Clock: manual}, manual
}

// send stores a code and returns its session.
func send(t *testing.T, codes *sms.Codes) (session string, made sms.Code) {
	t.Helper()
	made, session = sms.NewCode("+18095550111", "", codes.Clock.Now()), sms.NewSession()
	if err := codes.Save(t.Context(), scope, session, made); err != nil {
		t.Fatal(err)
	}
	return session, made
}

// text returns the API's text of an error, or empty.
func text(err error) string {
	if err == nil {
		return ""
	}
	return fault.FromError(err).Message
}

// wrong returns a code that differs from a given one.
func wrong(code string) string { return string('0'+(code[0]-'0'+1)%10) + code[1:] }

func TestCodeIsValidOnce(t *testing.T) {
	codes, _ := open(t)
	session, made := send(t, codes)
	got, err := codes.Check(t.Context(), scope, session, made.Code)
	if err != nil || got.Phone != made.Phone {
		t.Fatalf("Check = %v, %v", got, err)
	}
	if _, err := codes.Check(t.Context(), scope, session, made.Code); text(err) != "INVALID_SESSION_INFO" {
		t.Errorf("the second use: %v", err)
	}
}

func TestWrongCodesEndACode(t *testing.T) {
	codes, _ := open(t)
	session, made := send(t, codes)
	for range 5 {
		if _, err := codes.Check(t.Context(), scope, session, wrong(made.Code)); text(err) != "INVALID_CODE" {
			t.Fatalf("a wrong code: %v", err)
		}
	}
	if _, err := codes.Check(t.Context(), scope, session, made.Code); text(err) != "INVALID_SESSION_INFO" {
		t.Errorf("the right code after five wrong ones: %v", err)
	}
}

func TestCodeExpires(t *testing.T) {
	codes, manual := open(t)
	session, made := send(t, codes)
	manual.Advance(sms.Lifetime + time.Second)
	if _, err := codes.Check(t.Context(), scope, session, made.Code); text(err) != "SESSION_EXPIRED" {
		t.Errorf("an old code: %v", err)
	}
}

// TestPhone finds the phone of a session for as long as its code is compared.
func TestPhone(t *testing.T) {
	codes, manual := open(t)
	session, made := send(t, codes)
	proof, err := codes.NewProof(t.Context(), scope, made.Phone)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, session, want string }{{"a code", session, made.Phone}, {"a proof", proof, ""}, {"neither", "x", ""}} {
		if got, err := codes.Phone(scope, tt.session); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	manual.Advance(sms.Lifetime + time.Second)
	if got, err := codes.Phone(scope, session); got != "" || err != nil {
		t.Errorf("an old code: %q, %v, want no phone", got, err)
	}
}

func TestProofBelongsToItsNumber(t *testing.T) {
	codes, manual := open(t)
	const phone = "+18095550111"
	proof, err := codes.NewProof(t.Context(), scope, phone)
	if err != nil {
		t.Fatal(err)
	}
	if err := codes.CheckProof(scope, proof, phone); err != nil {
		t.Errorf("a valid proof: %v", err)
	}
	const refused = "INVALID_TEMPORARY_PROOF"
	if err := codes.CheckProof(scope, proof, "+18095550112"); text(err) != refused {
		t.Errorf("another number: %v", err)
	}
	if _, err := codes.Check(t.Context(), scope, proof, ""); text(err) != "MISSING_CODE" {
		t.Errorf("a proof without a code: %v", err)
	}
	if _, err := codes.Check(t.Context(), scope, proof, "123456"); text(err) != "INVALID_SESSION_INFO" {
		t.Errorf("a proof as session: %v", err)
	}
	use := func() error {
		return codes.Accounts.Change(t.Context(), scope, sms.ProofLock(proof), func(ch *account.Change) error { return sms.UseProof(ch, proof) })
	}
	if err := use(); err != nil {
		t.Errorf("the first use: %v", err)
	}
	if err := use(); text(err) != refused {
		t.Errorf("the second use: %v", err)
	}
	if proof, err = codes.NewProof(t.Context(), scope, phone); err != nil {
		t.Fatal(err)
	}
	manual.Advance(61 * time.Minute)
	if err := codes.CheckProof(scope, proof, phone); text(err) != refused {
		t.Errorf("an old proof: %v", err)
	}
}

package api_test

import (
	"fmt"
	"testing"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock/clocktest"
)

// mostGuesses is the maximum number of wrong codes of one account or phone that others may try in a day. A code of an
// authenticator app is one of up to 21 codes that are valid at a time, so that all of them together succeed with a
// probability of less than 1 in 1,000.
const mostGuesses = 40

// onHome is the network from which the owners of the tests sign in.
const onHome = "192.0.2.1"

// guessFixture is a fixture in which codes of both kinds are guessed.
type guessFixture struct {
	*fixture
	manual   *clocktest.Manual
	messages *lastText
}

// newGuessFixture returns the fixture.
func newGuessFixture(t *testing.T) *guessFixture {
	t.Helper()
	g := &guessFixture{manual: clocktest.NewManual(noon), messages: &lastText{}}
	g.fixture = newFixture(t, setup{production: true, limits: true, clock: g.manual, sms: g.messages})
	settings := object{"mfa": object{
		"state": "ENABLED", "enabledProviders": []string{"PHONE_SMS"},
		"providerConfigs": []object{{"state": "ENABLED", "totpProviderConfig": object{"adjacentIntervals": 10}}},
	}}
	if _, err := g.service.UpdateConfig(t.Context(), service.Call{Project: project}, &service.ConfigRequest{Mask: []string{"mfa"}, Body: settings}); err != nil {
		t.Fatal(err)
	}
	return g
}

// at makes a call from a network and returns its answer.
func (g *guessFixture) at(address, verb string, body object) (answer map[string]any, code string) {
	g.t.Helper()
	version, method := "v1", "accounts:"+verb
	if verb[:3] == "mfa" {
		version, method = "v2", "accounts/"+verb
	}
	_, answer = g.send("POST", "/identitytoolkit.googleapis.com/"+version+"/"+method+"?key=k", body, "X-Forwarded-For", address)
	return answer, codeOf(answer)
}

// guess tries a wrong code every five minutes of a day, each time from another network, and returns how many were
// compared.
func (g *guessFixture) guess(try func(address, code string) string) (compared int) {
	g.t.Helper()
	const interval = 5 * time.Minute
	for i := range int(24 * time.Hour / interval) {
		switch got := try(fmt.Sprintf("198.51.100.%d", i%256), fmt.Sprintf("x%05d", i)); got {
		case "INVALID_CODE":
			compared++
		case tooMany:
		default:
			g.t.Fatalf("guess %d: %q", i, got)
		}
		g.manual.Advance(interval)
	}
	return compared
}

// TestGuessesOfAnAppsCodesAreFew guesses the second factor of an account for a day, with the right password. The owner
// can sign in meanwhile.
func TestGuessesOfAnAppsCodesAreFew(t *testing.T) {
	g := newGuessFixture(t)
	in := g.must(g.at(onHome, "signUp", object{"email": "a@example.com", "password": "secret1"}))
	g.confirm("a@example.com")
	for range 20 { // no code is compared
		lost := object{"idToken": in["idToken"], "totpVerificationInfo": object{"sessionInfo": "x", "verificationCode": "123456"}}
		if _, got := g.at(onHome, "mfaEnrollment:finalize", lost); got != "INVALID_SESSION_INFO" {
			t.Fatalf("an enrollment that was not started: %q", got)
		}
	}
	started := g.must(g.at(onHome, "mfaEnrollment:start", object{"idToken": in["idToken"], "totpEnrollmentInfo": object{}}))["totpSessionInfo"].(object)
	key := str(started, "sharedSecretKey")
	g.must(g.at(onHome, "mfaEnrollment:finalize", object{"idToken": in["idToken"], "totpVerificationInfo": object{
		"sessionInfo": started["sessionInfo"], "verificationCode": authenticator(t, key, g.manual.Now()),
	}}))
	signIn := func(address, code string) string {
		half := g.must(g.at(address, "signInWithPassword", object{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}))
		factor := half["mfaInfo"].([]any)[0].(object)["mfaEnrollmentId"]
		_, refused := g.at(address, "mfaSignIn:finalize", object{
			"mfaPendingCredential": half["mfaPendingCredential"], "mfaEnrollmentId": factor, "totpVerificationInfo": object{"verificationCode": code},
		})
		return refused
	}
	if n := g.guess(signIn); n < 5 || n > mostGuesses {
		t.Errorf("%d codes of the app were tried in a day, want 5 to %d", n, mostGuesses)
	}
	for i := range 30 {
		g.manual.Advance(time.Minute)
		if got := signIn(onHome, authenticator(t, key, g.manual.Now())); got != "" {
			t.Fatalf("sign-in %d of the owner at a known network, during the attack: %q", i, got)
		}
	}
}

// TestGuessesOfTextMessagesAreFew requests codes for a phone and guesses them for a day. The owner can sign in
// meanwhile.
func TestGuessesOfTextMessagesAreFew(t *testing.T) {
	g := newGuessFixture(t)
	const phone = "+18095550101"
	sent := func(address string) (session any, refused string) {
		answer, refused := g.at(address, "sendVerificationCode", object{"phoneNumber": phone})
		return answer["sessionInfo"], refused
	}
	signIn := func() string {
		session, refused := sent(onHome)
		if refused == "" {
			_, refused = g.at(onHome, "signInWithPhoneNumber", object{"sessionInfo": session, "code": g.messages.code()})
		}
		return refused
	}
	if got := signIn(); got != "" {
		t.Fatal(got)
	}
	g.manual.Advance(time.Hour)
	if n := g.guess(func(address, code string) string {
		session, refused := sent(address)
		if refused != "" {
			return refused
		}
		_, refused = g.at(address, "signInWithPhoneNumber", object{"sessionInfo": session, "code": code})
		return refused
	}); n < 5 || n > mostGuesses {
		t.Errorf("%d codes of text messages were tried in a day, want 5 to %d", n, mostGuesses)
	}
	g.manual.Advance(5 * time.Minute)
	if got := signIn(); got != "" {
		t.Errorf("the owner at a known network, during the attack: %q", got)
	}
}

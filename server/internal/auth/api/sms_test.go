package api_test

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"clave/server/internal/auth/service/sms"
)

// hook is a webhook for text messages.
type hook func(url string, body []byte) (int, error)

// Post implements blocking.Caller.
func (h hook) Post(_ context.Context, url string, body []byte) (int, []byte, error) {
	status, err := h(url, body)
	return status, nil, err
}

// TestTextMessagesByWebhook signs in by phone in production. The webhook must receive the code, with a signature whose
// audience is the webhook.
func TestTextMessagesByWebhook(t *testing.T) {
	const url = "https://sms.example.com/send"
	var claims object
	sender := &sms.Webhook{URL: url}
	w := newFixture(t, setup{production: true, sms: sender})
	sender.Tokens, sender.Caller = w.tokens, hook(func(to string, body []byte) (int, error) {
		var sent struct{ Data struct{ JWT string } }
		if err := json.Unmarshal(body, &sent); err != nil || to != url {
			t.Errorf("sent %s to %s: %v", body, to, err)
		}
		claims = claimsOf(t, sent.Data.JWT)
		if got := w.refusal("lookup", object{"idToken": sent.Data.JWT}); got != "INVALID_ID_TOKEN" {
			t.Errorf("a message is an ID token: %q", got)
		}
		if !signedByUs(t, w, sent.Data.JWT) {
			t.Errorf("%s is not signed with the published keys", sent.Data.JWT)
		}
		return 204, nil
	})
	_, started := w.send("POST", "/identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode?key=k", object{"phoneNumber": "+1 809 555 0101"}, "X-Firebase-Locale", "es-DO")
	code := str(claims, "code")
	if claims["aud"] != url || claims["phone_number"] != "+18095550101" || claims["text"] != code+" es su código de verificación." || claims["event_type"] != "sendSms" ||
		claims["locale"] != "es-DO" || claims["iss"] != "https://securetoken.google.com/"+project {
		t.Errorf("the message = %v", claims)
	}
	in := w.must(w.client("signInWithPhoneNumber", object{"sessionInfo": started["sessionInfo"], "code": code}))
	if in["phoneNumber"] != "+18095550101" || str(in, "idToken") == "" {
		t.Errorf("sign-in = %v", in)
	}
}

// signedByUs reports whether a token was signed by the key of one of the published certificates.
func signedByUs(t *testing.T, w *fixture, raw string) bool {
	t.Helper()
	_, certificates := w.send("GET", "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", nil)
	signed, signature, _ := strings.Cut(raw[strings.IndexByte(raw, '.')+1:], ".")
	signed = raw[:strings.IndexByte(raw, '.')+1] + signed
	sum, digest := sha256.Sum256([]byte(signed)), crypto.SHA256
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range certificates {
		block, _ := pem.Decode([]byte(text.(string)))
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if rsa.VerifyPKCS1v15(certificate.PublicKey.(*rsa.PublicKey), digest, sum[:], given) == nil {
			return true
		}
	}
	return false
}

// TestTextMessagesThatCannotBeSent requests codes while the webhook refuses or does not respond.
func TestTextMessagesThatCannotBeSent(t *testing.T) {
	answer := func() (int, error) { return 0, nil }
	sender := &sms.Webhook{URL: "https://sms.example.com", Caller: hook(func(string, []byte) (int, error) { return answer() })}
	w := newFixture(t, setup{production: true, sms: sender})
	sender.Tokens = w.tokens
	for name, tt := range map[string]struct {
		status int
		err    error
		want   string
		http   int
	}{
		"refused":  {400, nil, "INVALID_PHONE_NUMBER", 400},
		"too many": {429, nil, "QUOTA_EXCEEDED", 400},
		"broken":   {502, nil, "Internal error.", 500},
		"led away": {302, nil, "Internal error.", 500},
		"down":     {0, errors.New("connection refused"), "Internal error.", 500},
	} {
		answer = func() (int, error) { return tt.status, tt.err }
		status, body := w.send("POST", "/identitytoolkit.googleapis.com/v1/accounts:sendVerificationCode?key=k", object{"phoneNumber": "+18095550101"})
		if status != tt.http || codeOf(body) != tt.want || body["sessionInfo"] != nil {
			t.Errorf("%s: %d %v, want %d %s", name, status, body, tt.http, tt.want)
		}
	}
}

package api_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/sms"
)

// brokenUpstream is a mail server, an SMS webhook and a blocking function that can't be reached at a private address.
type brokenUpstream struct{}

// private is the address in the errors of brokenUpstream.
const private = "10.1.2.3"

// errUpstream is the error of brokenUpstream.
var errUpstream = errors.New("dial tcp " + private + ":25: connection refused")

// Send implements service.Mailer.
func (brokenUpstream) Send(context.Context, service.Email) error { return errUpstream }

// Text implements sms.Sender.
func (brokenUpstream) Text(context.Context, sms.Message) error { return errUpstream }

// Post implements blocking.Caller.
func (brokenUpstream) Post(context.Context, string, []byte) (status int, answer []byte, err error) {
	return 0, nil, errUpstream
}

// TestErrorsOfUpstreamsAreNotShown lets everything that a server calls for its clients fail. A client receives an error
// without the address of what failed, and without its text.
func TestErrorsOfUpstreamsAreNotShown(t *testing.T) {
	w := newFixture(t, setup{production: true, mail: brokenUpstream{}, sms: brokenUpstream{}, blocking: brokenUpstream{}})
	made := w.signUp("a@example.com", "secret1")
	admin := service.Call{Project: project, Admin: true}
	_, err := w.service.UpdateConfig(t.Context(), admin, &service.ConfigRequest{Mask: []string{"blockingFunctions", "signIn"}, Body: object{
		"signIn":            object{"email": object{"enabled": true, "passwordRequired": false}, "phoneNumber": object{"enabled": true}},
		"blockingFunctions": object{"triggers": object{"beforeCreate": object{"functionUri": "http://" + private + ":5001/f"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		verb string
		body object
		want string
	}{
		{"sendOobCode", object{"requestType": "VERIFY_EMAIL", "idToken": str(made, "idToken")}, "Internal error."},
		{"sendVerificationCode", object{"phoneNumber": "+18095550123", "recaptchaToken": "x"}, "Internal error."},
		{"signUp", object{"email": "b@example.com", "password": "secret1", "returnSecureToken": true}, "BLOCKING_FUNCTION_ERROR_RESPONSE"},
	} {
		answer, code := w.client(tt.verb, tt.body)
		if shown := fmt.Sprint(answer); code != tt.want || strings.Contains(shown, private) || strings.Contains(shown, "dial tcp") {
			t.Errorf("%s: %s, want %q without the address", tt.verb, shown, tt.want)
		}
	}
}

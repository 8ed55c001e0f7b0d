package blocking_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"clave/server/account"
	"clave/server/clock"
	"clave/server/fault"
	"clave/server/identity/blocking"
	"clave/server/identity/session"
	"clave/server/token"
)

// function is a function that responds with a status and a body, or can't be reached.
type function struct {
	status int
	answer string
	err    error
}

// Post implements blocking.Caller.
func (f function) Post(context.Context, string, []byte) (status int, answer []byte, err error) {
	return f.status, []byte(f.answer), f.err
}

// call calls a function for an event of an account.
func call(t *testing.T, f function, event string, u *account.User, ses *session.Session) (*blocking.Update, error) {
	t.Helper()
	settings := &blocking.Settings{}
	settings.Triggers = map[string]struct {
		FunctionURI string `json:"functionUri"`
	}{event: {FunctionURI: "https://functions.example.org/f"}}
	functions := blocking.Functions{Caller: f, Tokens: token.New(token.Options{Unsigned: true}), Clock: clock.NewManual(time.Unix(1, 0))}
	return functions.Call(t.Context(), settings, blocking.Event{Name: event, Project: "demo", User: u, Session: ses})
}

func TestFailuresRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		function
		want string
	}{
		"an error status":  {function{status: 403, answer: "no"}, "returned HTTP error 403: no"},
		"not reachable":    {function{err: errors.New("connection refused")}, "Failed to make request"},
		"not JSON":         {function{status: 200, answer: "yes"}, "not valid JSON"},
		"no mask":          {function{status: 200, answer: `{"userRecord":{"displayName":"x"}}`}, "missing updateMask"},
		"a reserved claim": {function{status: 200, answer: `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"sub":"x"}}}`}, "FORBIDDEN_CLAIM : sub"},
	} {
		_, err := call(t, c.function, blocking.BeforeSignIn, &account.User{UID: "u"}, &session.Session{})
		if err == nil || !strings.Contains(fault.FromError(err).Message, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestUpdatesOfAFunction(t *testing.T) {
	const answer = `{"userRecord":{"updateMask":"displayName,customClaims,sessionClaims","displayName":"Ana","photoUrl":"not in the mask",` +
		`"customClaims":{"role":"editor"},"sessionClaims":{"level":2}}}`
	for event, claims := range map[string]int{blocking.BeforeCreate: 0, blocking.BeforeSignIn: 1} {
		u, ses := &account.User{UID: "u"}, &session.Session{}
		update, err := call(t, function{status: 200, answer: answer}, event, u, ses)
		if err != nil {
			t.Fatal(err)
		}
		if err := update.Apply(u); err != nil {
			t.Fatal(err)
		}
		if u.Name() != "Ana" || u.Photo() != "" || u.Attributes == nil || *u.Attributes != `{"role":"editor"}` {
			t.Errorf("%s: the account is %+v", event, u)
		}
		if len(ses.Claims) != claims {
			t.Errorf("%s: the session has the claims %v, want %d", event, ses.Claims, claims)
		}
	}
}

func TestNoFunctionIsNoChange(t *testing.T) {
	functions := blocking.Functions{Caller: function{status: 403}}
	update, err := functions.Call(t.Context(), &blocking.Settings{}, blocking.Event{Name: blocking.BeforeCreate})
	if err != nil || update.UserRecord != nil {
		t.Errorf("a project without functions: %v, %v", update, err)
	}
}

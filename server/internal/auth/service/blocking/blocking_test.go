package blocking_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/session"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
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
	functions := blocking.Functions{
		Caller: f, Tokens: token.New(token.Options{Unsigned: true}), Clock: clocktest.NewManual(time.Unix(1, 0)), Emulator: true, Log: slog.New(slog.DiscardHandler),
	}
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
		"too late":         {function{err: context.DeadlineExceeded}, "Failed to make request to https://functions.example.org/f."},
		"no mask":          {function{status: 200, answer: `{"userRecord":{"displayName":"x"}}`}, "missing updateMask"},
		"a reserved claim": {function{status: 200, answer: `{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"sub":"x"}}}`}, "FORBIDDEN_CLAIM : sub"},
	} {
		_, err := call(t, c.function, blocking.BeforeSignIn, &account.User{UID: "u"}, &session.Session{})
		if err == nil || !strings.Contains(fault.FromError(err).Message, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestProductionShowsOnlyTheErrorOfTheFunction lets functions fail in each way. Clients receive production's form,
// without the address of the function, and only those parts of a response that the function made for clients. The log
// has the address and the cause.
func TestProductionShowsOnlyTheErrorOfTheFunction(t *testing.T) {
	const private = "http://10.1.2.3:5001/f"
	for _, tt := range []struct {
		name string
		function
		want, logged string
	}{
		{
			"an HttpsError",
			function{status: 403, answer: `{"error":{"details":{"reason":"domain"},"message":"Unauthorized \"address\"","status":"PERMISSION_DENIED"},"host":"10.1.2.3"}`},
			`{"error":{"details":{"reason":"domain"},"message":"Unauthorized \"address\"","status":"PERMISSION_DENIED"}}`, "HTTP status 403",
		},
		{"a proxy's page", function{status: 502, answer: "<h1>no route to 10.1.2.3:5001</h1>"}, `{"error":{"message":"The function returned HTTP status 502.","status":"INTERNAL"}}`, "HTTP status 502"},
		{"another JSON", function{status: 500, answer: `{"error":{"stack":"at 10.1.2.3"}}`}, `{"error":{"message":"The function returned HTTP status 500.","status":"INTERNAL"}}`, "HTTP status 500"},
		{"not reachable", function{err: errors.New("dial tcp 10.1.2.3:5001: refused")}, `{"error":{"message":"The function cannot be reached.","status":"UNAVAILABLE"}}`, "dial tcp 10.1.2.3:5001: refused"},
		{"not JSON", function{status: 200, answer: "10.1.2.3"}, `{"error":{"message":"Response body is not valid JSON.","status":"INTERNAL"}}`, "invalid character"},
		{"no mask", function{status: 200, answer: `{"userRecord":{"displayName":"x"}}`}, `{"error":{"message":"Response UserRecord is missing updateMask.","status":"INTERNAL"}}`, "updateMask"},
	} {
		var log strings.Builder
		functions := blocking.Functions{
			Caller: tt.function, Tokens: token.New(token.Options{Unsigned: true}), Clock: clocktest.NewManual(time.Unix(1, 0)), Log: slog.New(slog.NewTextHandler(&log, nil)),
		}
		settings := &blocking.Settings{}
		settings.Triggers = map[string]struct {
			FunctionURI string `json:"functionUri"`
		}{blocking.BeforeSignIn: {FunctionURI: private}}
		_, err := functions.Call(t.Context(), settings, blocking.Event{Name: blocking.BeforeSignIn, Project: "demo", User: &account.User{UID: "u"}, Session: &session.Session{}})
		want := "BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: " + tt.want
		if err == nil || fault.FromError(err).Message != want {
			t.Errorf("%s: %v, want %s", tt.name, err, want)
		}
		if !strings.Contains(log.String(), private) || !strings.Contains(log.String(), tt.logged) {
			t.Errorf("%s: the log is %q, want %s and %q in it", tt.name, log.String(), private, tt.logged)
		}
	}
}

// TestADeadlineRefuses calls a function that does not respond within the time of the request.
func TestADeadlineRefuses(t *testing.T) {
	for emulator, want := range map[bool]string{
		true:  "BLOCKING_FUNCTION_ERROR_RESPONSE : ((Deadline exceeded making request to http://f/.))",
		false: `BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {"error":{"message":"Cloud function deadline exceeded.","status":"DEADLINE_EXCEEDED"}}`,
	} {
		settings := &blocking.Settings{}
		settings.Triggers = map[string]struct {
			FunctionURI string `json:"functionUri"`
		}{blocking.BeforeCreate: {FunctionURI: "http://f/"}}
		functions := blocking.Functions{
			Caller: silent{}, Tokens: token.New(token.Options{Unsigned: true}), Clock: clocktest.NewManual(time.Unix(1, 0)), Emulator: emulator, Log: slog.New(slog.DiscardHandler),
		}
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
		_, err := functions.Call(ctx, settings, blocking.Event{Name: blocking.BeforeCreate, Project: "demo", User: &account.User{UID: "u"}, Session: &session.Session{}})
		cancel()
		if err == nil || fault.FromError(err).Message != want {
			t.Errorf("emulator %v: %v, want %s", emulator, err, want)
		}
	}
}

// silent is a function that does not respond.
type silent struct{}

// Post implements blocking.Caller.
func (silent) Post(ctx context.Context, _ string, _ []byte) (status int, answer []byte, err error) {
	<-ctx.Done()
	return 0, nil, ctx.Err()
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

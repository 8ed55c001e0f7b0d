package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"clave/server/internal/auth/account"
	rpc "clave/server/internal/auth/api"
	"clave/server/internal/auth/secret"
	"clave/server/internal/auth/secret/secrettest"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/blocking"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/service/sms"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/store/pebble/pebbletest"
	"clave/server/internal/suite/control"
)

// project is the project of the tests.
const project = "demo-test"

// fixture is a server with its store and services.
type fixture struct {
	t       testing.TB
	url     string
	service *service.Service
	tokens  *token.Verifier
	keys    *serviceaccount.Registry
}

// setup holds the settings in which a fixture differs from the default, which does not sign tokens.
type setup struct {
	signed, production, limits bool
	asEmulator, noSignUp       bool
	noAnonymous, noPasswords   bool
	emulatorSettings           bool
	announce                   func(text string)
	clock                      clock.Clock
	mail                       service.Mailer
	blocking                   blocking.Caller
	sms                        sms.Sender
	// hashCost is the memory cost of password hashes; zero is a cheap one.
	hashCost int
}

// newFixture starts a server that is stopped with the test.
func newFixture(t testing.TB, s setup) *fixture {
	t.Helper()
	store := pebbletest.Open(t)
	accounts := account.New(store)
	w := &fixture{t: t, keys: serviceaccount.New(accounts, s.clock)}
	o := token.Options{Clock: s.clock, Unsigned: !s.signed && !s.production, Owner: !s.production}
	if s.signed || s.production {
		var err error
		if o.Keys, err = token.OpenKeys(token.KeyOptions{Clock: s.clock}); err != nil {
			t.Fatal(err)
		}
		o.Session = func(ctx context.Context, id token.ID) error { return w.service.CheckSession(ctx, id) }
		o.ServiceKeys = w.keys.Get
	}
	server := httptest.NewUnstartedServer(nil) // its address must be known before its handler
	t.Cleanup(server.Close)
	w.url = "http://" + server.Listener.Addr().String()
	publicURL := ""
	if s.production {
		publicURL = w.url
		o.PublicURL = w.url
	}
	w.tokens = token.New(o)
	const cheap = 4
	var secrets *secret.Keys
	if s.production {
		secrets = secrettest.Keys(t, "key")
	}
	w.service = service.New(service.Options{
		Secrets:  secrets,
		Accounts: accounts, Tokens: w.tokens, Clock: s.clock, Project: project, Emulator: !s.production, HashMemCost: max(s.hashCost, cheap), RateLimits: s.limits,
		Mail: s.mail, Blocking: s.blocking, SMS: s.sms, AsEmulator: s.asEmulator, NoSignUp: s.noSignUp, NoAnonymous: s.noAnonymous, NoPasswords: s.noPasswords, EmulatorSettings: s.emulatorSettings, Announce: s.announce, PublicURL: publicURL,
	})
	var handler http.Handler = rpc.New(rpc.Options{Service: w.service, TrustProxy: s.limits, SignInPages: s.production})
	if !s.production {
		handler = control.Accounts(w.service, handler)
	}
	server.Config.Handler = handler
	server.Start()
	return w
}

// send sends a request and returns the answer's status and body.
func (w *fixture) send(method, path string, body any, headers ...string) (int, map[string]any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	if s, ok := body.(string); ok {
		text = []byte(s)
	}
	req, err := http.NewRequest(method, w.url+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(got, &answer); err != nil {
		w.t.Fatalf("%s %s answered %d %.200q, which is no JSON object", method, path, res.StatusCode, got)
	}
	return res.StatusCode, answer
}

// sendTo posts a form with a Host header. An empty one means the server's own.
func (w *fixture) sendTo(host, path string, form url.Values) (int, map[string]any) {
	w.t.Helper()
	req, err := http.NewRequest("POST", w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Host = host
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, answer
}

// client calls a method as a client with an API key. code is that of the error, or "".
func (w *fixture) client(verb string, body any) (answer map[string]any, code string) {
	w.t.Helper()
	path := "/identitytoolkit.googleapis.com/v1/accounts:" + verb + "?key=k"
	switch {
	case verb == "token":
		path = "/securetoken.googleapis.com/v1/token?key=k"
	case strings.HasPrefix(verb, "v2/"):
		path = "/identitytoolkit.googleapis.com/" + verb + "?key=k"
	}
	_, answer = w.send("POST", path, body)
	return answer, codeOf(answer)
}

// from calls a method as a client at a network address, behind a proxy, and returns the name of the error, or "".
func (w *fixture) from(address, verb string, body any) string {
	w.t.Helper()
	_, answer := w.send("POST", "/identitytoolkit.googleapis.com/v1/accounts:"+verb+"?key=k", body, "X-Forwarded-For", address)
	return codeOf(answer)
}

// admin calls a method as an administrator.
func (w *fixture) admin(method, path string, body any) (answer map[string]any, code string) {
	w.t.Helper()
	_, answer = w.send(method, "/identitytoolkit.googleapis.com/"+path, body, "Authorization", "Bearer owner")
	return answer, codeOf(answer)
}

// must fails the test if a call was refused.
func (w *fixture) must(answer map[string]any, code string) map[string]any {
	w.t.Helper()
	if code != "" {
		w.t.Fatalf("refused: %s", code)
	}
	return answer
}

// codeOf returns the name of an error, or "".
func codeOf(answer map[string]any) string {
	e, _ := answer["error"].(map[string]any)
	message, _ := e["message"].(string)
	code, _, _ := strings.Cut(message, " : ")
	return code
}

// str returns a string field of an answer.
func str(answer map[string]any, name string) string {
	s, _ := answer[name].(string)
	return s
}

// object is a JSON object.
type object = map[string]any

// signUp creates an account and returns the answer.
func (w *fixture) signUp(email, password string) map[string]any {
	w.t.Helper()
	return w.must(w.client("signUp", object{"email": email, "password": password}))
}

// codes returns the codes that the control route lists.
func (w *fixture) codes(what string) []any {
	w.t.Helper()
	_, answer := w.send("GET", "/emulator/v1/projects/"+project+"/"+what, nil)
	list, _ := answer[what].([]any)
	return list
}

// lastCode returns the newest e-mail code.
func (w *fixture) lastCode() map[string]any {
	w.t.Helper()
	list := w.codes("oobCodes")
	if len(list) == 0 {
		w.t.Fatal("no code was sent")
	}
	return list[len(list)-1].(map[string]any)
}

// queryOf returns a parameter of a URL.
func queryOf(t testing.TB, raw, name string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get(name)
}

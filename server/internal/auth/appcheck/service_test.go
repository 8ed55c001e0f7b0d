package appcheck_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"

	"github.com/go-jose/go-jose/v4"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/auth/service/serviceaccount"
	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/observe/meter"
	"clave/server/internal/store/pebble"
	"clave/server/internal/store/pebble/pebbletest"
)

// The project and the app of the tests, and the time at which they begin.
const (
	project = "p1"
	app     = "1:123456:web:abcdef"
)

var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// fixture is a service with what it needs.
type fixture struct {
	*appcheck.Service
	t        testing.TB
	clock    *clocktest.Manual
	store    *pebble.Store
	accounts *account.Store
	tokens   *token.Verifier
	servers  *serviceaccount.Registry
}

// open returns a service without debug tokens.
func open(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: clocktest.NewManual(start), store: pebbletest.Open(t)}
	f.accounts = account.New(f.store)
	keys, err := token.OpenKeys(token.KeyOptions{Clock: f.clock, AppCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	f.servers = serviceaccount.New(f.accounts, f.clock)
	f.tokens = token.New(token.Options{Clock: f.clock, Keys: keys, ServiceKeys: f.servers.Get})
	f.Service = appcheck.New(appcheck.Options{Accounts: f.accounts, Tokens: f.tokens, Clock: f.clock})
	return f
}

// server registers a service account of a project, and returns a function that signs custom tokens as it.
func (f *fixture) server(project string) func(changes map[string]any) string {
	f.t.Helper()
	made, err := f.servers.Create(f.t.Context(), project, "backend", "https://data.example.org/token")
	if err != nil {
		f.t.Fatal(err)
	}
	var file struct {
		PrivateKey string `json:"private_key"`
	}
	if err := json.Unmarshal(made.File, &file); err != nil {
		f.t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(file.PrivateKey))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		f.t.Fatal(err)
	}
	return func(changes map[string]any) string {
		now := f.clock.Now().Unix()
		claims := map[string]any{
			"iss": made.Email, "sub": made.Email, "app_id": app, "iat": now, "exp": now + 300,
			"aud": "https://firebaseappcheck.googleapis.com/google.firebase.appcheck.v1.TokenExchangeService",
		}
		for name, value := range changes {
			claims[name] = value
		}
		return sign(f.t, parsed.(*rsa.PrivateKey), claims)
	}
}

// sign returns a JWT.
func sign(t testing.TB, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestCustomTokens exchanges custom tokens of servers.
func TestCustomTokens(t *testing.T) {
	f := open(t)
	ours, theirs := f.server(project), f.server("p2")
	const id = "an id of 16 bytes"
	for _, tt := range []struct {
		name, raw string
		use       appcheck.Use
		want      time.Duration
		code      fault.Code
	}{
		{"plain", ours(nil), appcheck.Use{}, time.Hour, fault.OK},
		{"for limited use", ours(nil), appcheck.Use{Limited: true}, 5 * time.Minute, fault.OK},
		{"the shortest", ours(map[string]any{"ttl": "1800s"}), appcheck.Use{}, 30 * time.Minute, fault.OK},
		{"the longest", ours(map[string]any{"ttl": "604800s"}), appcheck.Use{}, 7 * 24 * time.Hour, fault.OK},
		{"with a fraction", ours(map[string]any{"ttl": "1800.500000000s"}), appcheck.Use{}, 30 * time.Minute, fault.OK},
		{"with an id", ours(nil), appcheck.Use{Limited: true, ID: id}, 5 * time.Minute, fault.OK},
		{"too short", ours(map[string]any{"ttl": "1799s"}), appcheck.Use{}, 0, fault.InvalidArgument},
		{"too long", ours(map[string]any{"ttl": "604801s"}), appcheck.Use{}, 0, fault.InvalidArgument},
		{"in hours", ours(map[string]any{"ttl": "1h0s"}), appcheck.Use{}, 0, fault.InvalidArgument},
		{"an id for a session", ours(nil), appcheck.Use{ID: id}, 0, fault.InvalidArgument},
		{"a short id", ours(nil), appcheck.Use{Limited: true, ID: "short"}, 0, fault.InvalidArgument},
		{"a long id", ours(nil), appcheck.Use{Limited: true, ID: strings.Repeat("x", 501)}, 0, fault.InvalidArgument},
		{"nothing", "", appcheck.Use{}, 0, fault.InvalidArgument},
		{"no JWT", "x", appcheck.Use{}, 0, fault.PermissionDenied},
		{"of another project's server", theirs(nil), appcheck.Use{}, 0, fault.PermissionDenied},
		{"of another app", ours(map[string]any{"app_id": "1:2:web:3"}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"of no app", ours(map[string]any{"app_id": 7}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"for sign-ins", ours(map[string]any{"aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"for another subject", ours(map[string]any{"sub": "else@p1.iam.gserviceaccount.com"}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"expired", ours(map[string]any{"exp": start.Unix()}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"for two hours", ours(map[string]any{"exp": start.Unix() + 7200}), appcheck.Use{}, 0, fault.PermissionDenied},
		{"huge", ours(map[string]any{"x": strings.Repeat("x", 20<<10)}), appcheck.Use{}, 0, fault.PermissionDenied},
	} {
		issued, err := f.ExchangeCustom(t.Context(), project, app, tt.raw, tt.use)
		if fault.CodeOf(err) != tt.code || err == nil && issued.Life != tt.want {
			t.Errorf("%s: %+v, %v, want %v, %v", tt.name, issued, err, tt.want, tt.code)
		}
		if err != nil {
			continue
		}
		got, err := f.tokens.AppCheck(issued.Token, project)
		if err != nil || got.App != app || !got.Expires.Equal(start.Add(tt.want)) || tt.use.ID != "" && got.ID != tt.use.ID {
			t.Errorf("%s: the token is %+v, %v", tt.name, got, err)
		}
	}
}

// TestDebugTokens registers, exchanges and removes debug tokens.
func TestDebugTokens(t *testing.T) {
	f := open(t)
	debug := debugtoken.New(f.accounts, f.clock)
	const secret = "123e4567-e89b-42d3-a456-426614174000"
	if _, err := f.ExchangeDebug(project, app, secret, appcheck.Use{}); !fault.Is(err, fault.PermissionDenied) || fault.FromError(err).Message != "App attestation failed." {
		t.Errorf("an unknown debug token: %v", err)
	}
	id, err := debug.Add(t.Context(), project, app, "a laptop", strings.ToUpper(secret))
	if err != nil {
		t.Fatal(err)
	}
	if issued, err := f.ExchangeDebug(project, app, secret, appcheck.Use{}); err != nil || issued.Life != time.Hour {
		t.Errorf("a registered debug token: %+v, %v", issued, err)
	}
	for what, try := range map[string][3]string{
		"of another app": {project, "1:1:web:1", secret}, "of another project": {"p2", app, secret}, "another one": {project, app, secret[:35] + "1"},
		"an app's id with NUL": {project, app + "\x00", secret}, "a long app's id": {project, strings.Repeat("x", 4096), secret},
	} {
		if _, err := f.ExchangeDebug(try[0], try[1], try[2], appcheck.Use{}); !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("a debug token %s: %v", what, err)
		}
	}
	list, err := debug.List(t.Context(), project)
	if err != nil || len(list) != 1 || list[0] != (debugtoken.Info{App: app, ID: id, Name: "a laptop", Created: start}) {
		t.Errorf("List = %+v, %v", list, err)
	}
	for what, add := range map[string]func() (string, error){
		"the same": func() (string, error) { return debug.Add(t.Context(), project, app, "", secret) },
		"a word":   func() (string, error) { return debug.Add(t.Context(), project, app, "", "secret") },
		"no app":   func() (string, error) { return debug.Add(t.Context(), project, "", "", secret) },
		"a path":   func() (string, error) { return debug.Add(t.Context(), project, "a/b", "", secret) },
	} {
		if id, err := add(); err == nil {
			t.Errorf("%s was registered as %s", what, id)
		}
	}
	for i := range 19 {
		id, err := debug.Add(t.Context(), project, app, "", fmt.Sprintf("123e4567-e89b-42d3-a456-4266141741%02d", i))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Trim(id, randid.Alphanumeric) != "" {
			t.Errorf("the id %s could be taken for a flag of clave appcheck remove", id)
		}
	}
	if _, err := debug.Add(t.Context(), project, app, "", "123e4567-e89b-42d3-a456-426614174200"); !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("the 21st debug token: %v", err)
	}
	if err := debug.Remove(t.Context(), project, app, id); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ExchangeDebug(project, app, secret, appcheck.Use{}); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("a removed debug token: %v", err)
	}
	if err := debug.Remove(t.Context(), project, app, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

// TestUsedTokens uses tokens twice, and removes those that have expired.
func TestUsedTokens(t *testing.T) {
	f := open(t)
	custom := f.server(project)
	issue := func(id string) string {
		issued, err := f.ExchangeCustom(t.Context(), project, app, custom(nil), appcheck.Use{Limited: true, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return issued.Token
	}
	use := func(what, raw string, want bool) {
		t.Helper()
		if already, err := f.Consume(t.Context(), project, raw); err != nil || already != want {
			t.Errorf("%s: used before %v, %v, want %v", what, already, err, want)
		}
	}
	const id = "an id of 16 bytes"
	first, same := issue(id), issue(id)
	use("the first", first, false)
	use("the same", first, true)
	use("another with its id", same, true)
	use("another", issue(""), false)
	stored := func() (n int) {
		err := f.accounts.Items(t.Context(), account.Scope{Project: project}, appcheck.UsedItem, func(string, func(any) error) error { n++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := stored(); n != 2 {
		t.Errorf("%d used tokens are stored, want 2", n)
	}
	// Not even after a restart is a used token unused.
	f.Service = appcheck.New(appcheck.Options{Accounts: f.accounts, Tokens: f.tokens, Clock: f.clock})
	use("after a restart", first, true)
	if _, err := f.Consume(t.Context(), "p2", first); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("a token of another project: %v", err)
	}
	f.clock.Advance(5 * time.Minute)
	if _, err := f.Consume(t.Context(), project, first); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("an expired token: %v", err)
	}
	use("a later one with the first one's id", issue(id), false)
	if err := f.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := stored(); n != 1 {
		t.Errorf("%d used tokens are stored after the others expired, want 1", n)
	}
}

// TestExchangesAreLimited exchanges more than a network may.
func TestExchangesAreLimited(t *testing.T) {
	f := open(t)
	stranger, n := netip.MustParseAddr("203.0.113.7"), 0
	for ; n < 100 && f.Allow(stranger) == nil; n++ {
	}
	if err := f.Allow(stranger); n != 30 || !fault.Is(err, fault.ResourceExhausted) {
		t.Errorf("%d exchanges were allowed, then %v", n, err)
	}
	if err := f.Allow(netip.MustParseAddr("203.0.113.8")); err != nil {
		t.Errorf("another network: %v", err)
	}
	f.clock.Advance(2 * time.Second)
	if err := f.Allow(stranger); err != nil {
		t.Errorf("later: %v", err)
	}
}

// TestChecker decides in each mode about a valid, an invalid and no token, and counts them.
func TestChecker(t *testing.T) {
	f := open(t)
	issued, err := f.ExchangeCustom(t.Context(), project, app, f.server(project)(nil), appcheck.Use{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		refused bool
		counts  [3]uint64
	}{
		"firestore=off,auth=off":     {false, [3]uint64{}},
		"firestore=count,auth=count": {false, [3]uint64{1, 1, 1}},
		"firestore.googleapis.com=enforce,identitytoolkit.googleapis.com=enforce": {true, [3]uint64{1, 1, 1}},
	} {
		modes, err := appcheck.ParseModes(text)
		if err != nil {
			t.Fatal(err)
		}
		counts := meter.New(f.clock, nil)
		c := appcheck.NewChecker(appcheck.CheckerOptions{Tokens: f.tokens, Modes: modes, Meter: counts})
		for product, refusal := range map[appcheck.Product]string{
			appcheck.Firestore: "PERMISSION_DENIED: Missing or insufficient permissions.", appcheck.Auth: "UNAUTHENTICATED: Firebase App Check token is invalid.",
		} {
			if err := c.Check(product, project, issued.Token); err != nil {
				t.Errorf("%s: a valid token: %v", text, err)
			}
			for _, raw := range []string{"", issued.Token + "x"} {
				err := c.Check(product, project, raw)
				got := ""
				if err != nil {
					got = fault.CodeOf(err).String() + ": " + fault.FromError(err).Message
				}
				if want.refused && got != refusal || !want.refused && err != nil {
					t.Errorf("%s: the token %q: %v", text, raw, err)
				}
			}
			if got := counts.All().Checked[product]; got != want.counts {
				t.Errorf("%s: the counts are %v, want %v", text, got, want.counts)
			}
		}
	}
	if (*appcheck.Checker)(nil).Check(appcheck.Firestore, project, "x") != nil {
		t.Error("without App Check a request was refused")
	}
	for _, text := range []string{"", "firestore", "firestore=on", "storage=count", "auth=count,auth=enforce", "auth=count,"} {
		if modes, err := appcheck.ParseModes(text); err == nil {
			t.Errorf("ParseModes(%q) = %v", text, modes)
		}
	}
}

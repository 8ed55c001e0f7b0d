package bench_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// readsToken is a condition of rules that reads the user's ID token.
const readsToken = "request.auth.uid != null && request.auth.token.firebase.sign_in_provider == 'password'"

// TestCostOfAUser logs the server's processor time and allocations for a create, a get and a query of 20 documents over
// gRPC, REST and WebChannel without TLS: of a user at `clave serve`, with a signed ID token and rules that read it,
// beside those of the owner at `clave start`, to whom no rules apply. CLAVE_BENCH_PROGRAMS has the paths of programs,
// separated by spaces, which are measured in turns; by default the program is built as make does. CLAVE_BENCH_CASE is a
// pattern that selects rows.
func TestCostOfAUser(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_COST") == "" {
		t.Skip("CLAVE_BENCH_COST is not set")
	}
	paths := strings.Fields(os.Getenv("CLAVE_BENCH_PROGRAMS"))
	if len(paths) == 0 {
		paths = []string{buildClave(t)}
	}
	var owners, users []*server
	for _, path := range paths {
		t.Setenv("CLAVE_BENCH_BIN", path)
		metrics := freeAddress(t)
		one := startClave(t, "--metrics", metrics)
		one.metrics = metrics
		one.fillEvents(t, nil)
		metrics = freeAddress(t)
		address := freeAddress(t)
		other := serve(t, address, readsToken, []string{"--metrics", metrics, "--public-url", "https://" + address})
		other.metrics, other.user = metrics, other.signUp(t)
		other.fillEvents(t, nil)
		owners, users = append(owners, one), append(users, other)
	}
	for _, r := range []struct {
		name string
		load func(*server) costLoad
	}{
		{"get gRPC", func(s *server) costLoad { return s.grpc(t, nil, getCall) }},
		{"get REST", func(s *server) costLoad { return s.rest(t, nil, restGet) }},
		{"get WebChannel", func(s *server) costLoad { return s.channelReads(t, nil, getTarget, 1) }},
		{"query gRPC", func(s *server) costLoad { return s.grpc(t, nil, queryCall) }},
		{"query REST", func(s *server) costLoad { return s.rest(t, nil, restQuery) }},
		{"query WebChannel", func(s *server) costLoad { return s.channelReads(t, nil, queryTarget, queryLimit) }},
		{"create gRPC", func(s *server) costLoad { return s.grpc(t, nil, createCall) }},
		{"create REST", func(s *server) costLoad { return s.rest(t, nil, restCreate) }},
		{"create WebChannel", func(s *server) costLoad { return s.channel(t, nil, false) }},
	} {
		if !regexp.MustCompile(os.Getenv("CLAVE_BENCH_CASE")).MatchString(r.name) {
			continue
		}
		both := make([]beside, len(paths))
		for i := range paths {
			both[i] = beside{costed{load: r.load(owners[i])}, costed{load: r.load(users[i])}}
		}
		for range costRounds {
			for i := range both {
				both[i].owner.add(t)
				both[i].user.add(t)
			}
		}
		for i, path := range paths {
			both[i].log(t, r.name+" "+filepath.Base(path))
		}
	}
}

// signUp creates a user with a password and returns its ID token.
func (s *server) signUp(t *testing.T) string {
	t.Helper()
	address := "http://" + s.address + "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"
	account := `{"email":"ann@example.org","password":"correct horse","displayName":"Ann","returnSecureToken":true}`
	res, err := http.Post(address, "application/json", strings.NewReader(account))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		IDToken string `json:"idToken"`
	}
	if err := json.Unmarshal(text, &made); err != nil || made.IDToken == "" {
		t.Fatalf("sign-up: %s (%v)", text, err)
	}
	return made.IDToken
}

// costed is a load with the sum of its measurements.
type costed struct {
	load                         costLoad
	workers                      []func() error
	calls, ticks, objects, bytes float64
}

// add measures the load for its part of the duration.
func (c *costed) add(t *testing.T) {
	t.Helper()
	if c.workers == nil {
		c.workers = c.load.connect(t, transportClients)
	}
	before := c.load.server.allocated(t)
	calls, ticks := c.load.repeat(t, c.workers, duration()/time.Duration(costRounds))
	after := c.load.server.allocated(t)
	c.calls += float64(calls)
	c.ticks += float64(ticks)
	c.objects += after.objects - before.objects
	c.bytes += after.bytes - before.bytes
}

// String returns the cost of a call.
func (c *costed) String() string {
	return fmt.Sprintf("%.0f µs, %.1f allocations, %.0f bytes", c.ticks*tick/c.calls, c.objects/c.calls, c.bytes/c.calls)
}

// beside is a load of the owner and the same of a user.
type beside struct{ owner, user costed }

// log logs both and what the user's costs more.
func (b *beside) log(t *testing.T, name string) {
	t.Helper()
	ratio := b.user.ticks / b.user.calls / (b.owner.ticks / b.owner.calls)
	more := b.user.objects/b.user.calls - b.owner.objects/b.owner.calls
	t.Logf("%-30s user %v; owner %v: %.2f, %+.1f allocations", name, &b.user, &b.owner, ratio, more)
}

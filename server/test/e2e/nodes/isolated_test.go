package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// isolatedRules let users read two collections, and closedRules only the first of them.
const (
	isolatedRules = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
		match /kept/{id} { allow read: if request.auth != null; }
		match /closed/{id} { allow read: if request.auth != null; } } }`
	closedRules = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
		match /kept/{id} { allow read: if request.auth != null; } } }`
)

// isolation is a leader and a follower of `clave serve`, and the follower's links to the leader and to PostgreSQL.
type isolation struct {
	t                *testing.T
	store            string
	leader, follower *servingNode
	// pg is the follower's link to PostgreSQL, and inner the one to the leader.
	pg, inner *link.Link
	// dir is the folder of commands, and owner the key of a service account.
	dir   string
	owner []byte
}

// newIsolation starts the nodes and waits until the follower serves reads and live queries.
func newIsolation(t *testing.T, pg *pgtest.Server) *isolation {
	t.Helper()
	n := &isolation{t: t, store: pg.Database(), dir: t.TempDir()}
	t.Setenv("CLAVE_STORE", n.store)
	harness.WriteFile(t, filepath.Join(n.dir, "firebase.json"), `{}`)
	inner := fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0])
	n.leader = newServingNodeWith(t, n.store, isolatedRules, "--cluster-listen", inner)
	n.leader.await("Clave ready")
	n.owner = harness.CreateKey(t, n.dir, "backend")
	n.pg, n.inner = link.New(t, pg.Addr()), link.New(t, inner)
	n.pg.Replace(inner, n.inner.Addr()) // the follower reads the leader's address from PostgreSQL
	n.follower = newServingNodeWith(t, strings.Replace(n.store, pg.Addr(), n.pg.Addr(), 1), isolatedRules)
	n.follower.await("Follower: ")
	awaitSessions(t, harness.AttackedDatabase, n.follower.Host())
	return n
}

// set writes a number into a document at the leader.
func (n *isolation) set(path string, value int64) {
	n.t.Helper()
	code, answer := n.leader.Request(n.t, http.MethodPatch, "/v1/"+harness.AttackedDatabase+"/documents/"+path, bearerOf(n.t, n.owner, "firestore"),
		harness.Object{"fields": harness.Object{"n": harness.Object{"integerValue": fmt.Sprint(value)}}})
	if code != http.StatusOK {
		n.t.Fatalf("write of %s: %d %v", path, code, answer)
	}
}

// account changes an account at the leader.
func (n *isolation) account(method string, body harness.Object) {
	n.t.Helper()
	code, answer := n.leader.Request(n.t, http.MethodPost, harness.ToolkitPath("projects/"+harness.RealProject+"/"+method), bearerOf(n.t, n.owner, "identitytoolkit"), body)
	if code != http.StatusOK {
		n.t.Fatalf("%s: %d %v", method, code, answer)
	}
}

// reader is a client of the follower that loses its right to read a document, unless change is nil.
type reader struct {
	name, path, authorization string
	// change is the change at the leader.
	change func()
	ends   []*isolatedEnd
}

// isolatedEnd is a stream of a reader.
type isolatedEnd struct {
	transport string
	harness.ListenEnd
	done chan struct{}
	mu   sync.Mutex
	// last is the last number received, and how the reason of its end.
	last int64
	how  string
}

// open opens a stream at the follower, and waits until it has the document.
func (n *isolation) open(r *reader, transport string, listen harness.ListenTransport) {
	n.t.Helper()
	end := &isolatedEnd{transport: transport, ListenEnd: listen(n.t, n.follower.Host(), r.authorization), done: make(chan struct{}), last: -1}
	addDocumentOf(end, harness.AttackedDatabase, r.path)
	r.ends = append(r.ends, end)
	go end.run()
	wait.Until(n.t, r.name+": the document over "+transport, func() bool { return end.number() == 0 })
}

// run receives until the target or the stream ends.
func (e *isolatedEnd) run() {
	defer close(e.done)
	for {
		m, ended := e.Receive()
		e.mu.Lock()
		switch c := m.GetTargetChange(); {
		case ended != nil:
			e.how = ended.String()
		case c.GetTargetChangeType() == pb.TargetChange_REMOVE:
			e.how = codes.Code(c.GetCause().GetCode()).String()
		case m.GetDocumentChange() != nil:
			e.last = m.GetDocumentChange().GetDocument().GetFields()["n"].GetIntegerValue()
		}
		over := e.how != ""
		e.mu.Unlock()
		if over {
			return
		}
	}
}

// number returns the last number received, and -1 without one.
func (e *isolatedEnd) number() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// end returns the reason of the end.
func (e *isolatedEnd) end() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.how
}

// read reads a reader's document at the follower, and returns the status and the document's number. The status is 0 if
// no response comes in time.
func (n *isolation) read(ctx context.Context, r *reader) (code int, number string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.follower.URL+"/v1/"+harness.AttackedDatabase+"/documents/"+r.path, http.NoBody)
	if err != nil {
		return 0, ""
	}
	request.Header.Set("Authorization", r.authorization)
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = res.Body.Close() }()
	var doc struct {
		Fields struct{ N struct{ IntegerValue string } }
	}
	if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
		return 0, ""
	}
	return res.StatusCode, doc.Fields.N.IntegerValue
}

// readUntilRefused reads a reader's document again and again, until the reader is refused. No read may succeed, because
// the reader's right has ended before.
func (n *isolation) readUntilRefused(ctx context.Context, r *reader) {
	for ctx.Err() == nil {
		switch code, number := n.read(ctx, r); code {
		case http.StatusUnauthorized, http.StatusForbidden:
			return
		case http.StatusServiceUnavailable, 0:
		default:
			n.t.Errorf("%s: a read after the change: %d, n=%s", r.name, code, number)
			return
		}
		_ = clock.Sleep(ctx, clock.System(), 10*time.Millisecond) // or ctx is done
	}
	n.t.Errorf("%s: reads are never refused", r.name)
}

// readers returns users of the follower whose rights end in different ways.
func (n *isolation) readers() []*reader {
	n.t.Helper()
	user := func() (authorization, uid string) {
		token, uid := harness.SignUp(n.t, n.leader.Host())
		return "Bearer " + token, uid
	}
	disabled, disabledUID := user()
	revoked, revokedUID := user()
	deleted, deletedUID := user()
	ruled, _ := user()
	key := harness.CreateKey(n.t, n.dir, "reporting")
	harness.WriteFile(n.t, filepath.Join(n.dir, "closed.rules"), closedRules)
	return []*reader{
		{"a disabled account", "kept/disabled", disabled, func() { n.account("accounts:update", harness.Object{"localId": disabledUID, "disableUser": true}) }, nil},
		{"an account whose sessions are revoked", "kept/revoked", revoked, func() {
			n.account("accounts:update", harness.Object{"localId": revokedUID, "validSince": fmt.Sprint(clock.System().Now().Add(time.Hour).Unix())})
		}, nil},
		{"a deleted account", "kept/deleted", deleted, func() { n.account("accounts:delete", harness.Object{"localId": deletedUID}) }, nil},
		{"a revoked key", "kept/key", bearerOf(n.t, key, "firestore"), func() { keysCommand(n.t, n.dir, "revoke", "reporting") }, nil},
		{"a user under closed rules", "closed/one", ruled, func() { deployFiles(n.t, n.dir, n.store, true, "Release ", "closed.rules") }, nil},
	}
}

// TestIsolatedFollowers ends rights at the leader while a follower is cut off: no read at the follower succeeds after
// the change was acknowledged, and no stream at it delivers a later commit.
func TestIsolatedFollowers(t *testing.T) {
	pg := pgtest.New(t)
	for _, tt := range []struct {
		name string
		cut  func(n *isolation)
	}{
		{"from the leader", func(n *isolation) { n.inner.Cut(link.Both) }},
		{"from PostgreSQL", func(n *isolation) { n.pg.Cut(link.Both) }},
		{"from both", func(n *isolation) {
			n.inner.Cut(link.Both)
			n.pg.Cut(link.Both)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { newIsolation(t, pg).endRights(tt.cut) })
	}
}

// endRights ends the rights of readers during a cut, and ends the cut.
func (n *isolation) endRights(cut func(n *isolation)) {
	t := n.t
	readers := n.readers()
	for _, r := range readers {
		n.set(r.path, 0)
		for transport, listen := range harness.TransportsOf(harness.AttackedDatabase) {
			n.open(r, transport, listen)
		}
		if code, number := n.read(t.Context(), r); code != http.StatusOK || number != "0" {
			t.Fatalf("%s: a read before the change: %d, n=%s", r.name, code, number)
		}
	}
	cut(n)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var reading sync.WaitGroup
	for _, r := range readers {
		r.change()
		reading.Go(func() { n.readUntilRefused(ctx, r) })
		n.set(r.path, 1)
	}
	for _, r := range readers {
		for _, end := range r.ends {
			select {
			case <-end.done:
			case <-ctx.Done():
				t.Errorf("%s: the stream over %s is still open", r.name, end.transport)
			}
		}
	}
	n.inner.Heal()
	n.pg.Heal()
	reading.Wait()
	for _, r := range readers {
		for _, end := range r.ends {
			if end.number() > 0 {
				t.Errorf("%s: the stream over %s has delivered a commit after the change", r.name, end.transport)
			}
			if strings.Contains(end.end(), codes.Canceled.String()) {
				t.Errorf("%s: the stream over %s ended with %s, which the client has not asked for", r.name, end.transport, end.end())
			}
			t.Logf("%s: the stream over %s ended: %s", r.name, end.transport, end.end())
		}
	}
}

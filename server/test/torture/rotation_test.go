package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/link"
	"clave/server/test/kit/program"
)

// rotating is a node that is restarted with clocks that are further and further ahead, and a follower with links that
// can be cut.
type rotating struct {
	t                *testing.T
	leader, follower *member
	// pg is the follower's link to PostgreSQL, and inner the one to the leader.
	pg, inner *link.Link
}

// newRotating returns the nodes. They do not run yet.
func newRotating(t *testing.T) *rotating {
	t.Helper()
	server := pgtest.New(t)
	url, listen := server.Database(), fmt.Sprintf("127.0.0.1:%d", program.FreePorts(t, 1)[0])
	r := &rotating{t: t, pg: link.New(t, server.Addr()), inner: link.New(t, listen)}
	r.pg.Replace(listen, r.inner.Addr()) // the follower reads the leader's address from PostgreSQL
	node := func(store string, more ...string) *member {
		s := newSite(t)
		s.args = append([]string{"start", "--only", "firestore,auth", "--sign-tokens", "--project", project}, more...)
		s.env = []string{"CLAVE_STORE=" + store}
		return &member{site: s}
	}
	r.leader = node(url, "--cluster-listen", listen)
	metrics := fmt.Sprintf("127.0.0.1:%d", program.FreePorts(t, 1)[0])
	r.follower = node(strings.Replace(url, server.Addr(), r.pg.Addr(), 1), "--metrics", metrics)
	r.follower.metrics = metrics
	return r
}

// launchAhead starts a node with a clock that is ahead, and waits for its role.
func launchAhead(m *member, ahead time.Duration, role string) {
	m.site.t.Helper()
	m.site.env = append(m.site.env[:1:1], "CLAVE_CLOCK_AHEAD="+ahead.String())
	m.launch()
	m.await("has the role "+role, func() bool { return m.role() == role })
}

// signUp creates an account at the leader and returns its ID token.
func (r *rotating) signUp() (token string) {
	r.t.Helper()
	res, err := http.Post(r.leader.site.auth+"/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", "application/json", strings.NewReader(`{"returnSecureToken":true}`))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct{ IDToken string }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.IDToken == "" {
		r.t.Fatalf("sign-up: %s, %v", res.Status, err)
	}
	return answer.IDToken
}

// read reads a document at a node with a token, and returns the status; 0 if the node is not reached. A node without a
// leader waits for one for a while.
func (r *rotating) read(m *member, token string) int {
	ctx, cancel := context.WithTimeout(r.t.Context(), timeLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.site.http+"/v1/"+root+"/docs/1", http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// TestSigningKeysRotateWhileAFollowerIsCutOff lets the leader create a signing key and sign with it while a follower
// can reach neither the leader nor PostgreSQL. The follower must not refuse a token of the new key: it answers
// UNAVAILABLE until it is connected again, and then accepts the token.
func TestSigningKeysRotateWhileAFollowerIsCutOff(t *testing.T) {
	const (
		signs     = 14 * 24 * time.Hour // then there is a next key
		published = 12 * time.Hour      // before it signs
		after     = signs + published + time.Hour
	)
	r := newRotating(t)
	launchAhead(r.leader, 0, "leader")
	c := newClient(t, r.leader.site.addr)
	c.connect(t)
	if _, err := c.commit(t.Context(), nil, set("docs/1", fields{"v": 1})); err != nil {
		t.Fatal(err)
	}
	first := r.signUp()
	launchAhead(r.follower, after, "follower")
	r.follower.await("serves reads", func() bool { return r.read(r.follower, "owner") == http.StatusOK && r.follower.leases() > 0 })
	r.inner.Cut(link.Both)
	r.pg.Cut(link.Both)
	for _, ahead := range []time.Duration{signs + time.Minute, after} {
		r.leader.srv.stop()
		launchAhead(r.leader, ahead, "leader")
	}
	second := r.signUp()
	if head := func(token string) string { return token[:strings.IndexByte(token, '.')] }; head(first) == head(second) {
		t.Fatal("both tokens are of one key")
	}
	if code := r.read(r.leader, second); code != http.StatusOK {
		t.Fatalf("a read at the leader: %d", code)
	}
	if code := r.read(r.follower, second); code != http.StatusServiceUnavailable {
		t.Errorf("a read at the follower that is cut off: %d, want 503", code)
	}
	r.inner.Heal()
	r.pg.Heal()
	r.follower.await("accepts the token of the new key", func() bool {
		code := r.read(r.follower, second)
		if code != http.StatusOK && code != http.StatusServiceUnavailable && code != 0 {
			t.Fatalf("a read at the follower: %d", code)
		}
		return code == http.StatusOK
	})
}

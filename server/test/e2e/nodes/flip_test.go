package nodes

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"

	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// flips is the number of releases of a run, of which each second one permits what the others forbid.
const flips = 8

// TestRulesUnderLoad releases rules again and again while clients of all nodes read. A read that begins after a release
// was acknowledged, and ends before the next one begins, is decided by that release; so is a listener over gRPC or
// WebChannel.
func TestRulesUnderLoad(t *testing.T) {
	store := pgtest.New(t).Database()
	var nodes []*servingNode
	for range 3 {
		n := newServingNode(t, store, "other")
		if len(nodes) == 0 {
			n.await("Clave ready")
		} else {
			n.await("Follower: ")
		}
		nodes = append(nodes, n)
	}
	for _, n := range nodes[1:] {
		awaitSessions(t, harness.AttackedDatabase, n.Host())
	}
	dir := t.TempDir()
	harness.WriteFile(t, filepath.Join(dir, "open.rules"), rulesFor("flip"))
	harness.WriteFile(t, filepath.Join(dir, "closed.rules"), rulesFor("other"))
	f := &flipping{nodes: nodes}
	ctx, stop := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	for i := range 2 * len(nodes) {
		reading.Go(func() { f.read(ctx, t, i%len(nodes)) })
	}
	defer reading.Wait()
	defer stop()
	for i := range int64(flips) {
		file := []string{"open.rules", "closed.rules"}[i%2]
		f.releases.Store(2*i + 1)
		deployFiles(t, dir, store, true, "Release ", file)
		f.releases.Store(2*i + 2)
		for node, n := range nodes {
			want := map[bool]string{true: "current", false: codes.PermissionDenied.String()}[i%2 == 0]
			for transport, open := range harness.TransportsOf(harness.AttackedDatabase) {
				got := decided(open(t, n.Host(), ""))
				for strings.Contains(got, codes.Unavailable.String()) { // which clients repeat
					got = decided(open(t, n.Host(), ""))
				}
				if got != want {
					t.Errorf("after release %d a listener over %s at node %d is %s, want %s", i, transport, node, got, want)
				}
			}
		}
	}
	t.Logf("%d reads between releases", f.compared.Load())
}

// decided adds a target to a stream and returns "current" once it is, or the reason of its removal or of the stream's
// end.
func decided(end harness.ListenEnd) string {
	addDocumentOf(end, harness.AttackedDatabase, "flip/x")
	for {
		m, ended := end.Receive()
		switch c := m.GetTargetChange(); {
		case ended != nil:
			return ended.String()
		case c.GetTargetChangeType() == pb.TargetChange_REMOVE:
			return codes.Code(c.GetCause().GetCode()).String()
		case c.GetTargetChangeType() == pb.TargetChange_CURRENT:
			return "current"
		}
	}
}

// flipping are readers of nodes whose rules change.
type flipping struct {
	nodes []*servingNode
	// releases is 2n after n releases, and 2n+1 during the next one. compared is the number of reads that were compared.
	releases, compared atomic.Int64
}

// read reads an absent document at a node until ctx is done.
func (f *flipping) read(ctx context.Context, t *testing.T, node int) {
	url := f.nodes[node].URL + "/v1/" + harness.AttackedDatabase + "/documents/flip/x"
	for ctx.Err() == nil {
		before := f.releases.Load()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			if ctx.Err() == nil {
				t.Errorf("a read at node %d: %v", node, err)
			}
			return
		}
		_ = res.Body.Close()
		if before%2 == 1 || before == 0 || f.releases.Load() != before || res.StatusCode == http.StatusServiceUnavailable {
			continue
		}
		f.compared.Add(1)
		want := http.StatusNotFound // the release permits it
		if before%4 == 0 {
			want = http.StatusForbidden
		}
		if res.StatusCode != want {
			t.Errorf("a read at node %d after %d releases: %s, want %d", node, before/2, res.Status, want)
		}
	}
}

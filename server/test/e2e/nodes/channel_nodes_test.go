package nodes

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// measuredNodes starts three nodes with metrics, of which the first leads and the others serve reads.
func measuredNodes(t *testing.T, store string) (nodes []measured, addresses []string) {
	t.Helper()
	leader, follower, _ := twoMeasured(t, store, store)
	third := newMeasured(t, store)
	third.await("Follower: ")
	third.awaitLocal(t, harness.ClientAt(t, third.addr()))
	nodes = []measured{leader, follower, third}
	for i, n := range nodes {
		addresses = append(addresses, n.addr())
		if i > 0 {
			n.awaitSessions(t)
		}
	}
	return nodes, addresses
}

// awaitSessions waits until a follower begins sessions of WebChannel, which the other nodes can find.
func (m measured) awaitSessions(t *testing.T) {
	t.Helper()
	awaitSessions(t, harness.ChannelDatabase, m.addr())
	wait.Until(t, "the session lasts", func() bool { return m.channels(t) == 0 })
}

// awaitSessions waits until the follower at an address begins sessions of WebChannel for a database, and ends them.
func awaitSessions(t *testing.T, database, address string) {
	t.Helper()
	channel := fmt.Sprintf("http://%s/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1&database=%s", address, url.QueryEscape(database))
	wait.Until(t, "the follower begins no sessions", func() bool {
		_, text := harness.Plain(t, http.MethodPost, channel, "count=0")
		session := harness.SessionPattern.FindStringSubmatch(text)
		if session == nil {
			t.Fatalf("a handshake is answered %q", text)
		}
		harness.Plain(t, http.MethodPost, channel+"&TYPE=terminate&SID="+session[1], "")
		return strings.Contains(session[1], ".")
	})
}

// channels returns the number of Listen streams over WebChannel at a node.
func (m measured) channels(t *testing.T) float64 {
	t.Helper()
	return scrape(t, m.metrics).value(t, `clave_calls_open{method="Listen",transport="webchannel"}`)
}

// spread is a client that opens a connection for each request, the first to one address, and the further ones to the
// others in turns.
func spread(first string, others ...string) *http.Client {
	var dialed atomic.Int64
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		address := first
		if n := dialed.Add(1) - 1; n > 0 {
			address = others[n%int64(len(others))]
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}}
}

// addDocument adds a target of one document to a stream.
func addDocument(end harness.ListenEnd, path string) {
	addDocumentOf(end, harness.ChannelDatabase, path)
}

// addDocumentOf is addDocument for a database.
func addDocumentOf(end harness.ListenEnd, database, path string) {
	end.Send(&pb.ListenRequest{Database: database, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
		TargetId: 2, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{database + "/documents/" + path}}},
	}}})
}

// awaitNumber receives until a document has the value n of a field n. The values must not fall.
func awaitNumber(t *testing.T, end harness.ListenEnd, n int64) {
	t.Helper()
	for last := int64(-1); last < n; {
		m, failed := end.Receive()
		if failed != nil {
			t.Fatalf("the stream ended: %v", failed)
		}
		if doc := m.GetDocumentChange().GetDocument(); doc != nil {
			now := doc.GetFields()["n"].GetIntegerValue()
			if now < last {
				t.Fatalf("the listener receives %d after %d", now, last)
			}
			last = now
		}
	}
}

// set sets the field n of a document at a node. It is repeated while no node leads.
func set(t *testing.T, n *node, path string, value int64) {
	t.Helper()
	ctx := t.Context()
	for {
		code, text := n.request(t, http.MethodPatch, documents+"/"+path, fmt.Sprintf(`{"fields":{"n":{"integerValue":"%d"}}}`, value))
		if code == http.StatusOK {
			return
		}
		if code != http.StatusServiceUnavailable {
			t.Fatalf("write of %s: %d %s", path, code, text)
		}
		if err := clock.Sleep(ctx, clock.System(), 50*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChannelsAtFollowers listens over WebChannel at nodes that do not lead.
func TestChannelsAtFollowers(t *testing.T) {
	pg := pgtest.New(t)
	t.Run("each node serves the sessions that begin there", func(t *testing.T) { testChannelOwners(t, pg.Database()) })
	t.Run("sessions have slots among the streams", func(t *testing.T) { testSessionsOfFollowersHaveSlots(t, pg.Database()) })
	t.Run("sessions continue across leaders", func(t *testing.T) { testChannelsContinueAcrossLeaders(t, pg.Database()) })
	t.Run("sessions of a killed node are unknown", func(t *testing.T) { testLostOwner(t, pg.Database(), syscall.SIGKILL) })
	t.Run("sessions of a stopped node are unknown", func(t *testing.T) { testLostOwner(t, pg.Database(), syscall.SIGSTOP) })
}

// testChannelOwners begins a session at each node. All other requests arrive at any node.
func testChannelOwners(t *testing.T, store string) {
	nodes, addresses := measuredNodes(t, store)
	set(t, nodes[0].node, "any/one", 0)
	var ends []harness.ListenEnd
	for _, n := range nodes {
		for _, poll := range []bool{false, true} {
			before := n.channels(t)
			end := harness.WebChannel(spread(n.addr(), addresses...), "Listen", poll)(t, n.addr(), "Bearer owner")
			addDocument(end, "any/one")
			awaitNumber(t, end, 0)
			if now := n.channels(t); now != before+1 {
				t.Errorf("the node at which a session began has %v streams after %v, want one more", now, before)
			}
			ends = append(ends, end)
		}
	}
	for i := int64(1); i <= 10; i++ {
		set(t, nodes[i%3].node, "any/one", i)
		for _, end := range ends {
			awaitNumber(t, end, i)
		}
	}
	// A request to an unknown owner, and one that claims to be forwarded, get the response for an unknown session.
	for _, sid := range []string{"AAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA", "."} {
		for _, n := range nodes {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s/google.firestore.v1.Firestore/Listen/channel?VER=8&SID=%s&RID=rpc&AID=0&TYPE=xmlhttp", n.addr(), sid), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Clave-Owner", "1")
			if res, text := harness.Do(t, http.DefaultClient, r); res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "Unknown SID") {
				t.Errorf("a request of the session %s: %d %s, want 400 Unknown SID", sid, res.StatusCode, text)
			}
		}
	}
}

// testChannelsContinueAcrossLeaders kills the leader. Sessions at the other follower continue, and those of the
// follower that leads now end.
func testChannelsContinueAcrossLeaders(t *testing.T, store string) {
	nodes, addresses := measuredNodes(t, store)
	set(t, nodes[0].node, "any/one", 0)
	var ends []harness.ListenEnd
	for _, n := range nodes[1:] {
		end := harness.WebChannel(spread(n.addr(), addresses[1:]...), "Listen", true)(t, n.addr(), "Bearer owner")
		addDocument(end, "any/one")
		awaitNumber(t, end, 0)
		ends = append(ends, end)
	}
	nodes[0].kill(t)
	set(t, nodes[2].node, "any/one", 1)
	leads := 0
	if _, text := nodes[2].request(t, http.MethodGet, "/__/health", ""); text == "ok leader\n" {
		leads = 1
	}
	awaitNumber(t, ends[1-leads], 1)
	for {
		if _, failed := ends[leads].Receive(); failed != nil {
			break
		}
	}
	end := harness.WebChannel(spread(addresses[2], addresses[1:]...), "Listen", true)(t, addresses[2], "Bearer owner")
	addDocument(end, "any/one")
	awaitNumber(t, end, 1)
}

// testLostOwner ends or stops the node of a session by a signal, while a request of the session at another node is
// forwarded to it. Requests at the other nodes get the response for an unknown session.
func testLostOwner(t *testing.T, store string, lose syscall.Signal) {
	nodes, addresses := measuredNodes(t, store)
	set(t, nodes[0].node, "any/one", 0)
	end := harness.WebChannel(spread(addresses[1], addresses[2]), "Listen", true)(t, addresses[1], "Bearer owner")
	addDocument(end, "any/one")
	awaitNumber(t, end, 0)
	if err := nodes[1].cmd.Process.Signal(lose); err != nil {
		t.Fatal(err)
	}
	began := clock.System().Now()
	address := end.(*harness.ChannelEnd).URL + "&RID=rpc&AID=0&TYPE=xmlhttp&CI=1"
	for _, at := range []int{0, 2} {
		res, text := harness.Read(t, http.DefaultClient, strings.Replace(address, addresses[1], addresses[at], 1))
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "Unknown SID") {
			t.Errorf("a request at node %d of a session of a lost node: %d %s, want 400 Unknown SID", at, res.StatusCode, text)
		}
	}
	for {
		if _, failed := end.Receive(); failed != nil {
			break
		}
	}
	t.Logf("the session ended after %v", clock.System().Now().Sub(began))
}

// testSessionsOfFollowersHaveSlots begins more sessions at a follower with little memory than it has slots for streams.
func testSessionsOfFollowersHaveSlots(t *testing.T, store string) {
	leader := newMeasured(t, store)
	leader.await("Clave ready")
	leader.wantPut(t, "one")
	port := harness.FreePorts(t, 1)[0]
	follower := measured{newNode(t, store, "", "--metrics", fmt.Sprintf("127.0.0.1:%d", port), "--memory-limit", "96MiB"), port}
	follower.await("Follower: ")
	follower.awaitLocal(t, harness.ClientAt(t, follower.addr()))
	follower.awaitSessions(t)
	channel := fmt.Sprintf("http://%s/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1&database=%s", follower.addr(), url.QueryEscape(harness.ChannelDatabase))
	const slots = (96 << 20) / (256 << 10)
	for i := range slots + 1 {
		code, text := harness.Plain(t, http.MethodPost, channel, "count=0")
		if want := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}[i < slots]; code != want {
			t.Fatalf("the session number %d: %d %s, want %d", i+1, code, text, want)
		}
	}
}

// TestBrowsersContinueAcrossNodes listens at a follower by the web SDK, with each further request at the next node,
// while the leader or the follower is killed, or the leader is stopped (web/nodes.mjs).
func TestBrowsersContinueAcrossNodes(t *testing.T) {
	harness.Browser(t)
	pg := pgtest.New(t)
	for _, ends := range []struct{ node, signal string }{{"leader", "SIGKILL"}, {"follower", "SIGKILL"}, {"leader", "SIGTERM"}} {
		for _, poll := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s of the %s, long polling %t", ends.signal, ends.node, poll), func(t *testing.T) {
				nodes, _ := measuredNodes(t, pg.Database())
				victim := nodes[0]
				if ends.node == "follower" {
					victim = nodes[1]
				}
				ports := fmt.Sprintf("[%d,%d,%d]", nodes[1].port, nodes[2].port, nodes[0].port)
				harness.InBrowser(t, "nodes.mjs", ports, strconv.Itoa(victim.cmd.Process.Pid), ends.signal, harness.Project, strconv.FormatBool(poll))
			})
		}
	}
}

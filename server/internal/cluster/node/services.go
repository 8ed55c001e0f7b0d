package node

import (
	"context"
	"fmt"
	"net/http"

	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/nodeservice"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/cluster/releases"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/missingindex"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/release"
)

// OfferIndexes registers the service by which other nodes request read indexes from this leader.
func (n *Node) OfferIndexes(store *postgres.Store, e *engine.Engine, rulesets *authz.Rulesets) error {
	leases := store.Leases()
	issuer, err := readindex.NewIssuer(readindex.IssuerOptions{Log: store, Stack: e, Rules: rulesets.Digest, Leases: leases})
	if err != nil {
		return err
	}
	n.leases, n.endTransactions = leases, e.EndTransactions
	rulesets.Within(func(replace func()) { // rules that are not in the log
		change := leases.Change()
		defer change.End()
		change.Wait()
		replace()
	})
	n.Services[forward.IndexService] = forward.AnswerIndex(issuer.Issue)
	return nil
}

// OfferMissing registers the service by which other nodes report the indexes that queries lacked.
func (n *Node) OfferMissing(e *engine.Engine) {
	n.Services[missingindex.ServiceName] = missingindex.Handler(e, n.o.Log)
}

// Leader returns the leader, and a channel that is closed when it changes.
func (n *Node) Leader() (forward.Leader, <-chan struct{}) { return leaderservice.Of(n.Members)() }

// OfferReleases registers the service that releases files.
func (n *Node) OfferReleases(r *releases.Service) {
	n.Releases.Store(r)
	n.Services[releases.ServiceName] = r.Handler()
}

// ReleaseOwn releases this node's files of databases.
func (n *Node) ReleaseOwn(ctx context.Context, databases []release.Paths) {
	s := &releases.Sender{Leader: n.Leader, Client: n.Forwarder.Client(), Here: n.Releases.Load}
	s.SendOwn(ctx, n.o.Name, n.o.Project, databases, n.o.Log)
}

// Others returns the other nodes that reported to PostgreSQL in the last minute.
func (n *Node) Others(ctx context.Context, store *postgres.Store) ([]nodeservice.Node, error) {
	st, err := store.Standing(ctx)
	if err != nil {
		return nil, err
	}
	var out []nodeservice.Node
	for _, one := range st.Nodes {
		if one.Name != n.o.Name {
			out = append(out, nodeservice.Node{Name: one.Name, Inner: one.Inner})
		}
	}
	return out, nil
}

// OnlyAtLeader returns a handler for a part that runs at the leader only. It responds with the leader's address.
func (n *Node) OnlyAtLeader(what string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text := what + " runs at the node that leads. No node leads at the moment."
		if leader, _ := n.Members.Leader(); leader.Node != "" && leader.Node != n.o.Name {
			text = fmt.Sprintf("%s runs at the node that leads: %s (clients reach it at %s). This is %s, which follows.", what, leader.Node, leader.Address, n.o.Name)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Retry-After", "1")
		http.Error(w, text, http.StatusServiceUnavailable)
	})
}

package app

import (
	"context"
	"strings"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/forward"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/model/resource"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/readlease"
)

// indexes is the service of a leader by which other nodes request read indexes and leases.
type indexes struct {
	store    *postgres.Store
	engine   *engine.Engine
	rulesets *authz.Rulesets
	leases   *readlease.Grants
}

// offerIndexes registers the service by which other nodes request read indexes from this leader.
func (a *App) offerIndexes(s *state, rulesets *authz.Rulesets) {
	store, shared := s.store.(*postgres.Store)
	if !shared {
		return
	}
	i := &indexes{store: store, engine: s.engine, rulesets: rulesets, leases: store.Leases()}
	a.nodes.leases, a.nodes.endTransactions = i.leases, s.engine.EndTransactions
	rulesets.Within(func(replace func()) { // rules that are not in the log
		change := i.leases.Change()
		defer change.End()
		change.Wait()
		replace()
	})
	a.nodes.services[forward.IndexService] = forward.AnswerIndex(i.answer)
}

// answer responds to a request.
func (i *indexes) answer(ctx context.Context, r forward.IndexRequest) (index forward.Index, err error) {
	if r.Holder != nil {
		i.leases.Arrived(r.Holder)
	}
	if r.Wait {
		i.await(ctx, r)
	}
	mark := i.leases.Mark()
	// The versions come first: all commits up to them are in the log then, up to the row that is read after them. This
	// node makes the log up to that row visible before another node does.
	index.Versions = make(map[string]clock.Version, len(r.Databases))
	for _, name := range r.Databases {
		project, id, _ := strings.Cut(name, "/")
		if v := i.engine.Latest(resource.Database{Project: project, ID: id}); v > 0 {
			index.Versions[name] = v
		}
	}
	index.Rules = i.rulesets.Digest()
	index.Seq, _ = i.store.Progress()
	recalled, err := i.visible(ctx, r)
	switch {
	case err != nil:
		return index, err
	case recalled:
		return forward.Index{Seq: r.After, Rules: index.Rules}, i.store.Held()
	case r.Lease && r.Holder != nil && index.Seq == r.After:
		index.Lease = i.leases.Grant(r.Holder, mark, r.Received)
	}
	return index, i.store.Held() // last, so that everything before was read while this node led
}

// visible waits until this node's readers see all of the log. If the node that makes a request has a lease that is
// recalled, visible returns true at once, because this node's readers see no later row before the response.
func (i *indexes) visible(ctx context.Context, r forward.IndexRequest) (recalled bool, err error) {
	written := i.engine.Visible()
	for {
		var turned <-chan struct{}
		if r.Holder != nil {
			if recalled, turned = i.leases.Recalled(r.Holder); recalled {
				return true, nil
			}
		}
		if written == nil {
			return false, nil
		}
		select {
		case <-written:
			written = nil
		case <-turned:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// await waits for a short time until the store has another last row of the log than a request names, or until the lease
// of the node that makes the request is due.
func (i *indexes) await(ctx context.Context, r forward.IndexRequest) {
	late, stop := clock.System().After(indexWait)
	defer stop()
	for over := false; !over; {
		seq, changed := i.store.Progress()
		if seq != r.After { // also if PostgreSQL was reset to an earlier state
			return
		}
		due, after, turned := false, indexWait, (<-chan struct{})(nil)
		if r.Holder != nil {
			due, after, turned = i.leases.Due(r.Holder, r.Lease)
		}
		if due {
			return
		}
		look, stopLook := clock.System().After(after)
		select {
		case <-changed:
		case <-turned:
		case <-look:
		case <-late:
			over = true
		case <-ctx.Done():
			over = true
		}
		stopLook()
	}
}

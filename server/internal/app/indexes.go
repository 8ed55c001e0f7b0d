package app

import (
	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/database/authz"
	"clave/server/internal/store/postgres"
)

// offerIndexes registers the service by which other nodes request read indexes from this leader.
func (a *App) offerIndexes(s *state, rulesets *authz.Rulesets) error {
	store, shared := s.store.(*postgres.Store)
	if !shared {
		return nil
	}
	leases := store.Leases()
	issuer, err := readindex.NewIssuer(readindex.IssuerOptions{Log: store, Stack: s.Engine, Rules: rulesets.Digest, Leases: leases})
	if err != nil {
		return err
	}
	a.nodes.leases, a.nodes.endTransactions = leases, s.Engine.EndTransactions
	rulesets.Within(func(replace func()) { // rules that are not in the log
		change := leases.Change()
		defer change.End()
		change.Wait()
		replace()
	})
	a.nodes.services[forward.IndexService] = forward.AnswerIndex(issuer.Issue)
	return nil
}

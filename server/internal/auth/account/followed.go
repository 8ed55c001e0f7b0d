package account

import (
	"slices"
	"strings"

	"clave/server/internal/store"
)

// Followed reports a Revocation for each account that another node's operations have changed, and for each scope of
// which they have changed other data. The operations have been applied to the store; whether they have ended sessions
// is not known. A changed item of the given kinds counts as a change of the tenant with its id or, in the scope that
// belongs to no project, of the account with its id.
func (s *Store) Followed(ops []store.Op, kinds ...string) {
	for _, op := range ops {
		rest, ok := strings.CutPrefix(string(op.Key), "account/")
		if !ok {
			continue
		}
		project, rest, _ := strings.Cut(rest, "\x00")
		tenant, rest, _ := strings.Cut(rest, "\x00")
		scope := Scope{project, tenant}
		kind, id, _ := strings.Cut(rest, "\x00")
		switch item := strings.TrimPrefix(kind, "x"); {
		case op.Kind == store.DeleteRange:
			s.Revoked(Revocation{Scope: scope})
		case kind == "u":
			s.Revoked(Revocation{Scope: scope, UID: id})
		case item != kind && slices.Contains(kinds, item) && project == "":
			s.Revoked(Revocation{Scope: scope, UID: id})
		case item != kind && slices.Contains(kinds, item):
			s.Revoked(Revocation{Scope: Scope{Project: project, Tenant: id}})
		}
	}
}

package api

import (
	"context"
	"slices"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// BatchGetDocuments sends documents, each once, in the order of their names. If it begins a transaction, it sends the
// transaction's id in a separate response before them.
func (s *Server) BatchGetDocuments(ctx context.Context, c token.Caller, db resource.Database, r request.Get, send func(*wire.Found) error) error {
	slices.SortFunc(r.Names, resource.CompareDocuments)
	names := slices.Compact(r.Names)
	var readTime clock.Version
	open := func(snapshot authz.Snapshot) error {
		readTime = snapshot.Version
		if len(snapshot.Transaction) == 0 {
			return nil
		}
		return send(&wire.Found{Transaction: snapshot.Transaction})
	}
	return s.o.Authorizer.Get(ctx, c, db, names, r.At, open, func(name resource.Document, d *document.Document) error {
		if d == nil {
			return send(&wire.Found{Missing: name.String(), ReadTime: readTime})
		}
		return send(&wire.Found{Document: r.Mask.Apply(d), ReadTime: readTime})
	})
}

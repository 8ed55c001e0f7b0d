package api

import (
	"context"
	"slices"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// BatchGetDocuments sends documents, each once, in the order of their names. If it begins a transaction, it sends the
// transaction's id in a separate response before them.
func (s *Server) BatchGetDocuments(ctx context.Context, c token.Caller, r *pb.BatchGetDocumentsRequest,
	send func(*wire.Found) error,
) error {
	db, err := parseDatabase(r.GetDatabase())
	if err != nil {
		return err
	}
	names := make([]resource.Document, len(r.GetDocuments()))
	for i, name := range r.GetDocuments() {
		if names[i], err = wire.ParseDocumentName(db, name); err != nil {
			return err
		}
	}
	slices.SortFunc(names, resource.CompareDocuments)
	names = slices.Compact(names)
	at, err := parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction())
	if err != nil {
		return err
	}
	mask, masked, err := wire.ParseAnswerMask(r.GetMask())
	if err != nil {
		return err
	}
	var readTime clock.Version
	open := func(snapshot authz.Snapshot) error {
		readTime = snapshot.Version
		if len(snapshot.Transaction) == 0 {
			return nil
		}
		return send(&wire.Found{Transaction: snapshot.Transaction})
	}
	return s.o.Authorizer.Get(ctx, c, db, names, at, open, func(name resource.Document, d *document.Document) error {
		if d == nil {
			return send(&wire.Found{Missing: name.String(), ReadTime: readTime})
		}
		return send(&wire.Found{Document: wire.Mask(d, mask, masked), ReadTime: readTime})
	})
}

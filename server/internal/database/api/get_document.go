package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// GetDocument returns one document.
func (s *Server) GetDocument(ctx context.Context, c token.Caller, r *pb.GetDocumentRequest) (*wire.Document, error) {
	name, err := resource.ParseDocument(r.GetName())
	if err != nil {
		return nil, err
	}
	at, err := parseAt(r.GetTransaction(), r.GetReadTime(), nil)
	if err != nil {
		return nil, err
	}
	mask, masked, err := wire.ParseAnswerMask(r.GetMask())
	if err != nil {
		return nil, err
	}
	var found *wire.Document
	err = s.o.Authorizer.Get(ctx, c, name.DB, []resource.Document{name}, at, ignoreSnapshot, func(_ resource.Document, d *document.Document) error {
		if d == nil {
			return fault.E(fault.NotFound, "Document \"%s\" not found.", name)
		}
		found = (*wire.Document)(wire.Mask(d, mask, masked))
		return nil
	})
	return found, err
}

package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// UpdateDocument creates or changes a document.
func (s *Server) UpdateDocument(ctx context.Context, c token.Caller, r *pb.UpdateDocumentRequest) (*wire.Document, error) {
	name, err := resource.ParseDocument(r.GetDocument().GetName())
	if err != nil {
		return nil, err
	}
	w := &pb.Write{
		Operation:       &pb.Write_Update{Update: r.GetDocument()},
		UpdateMask:      r.GetUpdateMask(),
		CurrentDocument: r.GetCurrentDocument(),
	}
	return s.writeOne(ctx, c, name.DB, w, r.GetMask())
}

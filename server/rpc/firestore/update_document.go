package firestore

import (
	"context"

	"clave/server/resource"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
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

package firestore

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"clave/server/document"
	"clave/server/operation"
	"clave/server/resource"
	"clave/server/token"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// DeleteDocument removes a document.
func (s *Server) DeleteDocument(ctx context.Context, c token.Caller, r *pb.DeleteDocumentRequest) (*emptypb.Empty, error) {
	name, err := resource.ParseDocument(r.GetName())
	if err != nil {
		return nil, err
	}
	precondition, err := wire.ParsePrecondition(r.GetCurrentDocument())
	if err != nil {
		return nil, err
	}
	w := document.Write{Op: document.Delete, Name: name, Precondition: precondition}
	if _, err := s.o.Guard.Commit(ctx, c, name.DB, operation.Commit{Writes: []document.Write{w}}); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

package api

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
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
	if _, err := s.o.Authorizer.Commit(ctx, c, name.DB, request.Commit{Writes: []document.Write{w}}); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

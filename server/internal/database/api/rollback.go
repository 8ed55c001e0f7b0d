package api

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"clave/server/internal/auth/token"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Rollback ends a transaction without writes.
func (s *Server) Rollback(ctx context.Context, c token.Caller, r *pb.RollbackRequest) (*emptypb.Empty, error) {
	db, err := parseDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	if err := s.o.Authorizer.Rollback(ctx, c, db, r.GetTransaction()); err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

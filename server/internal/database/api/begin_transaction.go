package api

import (
	"context"

	"clave/server/internal/auth/token"
	pb "clave/server/internal/model/wire/firestorepb"
)

// BeginTransaction begins a transaction.
func (s *Server) BeginTransaction(ctx context.Context, c token.Caller, r *pb.BeginTransactionRequest) (*pb.BeginTransactionResponse, error) {
	db, err := parseDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	o, err := parseTransactionOptions(r.GetOptions())
	if err != nil {
		return nil, err
	}
	id, err := s.o.Authorizer.Begin(ctx, c, db, o)
	if err != nil {
		return nil, err
	}
	return &pb.BeginTransactionResponse{Transaction: id}, nil
}

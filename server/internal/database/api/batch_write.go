package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// BatchWrite applies writes of different documents independently.
func (s *Server) BatchWrite(ctx context.Context, c token.Caller, r *pb.BatchWriteRequest) (*pb.BatchWriteResponse, error) {
	db, writes, err := parseWrites(r)
	if err != nil {
		return nil, err
	}
	if err := eachOnce(writes); err != nil {
		return nil, err
	}
	out := &pb.BatchWriteResponse{}
	if len(writes) == 0 {
		return out, nil
	}
	statuses, err := s.o.Authorizer.BatchWrite(ctx, c, db, writes)
	if err != nil {
		return nil, err
	}
	for _, status := range statuses {
		out.WriteResults = append(out.WriteResults, wire.FormatResult(status.Result))
		out.Status = append(out.Status, wire.StatusProto(status.Err))
	}
	return out, nil
}

// eachOnce refuses two writes of one document.
func eachOnce(writes []document.Write) error {
	seen := make(map[string]bool, len(writes))
	for _, w := range writes {
		if seen[w.Name.Path] {
			return fault.E(fault.InvalidArgument, "the same document cannot be written more than once in a single request")
		}
		seen[w.Name.Path] = true
	}
	return nil
}

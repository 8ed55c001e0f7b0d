package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	pb "clave/server/internal/model/wire/firestorepb"
)

// ExecutePipeline returns Unimplemented: pipelines are not supported.
func (s *Server) ExecutePipeline(context.Context, token.Caller, *pb.ExecutePipelineRequest, func(*pb.ExecutePipelineResponse) error) error {
	return fault.E(fault.Unimplemented, "Method google.firestore.v1.Firestore/ExecutePipeline is unimplemented")
}

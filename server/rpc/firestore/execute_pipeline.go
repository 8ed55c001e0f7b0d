package firestore

import (
	"context"

	"clave/server/fault"
	"clave/server/token"
	pb "clave/server/wire/firestorepb"
)

// ExecutePipeline returns Unimplemented: pipelines are not supported.
func (s *Server) ExecutePipeline(context.Context, token.Caller, *pb.ExecutePipelineRequest, func(*pb.ExecutePipelineResponse) error) error {
	return fault.E(fault.Unimplemented, "Method google.firestore.v1.Firestore/ExecutePipeline is unimplemented")
}

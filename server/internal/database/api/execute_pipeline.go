package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
)

// ExecutePipeline returns Unimplemented: pipelines are not supported.
func (s *Server) ExecutePipeline(context.Context, token.Caller, resource.Database, request.Pipeline, func(*wire.PipelineResult) error) error {
	return fault.E(fault.Unimplemented, "Method google.firestore.v1.Firestore/ExecutePipeline is unimplemented")
}

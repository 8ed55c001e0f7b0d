package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/randid"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
)

// CreateDocument creates a document. The server chooses the id if the request has none.
func (s *Server) CreateDocument(ctx context.Context, c token.Caller, db resource.Database, r request.Create) (*wire.Document, error) {
	id := r.ID
	if id == "" {
		id = randid.New(autoIDLength)
	}
	exists := false
	w := document.Write{
		Name: r.Collection.Doc(id), Fields: r.Fields, Layout: r.Layout, Precondition: document.Precondition{Exists: &exists},
	}
	if _, err := resource.ParseDocument(w.Name.String()); err != nil {
		return nil, err
	}
	if err := document.Validate(w); err != nil {
		return nil, err
	}
	return s.writeOne(ctx, c, db, w, r.Mask)
}

// autoIDLength is the length of ids that the server chooses, the same as in client libraries.
const autoIDLength = 20

// writeOne applies one write and returns the resulting document, which the write itself describes: these calls have no
// transforms.
func (s *Server) writeOne(ctx context.Context, c token.Caller, db resource.Database, w document.Write, mask query.Mask) (*wire.Document, error) {
	result, err := s.o.Authorizer.Commit(ctx, c, db, request.Commit{Writes: []document.Write{w}})
	if err != nil {
		return nil, err
	}
	d, err := s.after(ctx, db, w, result.Version)
	if err != nil {
		return nil, err
	}
	return (*wire.Document)(mask.Apply(d)), nil
}

// after returns the document as a commit left it.
func (s *Server) after(ctx context.Context, db resource.Database, w document.Write, version clock.Version) (*document.Document, error) {
	left, err := s.o.Authorizer.ReadWritten(ctx, db, w.Name, version)
	if err == nil && left == nil {
		left = &document.Document{Name: w.Name, Fields: value.Map{}, CreateTime: version, UpdateTime: version}
	}
	return left, err
}

package api

import (
	"context"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// CreateDocument creates a document. The server chooses the id if the request has none.
func (s *Server) CreateDocument(ctx context.Context, c token.Caller, r *pb.CreateDocumentRequest) (*wire.Document, error) {
	db, parent, err := resource.ParseParent(r.GetParent())
	if err != nil {
		return nil, err
	}
	if r.GetDocument().GetName() != "" {
		return nil, fault.E(fault.InvalidArgument, "document.name must not be set")
	}
	if err := resource.CheckCollectionID(r.GetCollectionId()); err != nil {
		return nil, err
	}
	id := r.GetDocumentId()
	if id == "" {
		id = randid.New(autoIDLength)
	} else if err := resource.CheckDocumentID(id); err != nil {
		return nil, err
	}
	name := resource.Collection{DB: db, Parent: parent, ID: r.GetCollectionId()}.Doc(id)
	missing := false
	w := &pb.Write{
		Operation:       &pb.Write_Update{Update: wire.Named(r.GetDocument(), name)},
		CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: missing}},
	}
	return s.writeOne(ctx, c, db, w, r.GetMask())
}

// autoIDLength is the length of ids that the server chooses, the same as in client libraries.
const autoIDLength = 20

// writeOne applies one write and returns the resulting document, which the write itself describes: these calls have no
// transforms.
func (s *Server) writeOne(ctx context.Context, c token.Caller, db resource.Database, w *pb.Write, answer *pb.DocumentMask) (*wire.Document, error) {
	mask, masked, err := wire.ParseAnswerMask(answer)
	if err != nil {
		return nil, err
	}
	write, err := wire.ParseWrite(db, w)
	if err != nil {
		return nil, err
	}
	result, err := s.o.Authorizer.Commit(ctx, c, db, request.Commit{Writes: []document.Write{write}})
	if err != nil {
		return nil, err
	}
	d, err := s.after(ctx, db, write, result.Version)
	if err != nil {
		return nil, err
	}
	return (*wire.Document)(wire.Mask(d, mask, masked)), nil
}

// after returns the document as a commit left it.
func (s *Server) after(ctx context.Context, db resource.Database, w document.Write, version clock.Version) (*document.Document, error) {
	left, err := s.o.Authorizer.ReadWritten(ctx, db, w.Name, version)
	if err == nil && left == nil {
		left = &document.Document{Name: w.Name, Fields: value.Map{}, CreateTime: version, UpdateTime: version}
	}
	return left, err
}

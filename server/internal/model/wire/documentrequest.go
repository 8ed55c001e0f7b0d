package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// sentFields are the fields of a document in a request: parsed from a body of JSON, or as a message.
type sentFields struct {
	parsed value.Map // nil if they are in the message
	layout value.Layout
	order  orders
}

// parse returns the fields.
func (f *sentFields) parse(d *pb.Document) (value.Map, value.Layout, error) {
	if f.parsed != nil {
		return f.parsed, f.layout, nil
	}
	return parseDocumentFields(d, f.order)
}

// decode parses the wire form of a request, whose document is the field with a number.
func (f *sentFields) decode(b []byte, m proto.Message, number protowire.Number, d func() *pb.Document) error {
	if err := refuseDeep((proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, m)); err != nil {
		return err
	}
	eachPart(b, number, func(part []byte) { f.order.document(part, d()) })
	return nil
}

// decodeJSON parses a body of JSON, which is a document, into the document of a request, or to fields if it has no name
// or that does not count.
func (f *sentFields) decodeJSON(body string, d *pb.Document, mayName bool) (err error) {
	s, w := newJSONScanner(body), document.Write{}
	if named := s.document(&w); (mayName || !named) && s.whole() {
		f.parsed, f.layout = w.Fields, w.Layout
		return nil
	}
	f.order, err = parseOrdered(body, d)
	return err
}

// CreateRequest is a request of CreateDocument.
type CreateRequest struct {
	message pb.CreateDocumentRequest
	fields  sentFields
}

// Message returns an empty message of the request's type.
func (r *CreateRequest) Message() proto.Message { return &pb.CreateDocumentRequest{} }

// Resource returns the name of the parent.
func (r *CreateRequest) Resource() string { return r.message.GetParent() }

// Decode parses the wire form into the empty request. Its errors are those of Unmarshal.
func (r *CreateRequest) Decode(b []byte) error {
	return r.fields.decode(b, &r.message, pb.FieldCreateDocumentRequestDocument, r.message.GetDocument)
}

// DecodeJSON parses a body, which is the document, the parameters and what the path names into the empty request. Its
// errors are those of ParseJSON and SetParam.
func (r *CreateRequest) DecodeJSON(body string, params map[string][]string, parent, collection string) error {
	r.message.Document = &pb.Document{}
	if err := r.fields.decodeJSON(body, r.message.Document, false); err != nil {
		return err
	}
	if err := SetParams(&r.message, params); err != nil {
		return err
	}
	r.message.Parent, r.message.CollectionId = parent, collection
	return nil
}

// Parse parses the request.
func (r *CreateRequest) Parse() (db resource.Database, out request.Create, err error) {
	m := &r.message
	db, parent, err := resource.ParseParent(m.GetParent())
	if err != nil {
		return db, out, err
	}
	if m.GetDocument().GetName() != "" {
		return db, out, fault.E(fault.InvalidArgument, "document.name must not be set")
	}
	if err := resource.CheckCollectionID(m.GetCollectionId()); err != nil {
		return db, out, err
	}
	out.Collection = resource.Collection{DB: db, Parent: parent, ID: m.GetCollectionId()}
	if out.ID = m.GetDocumentId(); out.ID != "" {
		if err := resource.CheckDocumentID(out.ID); err != nil {
			return db, out, err
		}
	}
	if out.Mask, err = ParseAnswerMask(m.GetMask()); err != nil {
		return db, out, err
	}
	out.Fields, out.Layout, err = r.fields.parse(m.GetDocument())
	return db, out, err
}

// UpdateRequest is a request of UpdateDocument.
type UpdateRequest struct {
	message pb.UpdateDocumentRequest
	fields  sentFields
}

// Message returns an empty message of the request's type.
func (r *UpdateRequest) Message() proto.Message { return &pb.UpdateDocumentRequest{} }

// Resource returns the name of the document.
func (r *UpdateRequest) Resource() string { return r.message.GetDocument().GetName() }

// Decode parses the wire form into the empty request. Its errors are those of Unmarshal.
func (r *UpdateRequest) Decode(b []byte) error {
	return r.fields.decode(b, &r.message, pb.FieldUpdateDocumentRequestDocument, r.message.GetDocument)
}

// DecodeJSON parses a body, which is the document, the parameters and the document's name in the path into the empty
// request. Its errors are those of ParseJSON and SetParam.
func (r *UpdateRequest) DecodeJSON(body string, params map[string][]string, name string) error {
	r.message.Document = &pb.Document{}
	if err := r.fields.decodeJSON(body, r.message.Document, true); err != nil {
		return err
	}
	if err := SetParams(&r.message, params); err != nil {
		return err
	}
	r.message.Document.Name = name
	return nil
}

// Parse parses the request.
func (r *UpdateRequest) Parse() (db resource.Database, out request.Update, err error) {
	name, err := resource.ParseDocument(r.message.GetDocument().GetName())
	if err != nil {
		return db, out, err
	}
	if out.Mask, err = ParseAnswerMask(r.message.GetMask()); err != nil {
		return db, out, err
	}
	w := document.Write{Name: name}
	if w.Fields, w.Layout, err = r.fields.parse(r.message.GetDocument()); err != nil {
		return db, out, err
	}
	if w.Precondition, err = ParsePrecondition(r.message.GetCurrentDocument()); err != nil {
		return db, out, err
	}
	if w.Mask, w.HasMask, err = parseUpdateMask(r.message.GetUpdateMask()); err != nil {
		return db, out, err
	}
	out.Write = w
	return name.DB, out, document.Validate(w)
}

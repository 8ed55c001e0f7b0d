package firestore

import (
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/document"
	"clave/server/live"
	"clave/server/wire"
	pb "clave/server/wire/firestorepb"
)

// Answer is one message of a Listen stream. A document that many clients receive is encoded once in each form that a
// transport needs; only the client-specific part is written for each client.
type Answer struct {
	// message is the message, without the shared document if there is one.
	message *pb.ListenResponse
	// shared is the document of a change, or nil.
	shared *sharedDocument
}

// sharedDocument is a document in the forms that transports have needed.
type sharedDocument struct {
	document *document.Document
	binary   func() ([]byte, error)
	json     func() ([]byte, error)
}

// share prepares a document to be encoded, when it is first needed.
func share(d *document.Document) *sharedDocument {
	return &sharedDocument{
		document: d,
		binary: sync.OnceValues(func() ([]byte, error) {
			// The buffer is allocated in full size: spare capacity from growing would be retained as long as the message.
			return wire.AppendDocument(make([]byte, 0, d.Size()+d.Size()/16+64), d)
		}),
		json: sync.OnceValues(func() ([]byte, error) { return wire.AppendDocumentJSON(nil, d) }),
	}
}

// sharedOf returns the shared forms of a document that many clients receive.
func sharedOf(d *live.Shown) *sharedDocument {
	shared, _ := d.Encoded(func(d *document.Document) any { return share(d) }).(*sharedDocument)
	return shared
}

// ChangesDocument reports whether the answer changes a document. A snapshot always follows such answers at once, and
// clients show nothing before it.
func (a *Answer) ChangesDocument() bool {
	switch a.message.GetResponseType().(type) {
	case *pb.ListenResponse_DocumentChange, *pb.ListenResponse_DocumentDelete, *pb.ListenResponse_DocumentRemove:
		return true
	}
	return false
}

// Message returns the answer as a message, which must not be changed.
func (a *Answer) Message() *pb.ListenResponse {
	change := a.message.GetDocumentChange()
	if a.shared == nil || change == nil {
		return a.message
	}
	return &pb.ListenResponse{ResponseType: &pb.ListenResponse_DocumentChange{DocumentChange: &pb.DocumentChange{
		Document: wire.FormatDocument(a.shared.document), TargetIds: change.GetTargetIds(), RemovedTargetIds: change.GetRemovedTargetIds(),
	}}}
}

// Binary returns the answer's wire form in two parts, the second of which other answers share and must not be changed.
func (a *Answer) Binary() (own, shared []byte, err error) {
	if a.shared == nil {
		own, err = proto.Marshal(a.message)
		return own, nil, err
	}
	if shared, err = a.shared.binary(); err != nil {
		return nil, nil, err
	}
	change := a.message.GetDocumentChange()
	ids := appendIDs(nil, pb.FieldDocumentChangeTargetIds, change.GetTargetIds())
	ids = appendIDs(ids, pb.FieldDocumentChangeRemovedTargetIds, change.GetRemovedTargetIds())
	size := len(ids) + protowire.SizeTag(pb.FieldDocumentChangeDocument) + protowire.SizeBytes(len(shared))
	own = make([]byte, 0, len(ids)+2*(1+protowire.SizeVarint(uint64(size))))
	own = protowire.AppendTag(own, pb.FieldListenResponseDocumentChange, protowire.BytesType)
	own = protowire.AppendVarint(own, uint64(size))
	own = append(own, ids...)
	own = protowire.AppendTag(own, pb.FieldDocumentChangeDocument, protowire.BytesType)
	return protowire.AppendVarint(own, uint64(len(shared))), shared, nil
}

// appendIDs appends a packed field of target ids, if there are any.
func appendIDs(b []byte, field protowire.Number, ids []int32) []byte {
	if len(ids) == 0 {
		return b
	}
	var packed []byte
	for _, id := range ids {
		packed = protowire.AppendVarint(packed, uint64(int64(id)))
	}
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), packed)
}

// AppendJSON appends the answer's JSON.
func (a *Answer) AppendJSON(b []byte) ([]byte, error) {
	if a.shared == nil {
		return wire.AppendJSON(b, a.message)
	}
	text, err := a.shared.json()
	if err != nil {
		return nil, err
	}
	change := a.message.GetDocumentChange()
	b = append(b, `{"documentChange":{"document":`...)
	b = append(b, text...)
	b = appendJSONIDs(b, `,"targetIds":[`, change.GetTargetIds())
	b = appendJSONIDs(b, `,"removedTargetIds":[`, change.GetRemovedTargetIds())
	return append(b, '}', '}'), nil
}

// appendJSONIDs appends a member of target ids, if there are any.
func appendJSONIDs(b []byte, member string, ids []int32) []byte {
	if len(ids) == 0 {
		return b
	}
	b = append(b, member...)
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

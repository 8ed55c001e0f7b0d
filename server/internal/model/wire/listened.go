package wire

import (
	"bytes"
	"strconv"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/target"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Listened is one message of a Listen stream. A document that many clients receive is encoded once in each form that a
// transport needs; only the client-specific part is written for each client.
type Listened struct {
	event *target.Event
	// shared is the document of a change, or nil.
	shared *sharedDocument
	// latest has the latest snapshot as JSON.
	latest *LatestSnapshot
}

// LatestSnapshot is the latest snapshot of the streams of a server as JSON, which they share. The zero value is ready.
type LatestSnapshot struct{ atomic.Pointer[snapshotJSON] }

// NewListened returns the message for an event, which must not be changed.
func NewListened(e *target.Event, latest *LatestSnapshot) *Listened {
	a := &Listened{event: e, latest: latest}
	if e.Kind == target.Changed {
		a.shared = sharedOf(e.Doc)
	}
	return a
}

// sharedDocument is a document in the forms that transports have needed.
type sharedDocument struct {
	document *document.Document
	binary   func() ([]byte, error)
	json     func() ([]byte, error)
	// array is the latest array of a change of the document.
	array atomic.Pointer[changeJSON]
}

// changeJSON is an array with a change of a document, which is the same for all clients that have the same id for the
// target.
type changeJSON struct {
	target int32
	leaves bool
	text   []byte
}

// snapshotJSON is an array with a snapshot, which is the same for all clients.
type snapshotJSON struct {
	version clock.Version
	token   string
	text    []byte
}

// share prepares a document to be encoded, when it is first needed.
func share(d *document.Document) *sharedDocument {
	return &sharedDocument{
		document: d,
		binary: sync.OnceValues(func() ([]byte, error) {
			// The buffer is allocated in full size: spare capacity from growing would be retained as long as the message.
			return AppendDocument(make([]byte, 0, d.Size()+d.Size()/16+64), d)
		}),
		json: sync.OnceValues(func() ([]byte, error) { return AppendDocumentJSON(nil, d) }),
	}
}

// sharedOf returns the shared forms of a document that many clients receive.
func sharedOf(d *target.Shown) *sharedDocument {
	shared, _ := d.Encoded(func(d *document.Document) any { return share(d) }).(*sharedDocument)
	return shared
}

// ChangesDocument reports whether the answer changes a document. A snapshot always follows such answers at once, and
// clients show nothing before it.
func (a *Listened) ChangesDocument() bool {
	switch a.event.Kind {
	case target.Changed, target.Deleted, target.Left:
		return true
	}
	return false
}

// Message returns the answer as a message.
func (a *Listened) Message() *pb.ListenResponse {
	m := formatEvent(a.event)
	if a.shared != nil {
		m.GetDocumentChange().Document = FormatDocument(a.shared.document)
	}
	return m
}

// Binary returns the answer's wire form in two parts, the second of which other answers share and must not be changed.
func (a *Listened) Binary() (own, shared []byte, err error) {
	if a.shared == nil {
		own, err = proto.Marshal(formatEvent(a.event))
		return own, nil, err
	}
	if shared, err = a.shared.binary(); err != nil {
		return nil, nil, err
	}
	field := pb.FieldDocumentChangeTargetIds
	if a.event.Leaves {
		field = pb.FieldDocumentChangeRemovedTargetIds
	}
	id := protowire.AppendVarint(nil, uint64(int64(a.event.Target)))
	ids := protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), id)
	size := len(ids) + protowire.SizeTag(pb.FieldDocumentChangeDocument) + protowire.SizeBytes(len(shared))
	own = make([]byte, 0, len(ids)+2*(1+protowire.SizeVarint(uint64(size))))
	own = protowire.AppendTag(own, pb.FieldListenResponseDocumentChange, protowire.BytesType)
	own = protowire.AppendVarint(own, uint64(size))
	own = append(own, ids...)
	own = protowire.AppendTag(own, pb.FieldDocumentChangeDocument, protowire.BytesType)
	return protowire.AppendVarint(own, uint64(len(shared))), shared, nil
}

// JSONArray returns the JSON of an array whose only element is the answer. Other answers share it, and it must not be
// changed.
func (a *Listened) JSONArray() ([]byte, error) {
	switch {
	case a.shared != nil:
		return a.shared.change(a.event.Target, a.event.Leaves)
	case a.event.Kind == target.Snapshot:
		return a.snapshot()
	default:
		return a.encode()
	}
}

// encode returns the array of an answer without a shared document.
func (a *Listened) encode() ([]byte, error) {
	const usual = 256
	text, err := AppendJSON(append(make([]byte, 0, usual), '['), formatEvent(a.event))
	if err != nil {
		return nil, err
	}
	return bytes.Clone(append(text, ']')), nil // The session keeps the array until its client has it.
}

// snapshot returns the array of a snapshot.
func (a *Listened) snapshot() ([]byte, error) {
	e := a.event
	if l := a.latest.Load(); l != nil && l.version == e.ReadTime && l.token == string(e.Token) {
		return l.text, nil
	}
	text, err := a.encode()
	if err == nil {
		a.latest.Store(&snapshotJSON{e.ReadTime, string(e.Token), text})
	}
	return text, err
}

// change returns the array of a change of the document.
func (d *sharedDocument) change(target int32, leaves bool) ([]byte, error) {
	if last := d.array.Load(); last != nil && last.target == target && last.leaves == leaves {
		return last.text, nil
	}
	document, err := d.json()
	if err != nil {
		return nil, err
	}
	const head, stays, left, tail = `[{"documentChange":{"document":`, `,"targetIds":[`, `,"removedTargetIds":[`, `]}}]`
	member := stays
	if leaves {
		member = left
	}
	id := strconv.AppendInt(nil, int64(target), 10)
	text := make([]byte, 0, len(head)+len(document)+len(member)+len(id)+len(tail))
	text = append(append(text, head...), document...)
	text = append(append(append(text, member...), id...), tail...)
	d.array.Store(&changeJSON{target, leaves, text})
	return text, nil
}

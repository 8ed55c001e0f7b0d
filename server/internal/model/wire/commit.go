package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// CommitRequest is a request to commit. Unmarshal parses the fields of its documents to values at once, without
// messages in between, which the embedded message lacks then. Writes with anything unusual are in the message as they
// were sent.
type CommitRequest struct {
	pb.CommitRequest
	// parsed are the parsed documents of updates, without fields for a write that is in the message as it was sent. It
	// is empty if all are.
	parsed []parsedFields
}

// parsedFields are the fields of a document and their layout.
type parsedFields struct {
	fields value.Map // nil if they are not parsed
	layout value.Layout
}

// ParseWrites parses and validates the writes, as the function ParseWrites does.
func (r *CommitRequest) ParseWrites(db resource.Database) ([]document.Write, error) {
	out := make([]document.Write, len(r.Writes))
	for i, w := range r.Writes {
		var parsed parsedFields
		if i < len(r.parsed) {
			parsed = r.parsed[i]
		}
		var err error
		if out[i], err = parseWrite(db, w, parsed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unmarshal parses the wire form.
func (r *CommitRequest) unmarshal(b []byte) error {
	if r.scan(b) {
		return nil
	}
	proto.Reset(&r.CommitRequest)
	r.parsed = nil
	return unmarshalOrdered(b, &r.CommitRequest)
}

// scan parses the wire form. It returns false if the general parser is needed.
func (r *CommitRequest) scan(b []byte) bool {
	return fields(b, func(number protowire.Number, part []byte) bool {
		switch number {
		case pb.FieldCommitRequestDatabase:
			return scanString(part, &r.Database)
		case pb.FieldCommitRequestWrites:
			w := &pb.Write{}
			parsed, ok := scanWrite(part, w)
			r.Writes, r.parsed = append(r.Writes, w), append(r.parsed, parsed)
			return ok || unmarshalOrdered(part, w) == nil
		case pb.FieldCommitRequestTransaction:
			r.Transaction = append([]byte(nil), part...)
			return len(part) > 0
		}
		return false
	})
}

// scanWrite parses a write, and the fields of an update's document to values. It returns false if the general parser is
// needed.
func scanWrite(b []byte, w *pb.Write) (parsed parsedFields, ok bool) {
	ok = fields(b, func(number protowire.Number, part []byte) bool {
		switch {
		case number == pb.FieldWriteUpdate && w.Operation == nil:
			// Each document has its own copy of the text, so that keeping one document does not keep the memory of the
			// others.
			s, d := scanner{text: string(part)}, &pb.Document{}
			w.Operation = &pb.Write_Update{Update: d}
			parsed.fields, parsed.layout = s.document(d)
			return !s.failed
		case number == pb.FieldWriteDelete && w.Operation == nil:
			op := &pb.Write_Delete{}
			w.Operation = op
			return scanString(part, &op.Delete)
		case number == pb.FieldWriteUpdateMask && w.UpdateMask == nil:
			w.UpdateMask = &pb.DocumentMask{}
			return scanMask(part, w.UpdateMask)
		case number == pb.FieldWriteCurrentDocument && w.CurrentDocument == nil:
			w.CurrentDocument = &pb.Precondition{}
			return scanPrecondition(part, w.CurrentDocument)
		}
		return false
	})
	if !ok {
		return parsedFields{}, false
	}
	return parsed, true
}

package wire

import (
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// DecodeMessage is Decode by the general parser alone, which uses the generated codec.
func (r *WritesRequest) DecodeMessage(b []byte) error { return r.decodeMessage(b) }

// DecodeMessageJSON is DecodeJSON by the general parser alone.
func (r *WritesRequest) DecodeMessageJSON(body string) error {
	return r.decodeMessageJSON(body, nil, "")
}

// Parsed reports whether the writes were parsed to values at once.
func (r *WritesRequest) Parsed() bool { return len(r.writes.parsed) > 0 }

// Fields returns the fields of the document.
func (r *CreateRequest) Fields() (value.Map, value.Layout, error) {
	return r.fields.parse(r.message.GetDocument())
}

// ParseWrite parses and validates a write from its message.
func ParseWrite(db resource.Database, w *pb.Write) (document.Write, error) {
	return parseWrite(db, w, nil)
}

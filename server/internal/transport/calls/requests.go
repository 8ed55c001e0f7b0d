package calls

import (
	"google.golang.org/protobuf/proto"

	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// pointer is a pointer to a struct that is a message.
type pointer[M any] interface {
	*M
	proto.Message
}

// form is how requests become values that the generated codec decodes.
type form[M, V any] struct {
	// fill sets the fields that the path of a request over HTTP determines.
	fill func(*M, Place)
	// resource returns the name of the database or of something in it.
	resource func(*M) string
	// parse parses the message.
	parse func(*M) (resource.Database, V, error)
}

// message returns the decoders of a form.
func message[M, V any, P pointer[M]](f *form[M, V]) func() decoder[V] {
	return func() decoder[V] { return &messageDecoder[M, V, P]{form: f} }
}

// messageDecoder decodes a request by the generated codec.
type messageDecoder[M, V any, P pointer[M]] struct {
	m    M
	form *form[M, V]
}

// Message implements Decoder.
func (d *messageDecoder[M, V, P]) Message() proto.Message { return P(new(M)) }

// Decode implements Decoder.
func (d *messageDecoder[M, V, P]) Decode(b []byte) error { return wire.Unmarshal(b, P(&d.m)) }

// DecodeJSON implements Decoder. A request without a body has an empty one.
func (d *messageDecoder[M, V, P]) DecodeJSON(body string, params map[string][]string, at Place) error {
	if body != "" {
		if err := wire.ParseJSON(body, P(&d.m)); err != nil {
			return err
		}
	}
	if err := wire.SetParams(P(&d.m), params); err != nil {
		return err
	}
	if at != nil {
		d.form.fill(&d.m, at)
	}
	return nil
}

// Resource implements Decoder.
func (d *messageDecoder[M, V, P]) Resource() string { return d.form.resource(&d.m) }

// Transaction returns the transaction that the request names.
func (d *messageDecoder[M, V, P]) Transaction() []byte {
	if t, ok := any(&d.m).(interface{ GetTransaction() []byte }); ok {
		return t.GetTransaction()
	}
	return nil
}

// Parse implements decoder.
func (d *messageDecoder[M, V, P]) Parse() (resource.Database, V, error) { return d.form.parse(&d.m) }

// writes decodes a request with writes.
type writes struct{ *wire.WritesRequest }

// DecodeJSON implements Decoder.
func (w writes) DecodeJSON(body string, params map[string][]string, at Place) error {
	database := ""
	if at != nil {
		database = at.Database()
	}
	return w.WritesRequest.DecodeJSON(body, params, database)
}

// parse returns the database and the writes.
func (w writes) parse() (db resource.Database, out []document.Write, err error) {
	if db, err = resource.ParseDatabase(w.Database); err != nil {
		return db, nil, err
	}
	out, err = w.Writes(db)
	return db, out, err
}

// commit decodes a request of Commit.
type commit struct{ writes }

// newCommit returns an empty request.
func newCommit() decoder[request.Commit] { return commit{writes{wire.NewCommitRequest()}} }

// Parse implements decoder.
func (r commit) Parse() (db resource.Database, out request.Commit, err error) {
	db, out.Writes, err = r.parse()
	out.Transaction = r.Token
	return db, out, err
}

// batchWrite decodes a request of BatchWrite.
type batchWrite struct{ writes }

// newBatchWrite returns an empty request.
func newBatchWrite() decoder[[]document.Write] {
	return batchWrite{writes{wire.NewBatchWriteRequest()}}
}

// Parse implements decoder.
func (r batchWrite) Parse() (resource.Database, []document.Write, error) { return r.parse() }

// write decodes a message of a Write stream.
type write struct{ writes }

// newWrite returns an empty message.
func newWrite() streamed[request.Batch] { return write{writes{wire.NewWriteRequest()}} }

// In implements streamed.
func (r write) In(db resource.Database) (*request.Batch, error) {
	out := &request.Batch{StreamID: r.StreamID, Token: r.Token}
	if !r.Empty() {
		out.Writes, out.Refused = r.Writes(db)
	}
	return out, nil
}

// create decodes a request of CreateDocument.
type create struct{ wire.CreateRequest }

// DecodeJSON implements Decoder.
func (r *create) DecodeJSON(body string, params map[string][]string, at Place) error {
	parent, collection := at.Collection()
	return r.CreateRequest.DecodeJSON(body, params, parent, collection)
}

// update decodes a request of UpdateDocument.
type update struct{ wire.UpdateRequest }

// DecodeJSON implements Decoder.
func (r *update) DecodeJSON(body string, params map[string][]string, at Place) error {
	return r.UpdateRequest.DecodeJSON(body, params, at.Name())
}

// listen decodes a message of a Listen stream.
type listen struct{ m pb.ListenRequest }

// newListen returns an empty message.
func newListen() streamed[request.Watch] { return new(listen) }

// Message implements Decoder.
func (r *listen) Message() proto.Message { return &pb.ListenRequest{} }

// Decode implements Decoder.
func (r *listen) Decode(b []byte) error { return wire.Unmarshal(b, &r.m) }

// DecodeJSON implements Decoder.
func (r *listen) DecodeJSON(body string, _ map[string][]string, _ Place) error {
	return wire.ParseJSON(body, &r.m)
}

// Resource implements Decoder.
func (r *listen) Resource() string { return r.m.GetDatabase() }

// In implements streamed.
func (r *listen) In(db resource.Database) (*request.Watch, error) {
	out, err := wire.ParseWatch(db, &r.m)
	return &out, err
}

package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	pb "clave/server/internal/model/wire/firestorepb"
)

// A request with writes is parsed from its bytes to values at once, if it has a form that clients usually send and is
// valid (scanwrite.go, jsonscan.go). Otherwise it becomes messages first, from which its writes are parsed once its
// caller is known: the general parsers accept every form, and know what to refuse and why.

// sentWrites are the writes of a request: parsed, or as messages.
type sentWrites struct {
	parsed []document.Write
	sent   []*pb.Write
	order  orders
}

// parse returns the writes, which must be to documents of a database.
func (w *sentWrites) parse(db resource.Database) ([]document.Write, error) {
	if len(w.sent) > 0 {
		return parseWrites(db, w.sent, w.order)
	}
	for i := range w.parsed {
		if err := inDatabase(db, w.parsed[i].Name); err != nil {
			return nil, err
		}
	}
	return w.parsed, nil
}

// writesForm describes a request with writes: its message, the numbers of its fields, and the name of its token in
// JSON.
type writesForm struct {
	message                 func() writesMessage
	database, writes, token protowire.Number
	tokenName               string
}

// writesMessage is the message of a request with writes.
type writesMessage interface {
	proto.Message
	GetDatabase() string
	GetWrites() []*pb.Write
}

// The requests with writes.
var (
	commitForm = &writesForm{
		func() writesMessage { return &pb.CommitRequest{} },
		pb.FieldCommitRequestDatabase, pb.FieldCommitRequestWrites, pb.FieldCommitRequestTransaction, "transaction",
	}
	batchWriteForm = &writesForm{
		func() writesMessage { return &pb.BatchWriteRequest{} },
		pb.FieldBatchWriteRequestDatabase, pb.FieldBatchWriteRequestWrites, 0, "",
	}
	writeForm = &writesForm{
		func() writesMessage { return &pb.WriteRequest{} },
		pb.FieldWriteRequestDatabase, pb.FieldWriteRequestWrites, pb.FieldWriteRequestStreamToken, "streamToken",
	}
)

// WritesRequest is a request of Commit or BatchWrite, or a message of a Write stream.
type WritesRequest struct {
	form *writesForm
	// Database is the name of the database, which later messages of a stream may leave out.
	Database string
	// Token is the transaction of a Commit, or the token of a Write stream.
	Token []byte
	// StreamID is the id of a Write stream.
	StreamID string
	writes   sentWrites
}

// NewCommitRequest returns an empty request of Commit.
func NewCommitRequest() *WritesRequest { return &WritesRequest{form: commitForm} }

// NewBatchWriteRequest returns an empty request of BatchWrite.
func NewBatchWriteRequest() *WritesRequest { return &WritesRequest{form: batchWriteForm} }

// NewWriteRequest returns an empty message of a Write stream.
func NewWriteRequest() *WritesRequest { return &WritesRequest{form: writeForm} }

// Message returns an empty message of the request's type.
func (r *WritesRequest) Message() proto.Message { return r.form.message() }

// Resource returns the name of the database.
func (r *WritesRequest) Resource() string { return r.Database }

// Empty reports whether the request has no writes.
func (r *WritesRequest) Empty() bool { return len(r.writes.parsed) == 0 && len(r.writes.sent) == 0 }

// Writes parses the writes, which must be to documents of a database, and validates each of them separately.
func (r *WritesRequest) Writes(db resource.Database) ([]document.Write, error) {
	return r.writes.parse(db)
}

// Decode parses the wire form into the empty request. Its errors are those of Unmarshal.
func (r *WritesRequest) Decode(b []byte) error {
	if r.scan(b) {
		return nil
	}
	*r = WritesRequest{form: r.form} // without what was parsed
	return r.decodeMessage(b)
}

// decodeMessage parses the wire form by the general parser.
func (r *WritesRequest) decodeMessage(b []byte) error {
	m := r.form.message()
	if err := refuseDeep((proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(b, m)); err != nil {
		return err
	}
	var order orders
	order.writes(b, r.form.writes, m.GetWrites())
	r.take(m, order)
	return nil
}

// take takes a request from its message.
func (r *WritesRequest) take(m writesMessage, order orders) {
	*r = WritesRequest{form: r.form, Database: m.GetDatabase(), writes: sentWrites{sent: m.GetWrites(), order: order}}
	switch m := m.(type) {
	case *pb.CommitRequest:
		r.Token = m.GetTransaction()
	case *pb.WriteRequest:
		r.Token, r.StreamID = m.GetStreamToken(), m.GetStreamId()
	}
}

// scan parses the wire form to values. It returns false if the general parser is needed.
func (r *WritesRequest) scan(b []byte) bool {
	return fields(b, func(number protowire.Number, part []byte) bool {
		switch number {
		case r.form.database:
			return scanString(part, &r.Database)
		case r.form.writes:
			r.writes.parsed = append(r.writes.parsed, document.Write{})
			return scanWrite(part, &r.writes.parsed[len(r.writes.parsed)-1])
		case r.form.token:
			r.Token = append([]byte(nil), part...)
			return len(part) > 0
		}
		return false
	})
}

// DecodeJSON parses a JSON body, the parameters of a request over HTTP, which may be nil, and the database that its
// path names, which may be empty, into the empty request. Its errors are those of ParseJSON and SetParam.
func (r *WritesRequest) DecodeJSON(body string, params map[string][]string, database string) error {
	if len(params) == 0 {
		s := newJSONScanner(body)
		if s.writes(r) {
			if database != "" {
				r.Database = database
			}
			return nil
		}
		*r = WritesRequest{form: r.form}
	}
	return r.decodeMessageJSON(body, params, database)
}

// decodeMessageJSON is DecodeJSON by the general parser.
func (r *WritesRequest) decodeMessageJSON(body string, params map[string][]string, database string) error {
	m := r.form.message()
	order, err := parseOrdered(body, m)
	if err != nil {
		return err
	}
	if err := SetParams(m, params); err != nil {
		return err
	}
	r.take(m, order)
	if database != "" {
		r.Database = database
	}
	return nil
}

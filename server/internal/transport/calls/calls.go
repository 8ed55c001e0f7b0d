// Package calls is the table of Firestore's calls. The transports route, decode and answer calls by it, and a node that
// does not lead decides by it which reads it may serve. It does not know the transports.
//
// A request is decoded in two steps: Decode or DecodeJSON read its bytes, and Serve parses what they contain after the
// transport has found the caller, so that a client without credentials is refused as such, whatever it sent.
package calls

import (
	"context"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/auth/token"
	"clave/server/internal/database/api"
)

// Service is the name of the service on the wire; the messages were generated under another (wire/firestorepb).
const Service = "google.firestore.v1.Firestore"

// Call is a call of the service. Request is set for one with one request, and Message and Stream for one whose client
// sends a stream.
type Call struct {
	// Name is the name of the method.
	Name string
	// Verb is the :verb of its path over HTTP, which is a POST; empty for the standard methods of documents, which
	// package rest knows. OnDocument is set if the verb may follow a document.
	Verb       string
	OnDocument bool
	// HasBody is set if a request over HTTP has a body.
	HasBody bool
	// Reads is set for a call that reads the latest state, at any node, if its request has none of the fields Pins, which
	// name a transaction or a time.
	Reads bool
	Pins  []protowire.Number
	// Brief is set if the call takes no memory for longer than it runs, unless it is in a transaction.
	Brief bool
	method
}

// method is how a call is served.
type method struct {
	// Request returns an empty request.
	Request func() Request
	// Answers is set if the call has a stream of responses.
	Answers bool
	// Message returns an empty message of the client's stream.
	Message func() Decoder
	// Stream serves a call with streams both ways.
	Stream func(context.Context, *api.Server, token.Caller, Messages) error
	// Answer describes the message of the response.
	Answer protoreflect.MessageDescriptor
}

// Decoder decodes a request, or a message of a client's stream. It is empty at first, and is decoded once.
type Decoder interface {
	// Message returns an empty message of the type.
	Message() proto.Message
	// Decode reads the wire form. It returns InvalidArgument for a message that is nested too deeply, and an unnamed error
	// for one that is malformed.
	Decode(b []byte) error
	// DecodeJSON reads a body, if there is one, and what a request over HTTP has beside it: the parameters of its address,
	// and what its path names; nil for a message of a stream. It returns InvalidArgument.
	DecodeJSON(body string, params map[string][]string, at Place) error
	// Resource returns the name of the database, or of something in it; a later message of a stream may name none.
	Resource() string
}

// Request is a request of a call.
type Request interface {
	Decoder
	// InTransaction reports whether the call is in a transaction.
	InTransaction() bool
	// Serve parses the request, executes the call for its caller, and sends the response, or all responses.
	Serve(ctx context.Context, s *api.Server, c token.Caller, send func(Response) error) error
}

// Response is a response.
type Response interface {
	// Append appends the wire form.
	Append(dst []byte) ([]byte, error)
	// AppendJSON appends the JSON on one line.
	AppendJSON(dst []byte) ([]byte, error)
	// Message returns it as a message.
	Message() proto.Message
}

// Messages are the streams of a call. Recv returns io.EOF once the client has closed its side. Recv and Send may each
// be called by one goroutine at a time.
type Messages interface {
	// Recv returns the client's next message.
	Recv() (Decoder, error)
	// Send sends a message to the client: *wire.Written or *wire.Listened.
	Send(m any) error
}

// Place is what the path of a request over HTTP names.
type Place interface {
	// Database returns the name of the database.
	Database() string
	// Name returns the name of the document, or of the root.
	Name() string
	// Collection returns the name of the parent and the id of the collection.
	Collection() (parent, id string)
}

// ByName are the calls by their names.
var ByName = func() map[string]*Call {
	calls := make(map[string]*Call, len(All))
	for _, c := range All {
		calls[c.Name] = c
	}
	return calls
}()

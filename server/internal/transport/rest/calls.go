package rest

import (
	"context"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// call describes one call over HTTP.
type call struct {
	// stream is set if the response is an array.
	stream bool
	// answers is the type of the response message.
	answers protoreflect.MessageDescriptor
	// request creates an empty request.
	request func() proto.Message
	// body returns the part of a request that the body contains; nil if there is no body.
	body func(proto.Message) proto.Message
	// fill sets the fields that the path determines.
	fill func(proto.Message, target)
	// serve executes the call.
	serve func(context.Context, *api.Server, token.Caller, proto.Message, func(response) error) error
}

// message is a pointer to a struct that is a message.
type message[T any] interface {
	*T
	proto.Message
}

// response is a response of a call.
type response interface {
	// AppendJSON appends the response's JSON.
	AppendJSON(dst []byte) ([]byte, error)
	// Message returns it as a message.
	Message() proto.Message
}

// plain is a response that is a message.
type plain struct{ message proto.Message }

// AppendJSON implements response.
func (p plain) AppendJSON(dst []byte) ([]byte, error) { return wire.AppendJSON(dst, p.message) }

// Message implements response.
func (p plain) Message() proto.Message { return p.message }

// responseOf converts the result of a method, a message or a response of package wire.
func responseOf(answer any) response {
	if m, ok := answer.(proto.Message); ok {
		return plain{m}
	}
	return answer.(response)
}

// whole returns the message itself: the body is the whole request.
func whole(m proto.Message) proto.Message { return m }

// one returns a call with one response message.
func one[Q, A any, PQ message[Q]](body func(proto.Message) proto.Message, fill func(PQ, target),
	method func(*api.Server, context.Context, token.Caller, PQ) (*A, error),
) call {
	return call{
		answers: responseOf(new(A)).Message().ProtoReflect().Descriptor(),
		request: func() proto.Message { return PQ(new(Q)) },
		body:    body,
		fill:    func(m proto.Message, t target) { fill(m.(PQ), t) },
		serve: func(ctx context.Context, s *api.Server, c token.Caller, m proto.Message, send func(response) error) error {
			out, err := method(s, ctx, c, m.(PQ))
			if err != nil {
				return err
			}
			return send(responseOf(out))
		},
	}
}

// many returns a call with a stream of responses.
func many[Q, A any, PQ message[Q]](fill func(PQ, target),
	method func(*api.Server, context.Context, token.Caller, PQ, func(*A) error) error,
) call {
	return call{
		stream:  true,
		answers: responseOf(new(A)).Message().ProtoReflect().Descriptor(),
		request: func() proto.Message { return PQ(new(Q)) },
		body:    whole,
		fill:    func(m proto.Message, t target) { fill(m.(PQ), t) },
		serve: func(ctx context.Context, s *api.Server, c token.Caller, m proto.Message, send func(response) error) error {
			return method(s, ctx, c, m.(PQ), func(out *A) error { return send(responseOf(out)) })
		},
	}
}

// refused returns a call that this transport does not support.
func refused(name string) call {
	return call{
		answers: (&pb.ListenResponse{}).ProtoReflect().Descriptor(),
		request: func() proto.Message { return &pb.ListenRequest{} },
		fill:    func(proto.Message, target) {},
		serve: func(context.Context, *api.Server, token.Caller, proto.Message, func(response) error) error {
			return fault.E(fault.Unimplemented, "Method google.firestore.v1.Firestore/%s is unimplemented over REST", name)
		},
	}
}

// calls are the calls by name.
var calls = map[string]call{
	"GetDocument": one(nil, func(r *pb.GetDocumentRequest, t target) { r.Name = t.name(len(t.segments)) },
		(*api.Server).GetDocument),
	"ListDocuments": one(nil, func(r *pb.ListDocumentsRequest, t target) {
		last := len(t.segments) - 1
		r.Parent, r.CollectionId = t.name(last), t.segments[last]
	}, (*api.Server).ListDocuments),
	"CreateDocument": one(
		func(m proto.Message) proto.Message {
			r := m.(*pb.CreateDocumentRequest)
			r.Document = &pb.Document{}
			return r.Document
		},
		func(r *pb.CreateDocumentRequest, t target) {
			last := len(t.segments) - 1
			r.Parent, r.CollectionId = t.name(last), t.segments[last]
		}, (*api.Server).CreateDocument),
	"UpdateDocument": one(
		func(m proto.Message) proto.Message {
			r := m.(*pb.UpdateDocumentRequest)
			r.Document = &pb.Document{}
			return r.Document
		},
		func(r *pb.UpdateDocumentRequest, t target) { r.Document.Name = t.name(len(t.segments)) },
		(*api.Server).UpdateDocument),
	"DeleteDocument": one(nil, func(r *pb.DeleteDocumentRequest, t target) { r.Name = t.name(len(t.segments)) },
		(*api.Server).DeleteDocument),
	"BatchGetDocuments": many(func(r *pb.BatchGetDocumentsRequest, t target) { r.Database = t.db.String() },
		(*api.Server).BatchGetDocuments),
	"BeginTransaction": one(whole, func(r *pb.BeginTransactionRequest, t target) { r.Database = t.db.String() },
		(*api.Server).BeginTransaction),
	"Commit": one(whole, func(r *pb.CommitRequest, t target) { r.Database = t.db.String() },
		(*api.Server).Commit),
	"Rollback": one(whole, func(r *pb.RollbackRequest, t target) { r.Database = t.db.String() },
		(*api.Server).Rollback),
	"BatchWrite": one(whole, func(r *pb.BatchWriteRequest, t target) { r.Database = t.db.String() },
		(*api.Server).BatchWrite),
	"RunQuery": many(func(r *pb.RunQueryRequest, t target) { r.Parent = t.name(len(t.segments)) },
		(*api.Server).RunQuery),
	"RunAggregationQuery": many(func(r *pb.RunAggregationQueryRequest, t target) { r.Parent = t.name(len(t.segments)) },
		(*api.Server).RunAggregationQuery),
	"PartitionQuery": one(whole, func(r *pb.PartitionQueryRequest, t target) { r.Parent = t.name(len(t.segments)) },
		(*api.Server).PartitionQuery),
	"ListCollectionIds": one(whole, func(r *pb.ListCollectionIdsRequest, t target) { r.Parent = t.name(len(t.segments)) },
		(*api.Server).ListCollectionIds),
	"ExecutePipeline": many(func(r *pb.ExecutePipelineRequest, t target) { r.Database = t.db.String() },
		(*api.Server).ExecutePipeline),
	"Write":  refused("Write"),
	"Listen": refused("Listen"),
}

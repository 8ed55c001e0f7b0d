package grpc

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// service passes each call of the generated service to its method of database/api. handlers has the calls that the
// generated code can't pass.
type service struct {
	pb.UnimplementedFirestoreServer
	common *common
	rpc    *api.Server
}

// unary passes a call with one message each way to its method.
func unary[Request, Response any](d *common, ctx context.Context, r *Request,
	method func(context.Context, token.Caller, *Request) (*Response, error),
) (*Response, error) {
	caller, err := d.caller(ctx, r)
	if err != nil {
		return nil, err
	}
	return method(ctx, caller, r)
}

// answers passes a call with a stream of responses to its method.
func answers[Request, Response any](d *common, r *Request, ss grpc.ServerStream,
	method func(context.Context, token.Caller, *Request, func(*Response) error) error,
) error {
	caller, err := d.caller(ss.Context(), r)
	if err != nil {
		return err
	}
	return method(ss.Context(), caller, r, func(m *Response) error { return ss.SendMsg(m) })
}

// handlers are the calls with one message each way whose results are types of package wire, which the codec encodes.
var handlers = map[string]grpc.MethodHandler{
	"GetDocument":    handler("GetDocument", (*api.Server).GetDocument),
	"ListDocuments":  handler("ListDocuments", (*api.Server).ListDocuments),
	"CreateDocument": handler("CreateDocument", (*api.Server).CreateDocument),
	"UpdateDocument": handler("UpdateDocument", (*api.Server).UpdateDocument),
	"Commit":         handler("Commit", (*api.Server).CommitParsed),
}

// handler returns the handler of a call, in the form of generated code.
func handler[Request, Response any](name string,
	method func(*api.Server, context.Context, token.Caller, *Request) (*Response, error),
) grpc.MethodHandler {
	return func(srv any, ctx context.Context, decode func(any) error, between grpc.UnaryServerInterceptor) (any, error) {
		r := new(Request)
		if err := decode(r); err != nil {
			return nil, err
		}
		s := srv.(*service)
		info := &grpc.UnaryServerInfo{Server: srv, FullMethod: "/" + serviceName + "/" + name}
		return between(ctx, r, info, func(ctx context.Context, _ any) (any, error) {
			return unary(s.common, ctx, r, func(ctx context.Context, c token.Caller, r *Request) (*Response, error) {
				return method(s.rpc, ctx, c, r)
			})
		})
	}
}

// firstTime is the time limit for the first message of a stream.
const firstTime = 30 * time.Second

// firstOf returns the first message of a stream. It returns an error if that does not arrive in time.
func firstOf[Request, Response any](ss grpc.BidiStreamingServer[Request, Response]) (*Request, error) {
	type received struct {
		message *Request
		err     error
	}
	first := make(chan received, 1)
	go func() { // It ends with the stream.
		m, err := ss.Recv()
		first <- received{m, err}
	}()
	late := time.NewTimer(firstTime)
	defer late.Stop()
	select {
	case r := <-first:
		return r.message, r.err
	case <-late.C:
		return nil, wire.Status(fault.E(fault.DeadlineExceeded, "The stream's first message did not arrive within %v.", firstTime)).Err()
	case <-ss.Context().Done():
		return nil, status.FromContextError(ss.Context().Err()).Err()
	}
}

// both passes a call with streams both ways to its method. The caller is known once the first message has arrived,
// because that message names the database.
func both[Request, Response any](d *common, ss grpc.BidiStreamingServer[Request, Response],
	method func(context.Context, token.Caller, api.Stream[Request, Response]) error,
) error {
	first, err := firstOf(ss)
	if err != nil {
		return err
	}
	caller, err := d.caller(ss.Context(), first)
	if err != nil {
		return err
	}
	return method(ss.Context(), caller, &replayed[Request, Response]{BidiStreamingServer: ss, first: first})
}

// replayed is a stream whose first message was read and is returned again.
type replayed[Request, Response any] struct {
	grpc.BidiStreamingServer[Request, Response]
	first *Request
}

// Recv returns the client's next message.
func (s *replayed[Request, Response]) Recv() (*Request, error) {
	if first := s.first; first != nil {
		s.first = nil
		return first, nil
	}
	return s.BidiStreamingServer.Recv()
}

// DeleteDocument implements the service.
func (s *service) DeleteDocument(ctx context.Context, r *pb.DeleteDocumentRequest) (*emptypb.Empty, error) {
	return unary(s.common, ctx, r, s.rpc.DeleteDocument)
}

// BatchGetDocuments implements the service.
func (s *service) BatchGetDocuments(r *pb.BatchGetDocumentsRequest, ss grpc.ServerStreamingServer[pb.BatchGetDocumentsResponse]) error {
	return answers(s.common, r, ss, s.rpc.BatchGetDocuments)
}

// BeginTransaction implements the service.
func (s *service) BeginTransaction(ctx context.Context, r *pb.BeginTransactionRequest) (*pb.BeginTransactionResponse, error) {
	return unary(s.common, ctx, r, s.rpc.BeginTransaction)
}

// Rollback implements the service.
func (s *service) Rollback(ctx context.Context, r *pb.RollbackRequest) (*emptypb.Empty, error) {
	return unary(s.common, ctx, r, s.rpc.Rollback)
}

// RunQuery implements the service.
func (s *service) RunQuery(r *pb.RunQueryRequest, ss grpc.ServerStreamingServer[pb.RunQueryResponse]) error {
	return answers(s.common, r, ss, s.rpc.RunQuery)
}

// ExecutePipeline implements the service.
func (s *service) ExecutePipeline(r *pb.ExecutePipelineRequest, ss grpc.ServerStreamingServer[pb.ExecutePipelineResponse]) error {
	return answers(s.common, r, ss, s.rpc.ExecutePipeline)
}

// RunAggregationQuery implements the service.
func (s *service) RunAggregationQuery(r *pb.RunAggregationQueryRequest, ss grpc.ServerStreamingServer[pb.RunAggregationQueryResponse]) error {
	return answers(s.common, r, ss, s.rpc.RunAggregationQuery)
}

// PartitionQuery implements the service.
func (s *service) PartitionQuery(ctx context.Context, r *pb.PartitionQueryRequest) (*pb.PartitionQueryResponse, error) {
	return unary(s.common, ctx, r, s.rpc.PartitionQuery)
}

// ListCollectionIds implements the service.
func (s *service) ListCollectionIds(ctx context.Context, r *pb.ListCollectionIdsRequest) (*pb.ListCollectionIdsResponse, error) {
	return unary(s.common, ctx, r, s.rpc.ListCollectionIds)
}

// BatchWrite implements the service.
func (s *service) BatchWrite(ctx context.Context, r *pb.BatchWriteRequest) (*pb.BatchWriteResponse, error) {
	return unary(s.common, ctx, r, s.rpc.BatchWrite)
}

// Write implements the service.
func (s *service) Write(ss grpc.BidiStreamingServer[pb.WriteRequest, pb.WriteResponse]) error {
	return both(s.common, ss, func(ctx context.Context, c token.Caller, messages api.Stream[pb.WriteRequest, pb.WriteResponse]) error {
		return s.rpc.Write(ctx, c, &answering[pb.WriteRequest, pb.WriteResponse, wire.Written]{messages, ss})
	})
}

// Listen implements the service.
func (s *service) Listen(ss grpc.BidiStreamingServer[pb.ListenRequest, pb.ListenResponse]) error {
	return both(s.common, ss, func(ctx context.Context, c token.Caller, messages api.Stream[pb.ListenRequest, pb.ListenResponse]) error {
		return s.rpc.Listen(ctx, c, &answering[pb.ListenRequest, pb.ListenResponse, api.Answer]{messages, ss})
	})
}

// answering is a stream that passes its responses to the codec unchanged.
type answering[Request, Response, Answer any] struct {
	messages api.Stream[Request, Response]
	ss       grpc.ServerStream
}

// Recv implements firestore.Stream.
func (s *answering[Request, Response, Answer]) Recv() (*Request, error) { return s.messages.Recv() }

// Send implements firestore.Stream.
func (s *answering[Request, Response, Answer]) Send(a *Answer) error { return s.ss.SendMsg(a) }

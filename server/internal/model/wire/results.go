package wire

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// The types below are the responses that are encoded through their messages, with the methods of those in answer.go.

// appendMessage appends the wire form of a message.
func appendMessage(dst []byte, m proto.Message) ([]byte, error) {
	return proto.MarshalOptions{}.MarshalAppend(dst, m)
}

// Empty is the response of DeleteDocument and Rollback.
type Empty struct{}

// Append returns dst: the message has no fields.
func (*Empty) Append(dst []byte) ([]byte, error) { return dst, nil }

// AppendJSON appends the JSON.
func (*Empty) AppendJSON(dst []byte) ([]byte, error) { return append(dst, "{}"...), nil }

// Message returns the message.
func (*Empty) Message() proto.Message { return &emptypb.Empty{} }

// Begun is the response of BeginTransaction: the id of the transaction.
type Begun struct{ Transaction []byte }

// Append appends the wire form.
func (r *Begun) Append(dst []byte) ([]byte, error) {
	a := appender{b: dst}
	a.bytes(pb.FieldBeginTransactionResponseTransaction, r.Transaction)
	return a.end(dst)
}

// AppendJSON appends the JSON.
func (r *Begun) AppendJSON(dst []byte) ([]byte, error) { return AppendJSON(dst, r.Message()) }

// Message returns the message.
func (r *Begun) Message() proto.Message {
	return &pb.BeginTransactionResponse{Transaction: r.Transaction}
}

// BatchWritten is the response of BatchWrite.
type BatchWritten struct {
	// Statuses are the results of the writes.
	Statuses []request.WriteStatus
}

// Append appends the wire form.
func (r *BatchWritten) Append(dst []byte) ([]byte, error) { return appendMessage(dst, r.Message()) }

// AppendJSON appends the JSON.
func (r *BatchWritten) AppendJSON(dst []byte) ([]byte, error) { return AppendJSON(dst, r.Message()) }

// Message returns the message.
func (r *BatchWritten) Message() proto.Message {
	out := &pb.BatchWriteResponse{}
	for _, s := range r.Statuses {
		out.WriteResults = append(out.WriteResults, FormatResult(s.Result))
		out.Status = append(out.Status, StatusProto(s.Err))
	}
	return out
}

// Aggregated is a response of RunAggregationQuery.
type Aggregated struct {
	// Figures are the aggregates by their aliases, nil if there are none.
	Figures value.Map
	// Transaction is the transaction that was begun.
	Transaction []byte
	// ReadTime is the version that was read, 0 if nothing was read.
	ReadTime clock.Version
	// Metrics are the metrics of an explained query.
	Metrics *Metrics
}

// Append appends the wire form.
func (r *Aggregated) Append(dst []byte) ([]byte, error) { return appendMessage(dst, r.Message()) }

// AppendJSON appends the JSON.
func (r *Aggregated) AppendJSON(dst []byte) ([]byte, error) { return AppendJSON(dst, r.Message()) }

// Message returns the message.
func (r *Aggregated) Message() proto.Message {
	out := &pb.RunAggregationQueryResponse{Transaction: r.Transaction, ReadTime: formatTime(r.ReadTime), ExplainMetrics: r.Metrics.message()}
	if r.Figures != nil {
		out.Result = &pb.AggregationResult{AggregateFields: FormatFields(r.Figures)}
	}
	return out
}

// Partitions is the response of PartitionQuery.
type Partitions struct {
	// Cursors split the query.
	Cursors []query.Cursor
	// Next is the token of the next page, empty on the last one.
	Next string
}

// Append appends the wire form.
func (r *Partitions) Append(dst []byte) ([]byte, error) { return appendMessage(dst, r.Message()) }

// AppendJSON appends the JSON.
func (r *Partitions) AppendJSON(dst []byte) ([]byte, error) { return AppendJSON(dst, r.Message()) }

// Message returns the message.
func (r *Partitions) Message() proto.Message {
	out := &pb.PartitionQueryResponse{NextPageToken: r.Next}
	for _, c := range r.Cursors {
		out.Partitions = append(out.Partitions, FormatCursor(c))
	}
	return out
}

// CollectionIDs is the response of ListCollectionIds.
type CollectionIDs struct {
	// IDs are the ids.
	IDs []string
	// Next is the token of the next page, empty on the last one.
	Next string
}

// Append appends the wire form.
func (r *CollectionIDs) Append(dst []byte) ([]byte, error) { return appendMessage(dst, r.Message()) }

// AppendJSON appends the JSON.
func (r *CollectionIDs) AppendJSON(dst []byte) ([]byte, error) { return AppendJSON(dst, r.Message()) }

// Message returns the message.
func (r *CollectionIDs) Message() proto.Message {
	return &pb.ListCollectionIdsResponse{CollectionIds: r.IDs, NextPageToken: r.Next}
}

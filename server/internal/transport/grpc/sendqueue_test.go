package grpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// result returns a response with a document of a size.
func result(size int) *wire.Result {
	return &wire.Result{Document: &document.Document{Fields: value.Map{"b": value.Bytes(bytes.Repeat([]byte{1}, size))}}}
}

// TestAStreamWaitsForRoom marshals messages into a stream's queue and waits for room, alone and while other streams
// hold many bytes.
func TestAStreamWaitsForRoom(t *testing.T) {
	for _, size := range []int{countedFrom, 12 << 10, 20 << 10, 70 << 10} {
		d := &common{codec: newCodec()}
		q := newQueue(&d.transit)
		out, err := d.codec.Marshal(&outgoing{message: result(size), queue: q})
		if err != nil {
			t.Fatal(err)
		}
		held := out.Len()
		if got, all := q.held(), d.transit.Load(); got != held || all != int64(held) {
			t.Errorf("with a message of %d bytes the queue counts %d, and all streams %d", held, got, all)
		}
		if err := q.room(t.Context()); err != nil {
			t.Errorf("room beside a message of %d bytes of a single stream: %v", held, err)
		}
		d.transit.Add(crowded)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.room(ended); held > mostQueued && status.Code(err) != codes.Canceled || held <= mostQueued && err != nil {
			t.Errorf("room beside a message of %d bytes of many streams = %v", held, err)
		}
		waited := make(chan error, 1)
		go func() { waited <- q.room(t.Context()) }()
		out.Free()
		if err := <-waited; err != nil {
			t.Errorf("room once the message was written: %v", err)
		}
		if got, all := q.held(), d.transit.Load(); got != 0 || all != crowded {
			t.Errorf("after a message of %d bytes the queue counts %d, and all streams %d more than before", size, got, all-crowded)
		}
	}
}

// TestSmallMessagesAreNotCounted marshals a small message.
func TestSmallMessagesAreNotCounted(t *testing.T) {
	d := &common{codec: newCodec()}
	q := newQueue(&d.transit)
	if _, err := d.codec.Marshal(&outgoing{message: result(100), queue: q}); err != nil || q.held() != 0 {
		t.Errorf("a message of 100 bytes counts as %d, %v", q.held(), err)
	}
}

// TestAStreamThatEndsIsNotCounted ends a stream whose message is never written, as if its connection was cut, and a
// stream whose message is written later.
func TestAStreamThatEndsIsNotCounted(t *testing.T) {
	d := &common{codec: newCodec()}
	s := newBoundedStream(&lasting{ctx: t.Context()}, d)
	out, err := d.codec.Marshal(&outgoing{message: result(20 << 10), queue: s.out.queue})
	if err != nil {
		t.Fatal(err)
	}
	s.done()
	s.end()
	if all := d.transit.Load(); all != 0 {
		t.Errorf("after the end %d bytes are counted", all)
	}
	out.Free()
	if all := d.transit.Load(); all != 0 {
		t.Errorf("after the message was written, too, %d bytes are counted", all)
	}
}

// TestAnswersArriveBesideManyStreams reads many large documents while other streams hold most of the budget.
func TestAnswersArriveBesideManyStreams(t *testing.T) {
	const documents, size = 40, 20 << 10
	conn, s := connectServer(t)
	d := s.common
	ctx := as(t, "Bearer owner")
	for i := range documents {
		write := &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: fmt.Sprintf("%s%02d", name, i), Fields: map[string]*pb.Value{
			"b": {ValueType: &pb.Value_BytesValue{BytesValue: bytes.Repeat([]byte{1}, size)}},
		}}}}
		if err := call(ctx, conn, "Commit", &pb.CommitRequest{Database: database, Writes: []*pb.Write{write}}, &pb.CommitResponse{}); err != nil {
			t.Fatal(err)
		}
	}
	d.transit.Add(crowded)
	answers, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/google.firestore.v1.Firestore/RunQuery")
	if err != nil {
		t.Fatal(err)
	}
	if err := answers.SendMsg(&pb.RunQueryRequest{Parent: database + "/documents", QueryType: &pb.RunQueryRequest_StructuredQuery{
		StructuredQuery: &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c"}}},
	}}); err != nil {
		t.Fatal(err)
	}
	if err := answers.CloseSend(); err != nil {
		t.Fatal(err)
	}
	read := 0
	for err == nil {
		if err = answers.RecvMsg(&pb.RunQueryResponse{}); err == nil {
			read++
		}
	}
	if read != documents || !errors.Is(err, io.EOF) {
		t.Errorf("%d documents and %v, want %d and the end", read, err, documents)
	}
	if held := d.transit.Load() - crowded; held != 0 {
		t.Errorf("after the answer %d bytes are counted as held", held)
	}
}

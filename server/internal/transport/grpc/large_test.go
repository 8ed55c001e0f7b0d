package grpc

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/limit/parse"
	pb "clave/server/internal/model/wire/firestorepb"
)

// large returns a commit that is too large to be parsed without a share.
func large() *pb.CommitRequest {
	text := &pb.Value{ValueType: &pb.Value_StringValue{StringValue: strings.Repeat("x", parse.Large)}}
	return &pb.CommitRequest{Database: database, Writes: []*pb.Write{
		{Operation: &pb.Write_Update{Update: &pb.Document{Name: name, Fields: map[string]*pb.Value{"s": text}}}},
	}}
}

// TestLargeMessagesWaitForEachOther uses up the limit of large messages. Small messages must pass; large ones must wait
// until bytes are returned or their call ends.
func TestLargeMessagesWaitForEachOther(t *testing.T) {
	conn, s := connectServer(t)
	d := s.common
	whole, err := d.o.Parsing.Admit(t.Context(), netip.Addr{}, d.o.Parsing.Most())
	if err != nil {
		t.Fatal(err)
	}
	small := &pb.CommitRequest{Database: database, Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: &pb.Document{Name: name}}}}}
	if err := call(as(t, "Bearer owner"), conn, "Commit", small, &pb.CommitResponse{}); err != nil {
		t.Errorf("a small commit beside large ones: %v", err)
	}
	short, cancel := context.WithTimeout(as(t, "Bearer owner"), 50*time.Millisecond)
	defer cancel()
	if err := call(short, conn, "Commit", large(), &pb.CommitResponse{}); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("a large commit without room: %v, want DEADLINE_EXCEEDED", err)
	}
	waits := make(chan error, 1)
	go func() { waits <- call(as(t, "Bearer owner"), conn, "Commit", large(), &pb.CommitResponse{}) }()
	whole.Release()
	if err := <-waits; err != nil {
		t.Errorf("a large commit that waited: %v", err)
	}
}

// TestSharesAreReturned sends large messages with every kind of call, valid and refused, and checks that all shares are
// returned.
func TestSharesAreReturned(t *testing.T) {
	conn, s := connectServer(t)
	d := s.common
	for range 3 {
		if err := call(as(t, "Bearer owner"), conn, "Commit", large(), &pb.CommitResponse{}); err != nil {
			t.Errorf("a large commit: %v", err)
		}
		if err := call(as(t, ""), conn, "Commit", large(), &pb.CommitResponse{}); status.Code(err) != codes.PermissionDenied {
			t.Errorf("a large commit without credentials: %v, want PERMISSION_DENIED", err)
		}
		if err := call(as(t, "Bearer owner"), conn, "GetDocument", large(), &pb.Document{}); status.Code(err) == codes.OK {
			t.Error("a large commit as a request for a document is served")
		}
	}
	get := &pb.BatchGetDocumentsRequest{Database: database, Documents: []string{name}}
	for range parse.Large / len(name) {
		get.Documents = append(get.Documents, name)
	}
	answers, err := conn.NewStream(as(t, "Bearer owner"), &grpc.StreamDesc{ServerStreams: true}, "/google.firestore.v1.Firestore/BatchGetDocuments")
	if err != nil {
		t.Fatal(err)
	}
	if err := answers.SendMsg(get); err != nil {
		t.Fatal(err)
	}
	if err := answers.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if err := answers.RecvMsg(&pb.BatchGetDocumentsResponse{}); err != nil {
		t.Errorf("a large request for documents: %v", err)
	}
	if err := answers.RecvMsg(&pb.BatchGetDocumentsResponse{}); !errors.Is(err, io.EOF) {
		t.Errorf("after the document: %v, want the end", err)
	}
	write, err := conn.NewStream(as(t, "Bearer owner"), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.firestore.v1.Firestore/Write")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		r := &pb.WriteRequest{Database: database}
		if i > 0 {
			r.Writes = large().GetWrites()
		}
		if err := write.SendMsg(r); err != nil {
			t.Fatal(err)
		}
		if err := write.RecvMsg(&pb.WriteResponse{}); err != nil {
			t.Fatalf("answer %d of a write stream: %v", i, err)
		}
	}
	whole, err := d.o.Parsing.Admit(t.Context(), netip.Addr{}, d.o.Parsing.Most())
	if err != nil {
		t.Fatalf("the shares are not returned: %v", err)
	}
	whole.Release()
}

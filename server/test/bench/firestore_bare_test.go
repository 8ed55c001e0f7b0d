package bench_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// startBare starts a server that stores nothing and answers every call immediately with messages of the usual size. It
// is the lower limit of this client's cost on a machine.
func startBare(t *testing.T) *server {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestServeBare$")
	cmd.Env = append(os.Environ(), "CLAVE_BENCH_BARE="+address)
	s := start(t, cmd, address)
	s.site = nextAddress(address)
	return s
}

// atSite returns the same process with the address of its HTTP server.
func (s *server) atSite() *server { return &server{address: s.site, pid: s.pid} }

// TestServeBare is the process of startBare.
func TestServeBare(t *testing.T) {
	address := os.Getenv("CLAVE_BENCH_BARE")
	if address == "" {
		t.Skip("CLAVE_BENCH_BARE is not set")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	channels, err := net.Listen("tcp", nextAddress(address))
	if err != nil {
		t.Fatal(err)
	}
	site := &http.Server{Handler: &bareChannels{}, ReadHeaderTimeout: time.Minute}
	go func() { _ = site.Serve(channels) }()
	s := grpc.NewServer(grpc.NumStreamWorkers(128))
	pb.RegisterFirestoreServer(s, newBare())
	if err := s.Serve(l); err != nil {
		t.Fatal(err)
	}
}

// newBare returns a server that answers immediately.
func newBare() *bare {
	return &bare{fields: map[string]*pb.Value{
		"title": {ValueType: &pb.Value_StringValue{StringValue: "Concert number 1234"}}, "city": {ValueType: &pb.Value_StringValue{StringValue: "city12"}},
		"kind": {ValueType: &pb.Value_StringValue{StringValue: "concert"}}, "price": {ValueType: &pb.Value_IntegerValue{IntegerValue: 123}},
		"rating": {ValueType: &pb.Value_DoubleValue{DoubleValue: 2.5}}, "open": {ValueType: &pb.Value_BooleanValue{BooleanValue: true}},
		"at": {ValueType: &pb.Value_TimestampValue{TimestampValue: timestamppb.Now()}},
		"tags": {ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: []*pb.Value{
			{ValueType: &pb.Value_StringValue{StringValue: "music"}}}}}},
	}}
}

// bare is the service of TestServeBare.
type bare struct {
	pb.UnimplementedFirestoreServer
	fields map[string]*pb.Value
	// listeners contains a *chan *pb.Document for each Listen stream.
	listeners sync.Map
}

// Commit acknowledges all writes, and sends the documents of the listened collection to all listeners.
func (b *bare) Commit(_ context.Context, r *pb.CommitRequest) (*pb.CommitResponse, error) {
	now := timestamppb.Now()
	if d := r.GetWrites()[0].GetUpdate(); strings.Contains(d.GetName(), "/listened/") {
		b.listeners.Range(func(key, _ any) bool {
			*key.(*chan *pb.Document) <- d
			return true
		})
	}
	out := &pb.CommitResponse{CommitTime: now}
	for range r.GetWrites() {
		out.WriteResults = append(out.WriteResults, &pb.WriteResult{UpdateTime: now})
	}
	return out, nil
}

// BatchGetDocuments returns the same fields for each document.
func (b *bare) BatchGetDocuments(r *pb.BatchGetDocumentsRequest, ss pb.Firestore_BatchGetDocumentsServer) error {
	now := timestamppb.Now()
	for _, name := range r.GetDocuments() {
		found := &pb.Document{Name: name, Fields: b.fields, CreateTime: now, UpdateTime: now}
		if err := ss.Send(&pb.BatchGetDocumentsResponse{ReadTime: now, Result: &pb.BatchGetDocumentsResponse_Found{Found: found}}); err != nil {
			return err
		}
	}
	return nil
}

// Write acknowledges each message of a stream.
func (b *bare) Write(ss pb.Firestore_WriteServer) error {
	for n := 0; ; n++ {
		r, err := ss.Recv()
		if err != nil {
			return err
		}
		now := timestamppb.Now()
		out := &pb.WriteResponse{StreamToken: strconv.AppendInt(nil, int64(n), 10), CommitTime: now}
		for range r.GetWrites() {
			out.WriteResults = append(out.WriteResults, &pb.WriteResult{UpdateTime: now})
		}
		if err := ss.Send(out); err != nil {
			return err
		}
	}
}

// Listen sends an empty result and then each written document.
func (b *bare) Listen(ss pb.Firestore_ListenServer) error {
	r, err := ss.Recv()
	if err != nil {
		return err
	}
	id := r.GetAddTarget().GetTargetId()
	change := func(kind pb.TargetChange_TargetChangeType, ids ...int32) *pb.ListenResponse {
		return &pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: &pb.TargetChange{
			TargetChangeType: kind, TargetIds: ids, ReadTime: timestamppb.Now(), ResumeToken: []byte("twelve bytes"),
		}}}
	}
	changes := make(chan *pb.Document, 10)
	b.listeners.Store(&changes, nil)
	defer b.listeners.Delete(&changes)
	messages := []*pb.ListenResponse{change(pb.TargetChange_ADD, id), change(pb.TargetChange_CURRENT, id), change(pb.TargetChange_NO_CHANGE)}
	for {
		for _, m := range messages {
			if err := ss.Send(m); err != nil {
				return err
			}
		}
		select {
		case <-ss.Context().Done():
			return ss.Context().Err()
		case d := <-changes:
			messages = []*pb.ListenResponse{
				{ResponseType: &pb.ListenResponse_DocumentChange{DocumentChange: &pb.DocumentChange{Document: d, TargetIds: []int32{id}}}},
				change(pb.TargetChange_NO_CHANGE),
			}
		}
	}
}

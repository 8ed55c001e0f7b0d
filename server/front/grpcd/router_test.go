package grpcd

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "clave/server/wire/firestorepb"
)

// TestRouter serves a call here, forwards another one and a large one, and serves all here once it leads. A message that was read to
// decide is served or forwarded whole.
func TestRouter(t *testing.T) {
	_, s := connectServer(t)
	var served, forwarded, done atomic.Int64
	r := NewRouter(RouterOptions{
		Here: func(ctx context.Context, method string, _ []byte) (context.Context, *Server, func()) {
			if !strings.HasSuffix(method, "/GetDocument") {
				return nil, nil, nil
			}
			served.Add(1)
			return ctx, s, func() { done.Add(1) }
		},
		Forward: func(ss grpc.ServerStream, method string, first *Raw) (bool, error) {
			if strings.HasSuffix(method, "/Rollback") {
				return true, nil
			}
			if first != nil {
				forwarded.Add(int64(first.Len()))
			}
			return false, status.Error(codes.Aborted, method)
		},
	})
	conn := connectTo(t, r)
	get := &pb.GetDocumentRequest{Name: name}
	want := func(method string, in any, code codes.Code) {
		t.Helper()
		if err := call(as(t, "Bearer owner"), conn, method, in, &pb.Document{}); status.Code(err) != code {
			t.Errorf("%s = %v, want %v", method, err, code)
		}
	}
	want("GetDocument", get, codes.NotFound)
	if served.Load() != 1 || done.Load() != 1 {
		t.Errorf("a read was served %d times and ended %d times, want once", served.Load(), done.Load())
	}
	update := &pb.UpdateDocumentRequest{Document: &pb.Document{Name: name}}
	want("UpdateDocument", update, codes.Aborted)
	large := &pb.GetDocumentRequest{Name: name + strings.Repeat("x", largeMessage)}
	want("GetDocument", large, codes.Aborted)
	if n := forwarded.Load(); n < largeMessage || served.Load() != 1 {
		t.Errorf("%d bytes were forwarded and %d calls served here, want the large call forwarded", n, served.Load())
	}
	want("Unheard", get, codes.Aborted)
	want("Rollback", &pb.RollbackRequest{Database: database}, codes.Unavailable)
	r.Lead(s)
	want("UpdateDocument", update, codes.OK)
	want("GetDocument", get, codes.OK)
	want("Unheard", get, codes.Unimplemented)
}

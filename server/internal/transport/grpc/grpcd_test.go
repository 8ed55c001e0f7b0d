package grpc

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/authz/authztest"
	pb "clave/server/internal/model/wire/firestorepb"
)

const (
	database = "projects/p/databases/(default)"
	name     = database + "/documents/c/a"
)

// connect serves an empty in-memory database that only privileged callers may access, and returns a connection to it.
func connect(t *testing.T) *grpc.ClientConn {
	t.Helper()
	conn, _ := connectServer(t)
	return conn
}

// connectServer does the same as connect and also returns the server.
func connectServer(t *testing.T) (*grpc.ClientConn, *Server) {
	t.Helper()
	az, _ := authztest.Open(t, authz.RulesetsOptions{})
	calls, err := api.New(api.Options{Authorizer: az})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Firestore: calls, Tokens: token.New(token.Options{Unsigned: true})})
	if err != nil {
		t.Fatal(err)
	}
	conn := connectTo(t, s)
	t.Cleanup(s.Stop)
	return conn, s
}

// connectTo serves the calls of a server and connects to it.
func connectTo(t *testing.T, s interface {
	Serve(net.Listener) error
	Stop()
}, more ...grpc.DialOption,
) *grpc.ClientConn {
	t.Helper()
	l := bufconn.Listen(1 << 20)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	conn, err := grpc.NewClient("passthrough:///buffer", append(more, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		s.Stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return conn
}

// as returns a context whose calls carry an Authorization header.
func as(t *testing.T, authorization string) context.Context {
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", authorization, "google-cloud-resource-prefix", database)
}

// call calls a method by its public name.
func call(ctx context.Context, conn *grpc.ClientConn, method string, in, out any) error {
	return conn.Invoke(ctx, "/google.firestore.v1.Firestore/"+method, in, out)
}

func TestUnaryCalls(t *testing.T) {
	conn := connect(t)
	commit := &pb.CommitRequest{Database: database, Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: &pb.Document{Name: name}}}}}
	if err := call(as(t, "Bearer owner"), conn, "Commit", commit, &pb.CommitResponse{}); err != nil {
		t.Fatalf("a server's commit: %v", err)
	}
	var d pb.Document
	if err := call(as(t, "Bearer owner"), conn, "GetDocument", &pb.GetDocumentRequest{Name: name}, &d); err != nil || d.GetName() != name {
		t.Errorf("GetDocument = %v, %v", &d, err)
	}
	tests := []struct {
		authorization, method string
		in                    any
		code                  codes.Code
		text                  string
	}{
		{"Bearer owner", "GetDocument", &pb.GetDocumentRequest{Name: name + "x"}, codes.NotFound, `Document "` + name + `x" not found.`},
		{"", "Commit", commit, codes.PermissionDenied, "Missing or insufficient permissions."},
		{"Bearer rubbish", "Commit", commit, codes.Unauthenticated, "Missing or invalid authentication."},
		{"Bearer owner", "Commit", &pb.CommitRequest{Database: "x"}, codes.InvalidArgument, `Invalid database name: "x"`},
		{"Bearer owner", "Nope", commit, codes.Unimplemented, "unknown method Nope for service google.firestore.v1.Firestore"},
	}
	for _, tt := range tests {
		err := call(as(t, tt.authorization), conn, tt.method, tt.in, &pb.CommitResponse{})
		if s := status.Convert(err); s.Code() != tt.code || s.Message() != tt.text {
			t.Errorf("%s as %q: %v; want %v %q", tt.method, tt.authorization, err, tt.code, tt.text)
		}
	}
}

func TestServerStreams(t *testing.T) {
	conn := connect(t)
	desc := &grpc.StreamDesc{ServerStreams: true}
	ss, err := conn.NewStream(as(t, "Bearer owner"), desc, "/google.firestore.v1.Firestore/BatchGetDocuments")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ss.SendMsg(&pb.BatchGetDocumentsRequest{Database: database, Documents: []string{name}}), ss.CloseSend()); err != nil {
		t.Fatal(err)
	}
	var row pb.BatchGetDocumentsResponse
	if err := ss.RecvMsg(&row); err != nil || row.GetMissing() != name {
		t.Errorf("row = %v, %v; want %s missing", &row, err, name)
	}
	if err := ss.RecvMsg(&row); !errors.Is(err, io.EOF) {
		t.Errorf("after the last row: %v, want EOF", err)
	}
}

// TestFirstMessageDecidesTheCaller checks a bidirectional stream whose caller is determined by its first message. The
// stream must still receive that message.
func TestFirstMessageDecidesTheCaller(t *testing.T) {
	conn := connect(t)
	desc := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	ss, err := conn.NewStream(as(t, "Bearer owner"), desc, "/google.firestore.v1.Firestore/Write")
	if err != nil {
		t.Fatal(err)
	}
	if err := ss.SendMsg(&pb.WriteRequest{Database: database}); err != nil {
		t.Fatal(err)
	}
	var hello pb.WriteResponse
	if err := ss.RecvMsg(&hello); err != nil || len(hello.GetStreamToken()) == 0 {
		t.Errorf("handshake = %v, %v; want a stream token", &hello, err)
	}
}

func TestPanicsAndBugsRevealNothing(t *testing.T) {
	d := &common{}
	d.o.EnsureDefaults()
	info := &grpc.UnaryServerInfo{FullMethod: "/s/m"}
	tests := []struct {
		name string
		next grpc.UnaryHandler
		code codes.Code
		text string
	}{
		{"panic", func(context.Context, any) (any, error) { panic("secret") }, codes.Internal, "Internal error."},
		{"bug", func(context.Context, any) (any, error) { return nil, errors.New("secret") }, codes.Internal, "Internal error."},
		{"named", func(context.Context, any) (any, error) { return nil, fault.E(fault.Aborted, "again") }, codes.Aborted, "again"},
	}
	for _, tt := range tests {
		_, err := d.unary(t.Context(), nil, info, tt.next)
		if s := status.Convert(err); s.Code() != tt.code || s.Message() != tt.text {
			t.Errorf("%s: %v, want %v %q", tt.name, err, tt.code, tt.text)
		}
	}
}

func TestProjectOfHeaders(t *testing.T) {
	tests := map[string]metadata.MD{
		"p": metadata.Pairs("google-cloud-resource-prefix", "projects/p/databases/d"),
		"q": metadata.Pairs("x-goog-request-params", "project_id=q&database_id=d"),
		"r": metadata.Pairs("x-goog-request-params", "parent=projects%2Fr%2Fdatabases%2Fd"),
		"":  metadata.Pairs("x-goog-request-params", "%zz"),
	}
	for want, md := range tests {
		if got := projectOf(prefix(metadata.NewIncomingContext(t.Context(), md))); got != want {
			t.Errorf("project of %v = %q, want %q", md, got, want)
		}
	}
}

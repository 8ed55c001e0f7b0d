package production

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// TestAnonymousWritesAreLimitedByAddress runs `clave serve` behind a proxy and writes without a token from two
// addresses over REST and gRPC. Each address has one allowance for both transports, and an X-Forwarded-For header that
// the client sends is ignored.
func TestAnonymousWritesAreLimitedByAddress(t *testing.T) {
	dir := harness.ProductionFolder(t)
	harness.WriteFile(t, filepath.Join(dir, "firestore.rules"),
		"rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /forms/{id} { allow create; } } }")
	p := harness.Serve(t, dir, false, "--trust-proxy", "--anonymous-writes", "2")
	documents := "projects/" + harness.RealProject + "/databases/(default)/documents"
	overREST := func(forwarded string) codes.Code {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/v1/"+documents+"/forms", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", forwarded)
		answer, err := p.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return map[int]codes.Code{http.StatusOK: codes.OK, http.StatusTooManyRequests: codes.ResourceExhausted}[answer.StatusCode]
	}
	conn, err := grpc.NewClient(p.Host(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n := 0
	overGRPC := func(forwarded string) codes.Code {
		t.Helper()
		n++
		ctx := metadata.AppendToOutgoingContext(t.Context(), "x-forwarded-for", forwarded, "google-cloud-resource-prefix", "projects/"+harness.RealProject+"/databases/(default)")
		request := &pb.CommitRequest{
			Database: "projects/" + harness.RealProject + "/databases/(default)",
			Writes:   []*pb.Write{{Operation: &pb.Write_Update{Update: &pb.Document{Name: fmt.Sprintf("%s/forms/g%d", documents, n)}}}},
		}
		return status.Code(conn.Invoke(ctx, "/google.firestore.v1.Firestore/Commit", request, &pb.CommitResponse{}))
	}
	steps := []struct {
		name, forwarded string
		write           func(string) codes.Code
		want            codes.Code
	}{
		{"first, REST", "192.0.2.1", overREST, codes.OK},
		{"second, with another address before it", "198.51.100.9, 192.0.2.1", overREST, codes.OK},
		{"third, gRPC", "192.0.2.1", overGRPC, codes.OK},
		{"fourth, gRPC", "198.51.100.9, 192.0.2.1", overGRPC, codes.OK},
		{"fifth, gRPC", "192.0.2.1", overGRPC, codes.ResourceExhausted},
		{"sixth, REST", "198.51.100.10, 192.0.2.1", overREST, codes.ResourceExhausted},
		{"another address, REST", "192.0.2.2", overREST, codes.OK},
		{"another address, gRPC", "192.0.2.2", overGRPC, codes.OK},
	}
	for _, step := range steps {
		if got := step.write(step.forwarded); got != step.want {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
	p.Stop(t)
}

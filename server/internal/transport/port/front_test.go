package port_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"clave/server/internal/transport/port"
)

// answers returns a handler that responds with a text.
func answers(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, text) })
}

// serve runs a port with the given handlers until the test ends, and returns its address.
func serve(t *testing.T, d port.Handlers) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := port.New(port.Options{Name: "test", Listener: ln, Handlers: d, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- port.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v, want nil after a stop", err)
		}
	})
	return ln.Addr().String()
}

// get returns the body of the response to a GET.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOnePortForAll(t *testing.T) {
	addr := serve(t, port.Handlers{
		GRPC: grpc.NewServer(), WebChannel: answers("webchannel"), REST: answers("rest"), Identity: answers("identity"), Control: answers("control"),
		Site: answers("site"), Reserved: answers("reserved"),
	})
	for path, want := range map[string]string{
		"/": "site", "/historia": "site", "/v1/projects/p/databases/(default)/documents/a/b": "rest",
		"/google.firestore.v1.Firestore/Listen/channel": "webchannel", "/identitytoolkit.googleapis.com/v1/accounts:signUp": "identity",
		"/securetoken.googleapis.com/v1/token": "identity", "/emulator/v1/projects/p": "control", "/api/admin/codigo": "site", "/v1": "site",
		"/__/firebase/init.js": "reserved", "/__/firebase": "identity", "/__/auth/action": "identity",
	} {
		if got := get(t, "http://"+addr+path); got != want {
			t.Errorf("GET %s reached %q, want %q", path, got, want)
		}
	}
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Invoke(t.Context(), "/no.Such/Method", nil, nil, grpc.ForceCodec(nothing{})); status.Code(err) != codes.Unimplemented {
		t.Errorf("gRPC call = %v, want UNIMPLEMENTED from the gRPC server", err)
	}
}

// TestStopBeforeServing stops a gRPC server before it serves. The result must be the same as of any other stop.
func TestStopBeforeServing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stopped := grpc.NewServer()
	stopped.Stop()
	port := port.New(port.Options{Name: "test", Listener: ln, Handlers: port.Handlers{GRPC: stopped}, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := port.Run(ctx); err != nil {
		t.Errorf("Run = %v, want nil after a stop", err)
	}
}

// nothing is a codec of empty messages.
type nothing struct{}

func (nothing) Marshal(any) ([]byte, error) { return nil, nil }

func (nothing) Unmarshal([]byte, any) error { return nil }

func (nothing) Name() string { return "nothing" }

func TestFirestorePortReportsReadiness(t *testing.T) {
	addr := serve(t, port.Handlers{REST: answers("rest")})
	if got := get(t, "http://"+addr+"/"); got != "Ok\n" {
		t.Errorf("GET / = %q, want Ok", got)
	}
	if got := get(t, "http://"+addr+"/strange"); got != "rest" {
		t.Errorf("GET /strange reached %q, want rest", got)
	}
}

func TestCORS(t *testing.T) {
	addr := serve(t, port.Handlers{REST: answers("rest"), Site: answers("site")})
	private := listener(t)
	run(t, port.Options{Listener: private, PrivateNetwork: true, Handlers: port.Handlers{REST: answers("rest")}})
	request := func(method, path string, headers map[string]string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range headers {
			r.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	pre := request(http.MethodOptions, "/v1/x", map[string]string{
		"Origin": "http://a.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization", "Access-Control-Request-Private-Network": "true",
	})
	if pre.StatusCode != 204 || pre.Header.Get("Access-Control-Allow-Origin") != "http://a.example" || pre.Header.Get("Access-Control-Allow-Headers") != "authorization" {
		t.Errorf("preflight: %d %v", pre.StatusCode, pre.Header)
	}
	if got := pre.Header.Get("Access-Control-Allow-Private-Network"); got != "" {
		t.Errorf("pages of public networks may call the port: %q", got)
	}
	public := addr
	addr = private.Addr().String()
	if got := request(http.MethodOptions, "/v1/x", map[string]string{
		"Origin": "http://a.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true",
	}); got.Header.Get("Access-Control-Allow-Private-Network") != "true" {
		t.Error("pages of public networks may not call a port that lets them")
	}
	addr = public
	if got := request(http.MethodGet, "/v1/x", map[string]string{"Origin": "http://a.example"}); got.Header.Get("Access-Control-Allow-Credentials") != "true" || !strings.Contains(got.Header.Get("Vary"), "Origin") {
		t.Errorf("request with an origin: %v", got.Header)
	}
	if got := request(http.MethodGet, "/index.html", map[string]string{"Origin": "http://a.example"}); got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("the site's pages must not be readable by other origins")
	}
}

func TestPanicIsAnswered(t *testing.T) {
	addr := serve(t, port.Handlers{REST: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") })})
	resp, err := http.Get("http://" + addr + "/v1/x")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", resp.StatusCode)
	}
	if got := get(t, "http://"+addr+"/"); got != "Ok\n" {
		t.Error("the server must continue after a panic")
	}
}

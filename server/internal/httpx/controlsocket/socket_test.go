package controlsocket_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/controlsocket"
)

// question is the request of the tests' listener.
type question struct {
	Name string `json:"name"`
}

// listen runs a listener until the test ends. It greets the name of a question and refuses an empty one.
func listen(t *testing.T, data string) {
	t.Helper()
	l, err := controlsocket.Listen(data, "test.sock", func(_ context.Context, in question) (map[string]string, error) {
		if in.Name == "" {
			return nil, fault.E(fault.InvalidArgument, "a name is missing")
		}
		return map[string]string{"greeting": "hello " + in.Name}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestRequest(t *testing.T) {
	data := t.TempDir()
	listen(t, data)
	info, err := os.Stat(filepath.Join(data, "test.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v, %v; want 0600", info.Mode(), err)
	}
	var out struct{ Greeting string }
	if err := controlsocket.Request(t.Context(), data, "test.sock", question{"ann"}, &out); err != nil || out.Greeting != "hello ann" {
		t.Errorf("Request = %q, %v; want a greeting", out.Greeting, err)
	}
	for _, c := range []struct {
		name, want string
		in         any
	}{
		{"refused by the service", "a name is missing", question{}},
		{"beyond the maximum size", "request body too large", question{strings.Repeat("x", 1<<16)}},
		{"of another type", "the request is not valid JSON: json: cannot unmarshal", "ann"},
	} {
		if err := controlsocket.Request(t.Context(), data, "test.sock", c.in, nil); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a request %s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := controlsocket.Running(t.Context(), data, "test.sock"); err != nil {
		t.Errorf("Running = %v, want nil", err)
	}
}

func TestNoServer(t *testing.T) {
	data := t.TempDir()
	check := func(state string) {
		t.Helper()
		if err := controlsocket.Running(t.Context(), data, "test.sock"); !errors.Is(err, controlsocket.ErrNoServer) {
			t.Errorf("%s: Running = %v, want ErrNoServer", state, err)
		}
		if err := controlsocket.Request(t.Context(), data, "test.sock", question{"ann"}, nil); !errors.Is(err, controlsocket.ErrNoServer) {
			t.Errorf("%s: Request = %v, want ErrNoServer", state, err)
		}
	}
	check("without a socket")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(data, "test.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	check("with the socket of a killed server")
	listen(t, data)
	if err := controlsocket.Running(t.Context(), data, "test.sock"); err != nil {
		t.Errorf("a new server beside an old socket: %v, want nil", err)
	}
}

// TestLongPaths checks a data folder whose path is too long for the address of a socket, and that the socket's file is
// removed.
func TestLongPaths(t *testing.T) {
	data := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := controlsocket.Request(t.Context(), data, "test.sock", question{"ann"}, nil); !errors.Is(err, controlsocket.ErrNoServer) {
		t.Errorf("Request without a server = %v, want ErrNoServer", err)
	}
	t.Run("served", func(t *testing.T) {
		listen(t, data)
		var out struct{ Greeting string }
		if err := controlsocket.Request(t.Context(), data, "test.sock", question{"ann"}, &out); err != nil || out.Greeting != "hello ann" {
			t.Errorf("Request = %q, %v; want a greeting", out.Greeting, err)
		}
		if err := controlsocket.Running(t.Context(), data, "test.sock"); err != nil {
			t.Errorf("Running = %v", err)
		}
	})
	if entries, err := os.ReadDir(data); err != nil || len(entries) != 0 {
		t.Errorf("after the end the folder has %v, %v; want nothing", entries, err)
	}
}

// TestFoldersThatCannotBeRead checks the errors for a data folder that is a file, and for one of another user.
func TestFoldersThatCannotBeRead(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(data, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := controlsocket.Running(t.Context(), data, "test.sock"); !errors.Is(err, controlsocket.ErrNoServer) {
		t.Errorf("Running on a file = %v, want ErrNoServer", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may read every folder")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	if err := controlsocket.Request(t.Context(), folder, "test.sock", question{}, nil); !fault.Is(err, fault.FailedPrecondition) {
		t.Errorf("Request in a folder of another user = %v, want FAILED_PRECONDITION", err)
	}
}

// TestAServerThatEndsDuringARequest closes the connection of a request without a response, as a killed server does.
func TestAServerThatEndsDuringARequest(t *testing.T) {
	data := t.TempDir()
	socket, err := net.Listen("unix", filepath.Join(data, "test.sock"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		conn, err := socket.Accept()
		if err == nil {
			_, _ = conn.Read(make([]byte, 10))
			_ = conn.Close()
		}
	}()
	defer func() { _ = socket.Close() }()
	err = controlsocket.Request(t.Context(), data, "test.sock", question{"ann"}, nil)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "the server ended") {
		t.Errorf("Request = %v, want UNAVAILABLE and that the server ended", err)
	}
}

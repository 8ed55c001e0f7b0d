// Package program finds or builds the programs that tests run as processes, chooses ports for them, and waits until
// they are ready.
package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// Clave returns the path of the program: the one that CLAVE_BIN names, or one built for this process.
var Clave = built("clave", "CLAVE_BIN")

// BackOffice returns the path of the back office's program: the one that BACKOFFICE_BIN names, or one built for this
// process.
var BackOffice = built("backoffice", "BACKOFFICE_BIN")

// built returns a function that returns the path in an environment variable, or builds a program into a temporary
// folder once.
func built(name, variable string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		if path := os.Getenv(variable); path != "" {
			return path, nil
		}
		dir, err := os.MkdirTemp("", "clave-tests")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, name)
		build := exec.Command("go", "build", "-trimpath", "-tags", "nodynamic", "-o", path, "clave/server/cmd/"+name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return path, nil
	})
}

// The ports of tests are below the ephemeral ports of Linux, macOS and Windows. An ephemeral port can become the source
// of a connection before the program that is to listen on it starts, and a client that dials an ephemeral port without
// a listener can connect to itself.
const firstPort, lastPort = 12000, 31999

// FreePorts returns TCP ports that are free. Until the test ends they are given to no other test of any process, so a
// program can be started again on them.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, 0, n)
	for len(ports) < n {
		port, reserved, err := reserve()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = reserved.Close() })
		ports = append(ports, port)
	}
	return ports
}

// FreePort returns a TCP port that is free.
func FreePort() (int, error) {
	port, reserved, err := reserve()
	if err != nil {
		return 0, err
	}
	return port, reserved.Close()
}

// reserve finds a TCP port that is free, and binds its number of UDP. No program that is tested uses UDP, so other
// processes that call reserve do not find the port until the result is closed.
func reserve() (port int, reserved io.Closer, err error) {
	const tries = 1000
	for range tries {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort+1))
		reserved, err = net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		var ln net.Listener
		if ln, err = net.Listen("tcp", address); err == nil {
			return ln.Addr().(*net.TCPAddr).Port, reserved, ln.Close()
		}
		_ = reserved.Close()
	}
	return 0, nil, err
}

// ReadyLine reads the output of Clave until the line that begins with "Clave ready in". It returns false if the output
// ends before.
func ReadyLine(out io.Reader) (line string, ready bool) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Clave ready in ") {
			return lines.Text(), true
		}
	}
	return "", false
}

// AwaitHealth waits until a program at an address reports that it is healthy.
func AwaitHealth(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/__/health", http.NoBody)
	if err != nil {
		return err
	}
	for {
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if clock.Sleep(ctx, clock.System(), 20*time.Millisecond) != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
}

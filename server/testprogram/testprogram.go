// Package testprogram finds the programs that tests run as processes of their own, ports for them, and when they are ready.
package testprogram

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/clock"
)

// Clave returns the path of the program: the one that CLAVE_BIN names, or one built for this process.
var Clave = built("clave", "CLAVE_BIN")

// BackOffice returns the path of the back office's program: the one that BACKOFFICE_BIN names, or one built for this process.
var BackOffice = built("backoffice", "BACKOFFICE_BIN")

// built returns a function that returns the path in an environment variable, or builds a program into a temporary folder once.
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
		build := exec.Command("go", "build", "-trimpath", "-o", path, "clave/server/cmd/"+name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return path, nil
	})
}

// FreePorts returns TCP ports that were free a moment ago.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		ports[i] = ln.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// ReadyLine reads what Clave prints until the line that says it is ready. It reports false when the output ends before.
func ReadyLine(out io.Reader) (line string, ready bool) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Clave ready in ") {
			return lines.Text(), true
		}
	}
	return "", false
}

// AwaitHealth waits until a program at an address answers that it is well.
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

// Package testprogram finds the programs that tests run as processes of their own.
package testprogram

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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

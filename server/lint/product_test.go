package lint_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// adminMessages are the generated messages of the Firestore Admin API, without a client.
const adminMessages = "cloud.google.com/go/firestore/apiv1/admin/adminpb"

// TestTheProductHoldsNoService checks that neither the back office nor the Admin SDK and the encoder of pictures, which
// services use, are part of the clave program.
func TestTheProductHoldsNoService(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/clave").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 100 {
		t.Fatalf("go list names %d packages: %v", len(packages), packages)
	}
	for _, name := range packages {
		for _, prefix := range []string{
			module + "backoffice", module + "cmd/backoffice", "firebase.google.com/go", "cloud.google.com/go/firestore", "google.golang.org/api",
			"github.com/gen2brain/webp", "github.com/tetratelabs/wazero",
		} {
			if name != adminMessages && strings.HasPrefix(name+"/", strings.TrimSuffix(prefix, "/")+"/") {
				t.Errorf("cmd/clave imports %s: services are programs of their own", name)
			}
		}
	}
}

// TestTheBackOfficeIsBuiltStatic checks the build tag without which the encoder of pictures loads libraries of the
// machine, in every file that builds the back office for users.
func TestTheBackOfficeIsBuiltStatic(t *testing.T) {
	for _, name := range []string{"../Makefile", "../Dockerfile"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		builds := 0
		for line := range strings.Lines(string(data)) {
			if !strings.Contains(line, "go build") || !strings.Contains(line, "./server/cmd/backoffice") {
				continue
			}
			builds++
			if !strings.Contains(line, "CGO_ENABLED=0") || !strings.Contains(line, "-tags nodynamic") {
				t.Errorf("%s builds the back office without CGO_ENABLED=0 or -tags nodynamic: %s", name, line)
			}
		}
		if builds != 1 {
			t.Errorf("%s builds the back office in %d lines, want 1", name, builds)
		}
	}
}

package lint_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTheProductHoldsNoService checks that neither the back office nor the Admin SDK, which services use, is part of
// the clave program.
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
		} {
			if strings.HasPrefix(name+"/", strings.TrimSuffix(prefix, "/")+"/") {
				t.Errorf("cmd/clave imports %s: services are programs of their own", name)
			}
		}
	}
}

package production

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestServePrintsItsAddress expects the address of the production server under the name of what it serves.
func TestServePrintsItsAddress(t *testing.T) {
	for _, tt := range []struct {
		name, hosting, label string
		flags                []string
	}{
		{"with a site", `, "hosting": {"public": "site"}`, "Site", nil},
		{"without a site", "", "Server", nil},
		{"with a site that --only omits", `, "hosting": {"public": "site"}`, "Server", []string{"--only", "firestore,auth"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := harness.ProductionFolder(t)
			harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}`+tt.hosting+`}`)
			url := fmt.Sprintf("http://127.0.0.1:%d", harness.FreePorts(t, 1)[0])
			flags := append([]string{"--project", harness.RealProject, "--public-url", url, "--port", url[strings.LastIndexByte(url, ':')+1:]}, tt.flags...)
			p, output := harness.Printing(t, harness.ServeCommand(t, dir, nil, flags...))
			defer p.End()
			url = strings.Replace(url, "127.0.0.1", "localhost", 1)
			found := ""
			for line := range strings.Lines(output) {
				if strings.Contains(line, url+"/") {
					found, _, _ = strings.Cut(line, " ")
				}
			}
			if found != tt.label {
				t.Errorf("the address is printed as %q, want %q:\n%s", found, tt.label, output)
			}
		})
	}
}

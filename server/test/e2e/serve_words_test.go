package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
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
			dir := productionFolder(t)
			writeFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules"}`+tt.hosting+`}`)
			url := fmt.Sprintf("http://127.0.0.1:%d", freePorts(t, 1)[0])
			flags := append([]string{"--project", realProject, "--public-url", url, "--port", url[strings.LastIndexByte(url, ':')+1:]}, tt.flags...)
			p, output := printing(t, serveCommand(t, dir, nil, flags...))
			defer p.end()
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

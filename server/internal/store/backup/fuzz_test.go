package backup

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzContents parses lists of files. Each accepted name must be in the copy, unique, and none of a restore's own.
func FuzzContents(f *testing.F) {
	sum := strings.Repeat("0", 64)
	for _, name := range []string{"store/000002.log", "keys/ring/a.pem", "../../etc/passwd", "/etc/passwd", "store/../../x", "restoring", `store\..\x`, "store/\x00"} {
		text, err := json.Marshal(contents{Format: 1, Files: []File{{Name: "store/MANIFEST-000001", Size: 1 << 60, SHA256: sum}, {Name: name, Size: 3, SHA256: sum}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"format":2}`))
	f.Add([]byte(strings.Repeat("[", 100)))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseContents(text)
		if err != nil {
			return
		}
		data, named := t.TempDir(), make(map[string]bool)
		for _, e := range c.Files {
			target := filepath.Join(data, filepath.FromSlash(e.Name))
			if !strings.HasPrefix(target, data+string(filepath.Separator)) || named[target] || e.Size < 0 {
				t.Errorf("the list has %q, %d bytes", e.Name, e.Size)
			}
			named[target] = true
			if first, _, _ := strings.Cut(e.Name, "/"); first == restoringName || first == partName || first == contentsName {
				t.Errorf("the list has %q, a name of a restore's own", e.Name)
			}
		}
		if c.size() < 0 {
			t.Errorf("the size of all files is %d", c.size())
		}
	})
}

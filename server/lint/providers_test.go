package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The providers that `clave providers add` names, the tables of messages in their pages, and a message in one.
var (
	namedProvider = regexp.MustCompile(`"([a-z]+)": "[a-z]+\.com"|\b([a-z]+)\.NAME\b`)
	messageTable  = regexp.MustCompile(`(?m)^\| message \|.*\n\|[-|]+\|\n((?:\|.*\n)+)`)
	message       = regexp.MustCompile("`([^`]+)`")
)

// TestProvidersHavePages requires that the overview links a page for each provider, and that the code has the messages
// of the pages. The character … stands for a value.
func TestProvidersHavePages(t *testing.T) {
	overview := readText(t, "doc/providers.md")
	pages := map[string]string{"doc/providers.md": overview}
	for _, found := range namedProvider.FindAllStringSubmatch(readText(t, "internal/auth/service/providerservice/providerservice.go"), -1) {
		name := found[1] + found[2]
		if !strings.Contains(overview, "](providers/"+name+".md)") {
			t.Errorf("doc/providers.md links no page of %s", name)
			continue
		}
		pages["doc/providers/"+name+".md"] = readText(t, "doc/providers/"+name+".md")
	}
	if len(pages) < 9 {
		t.Errorf("only %d pages were read", len(pages))
	}
	var code strings.Builder
	for _, folder := range []string{"cmd/clave", "internal/auth/provider", "internal/auth/service", "internal/auth/service/idp", "internal/auth/service/providerservice"} {
		files, err := fs.Glob(os.DirFS(folder), "*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				code.WriteString(readText(t, filepath.Join(folder, name)))
			}
		}
	}
	for page, text := range pages {
		table := messageTable.FindStringSubmatch(text)
		if table == nil {
			t.Errorf("%s has no table of messages", page)
			continue
		}
		for row := range strings.Lines(table[1]) {
			for _, found := range message.FindAllStringSubmatch(strings.Split(row, " | ")[0], -1) {
				format := strings.ReplaceAll(regexp.QuoteMeta(found[1]), "…", `%[0-9.]*[a-z]`)
				if !regexp.MustCompile(`"` + format + `"`).MatchString(code.String()) {
					t.Errorf("%s: the code has no message %q", page, found[1])
				}
			}
		}
	}
}

// readText returns the text of a file.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

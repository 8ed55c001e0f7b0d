package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDockerfileNamesWhatExists requires that the files that the Dockerfile copies from the repository exist, and that
// folders below /src, in which its stages work and from which others copy, are those of the repository.
func TestDockerfileNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	exists := func(line, name string) {
		checked++
		if _, err := os.Stat(filepath.Join("..", name)); err != nil {
			t.Errorf("Dockerfile: %s: %s does not exist", line, name)
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "WORKDIR" && strings.HasPrefix(words[1], "/src/"):
			exists(line, strings.TrimPrefix(words[1], "/src/"))
		case len(words) > 2 && words[0] == "COPY" && strings.HasPrefix(words[1], "--from="):
			if built, ok := strings.CutPrefix(words[2], "/src/"); ok {
				exists(line, filepath.Dir(filepath.Dir(built))) // the build makes the folder and its parent
			}
		case len(words) > 2 && words[0] == "COPY":
			for _, name := range words[1 : len(words)-1] {
				exists(line, name)
			}
		}
	}
	if checked < 6 {
		t.Errorf("only %d names were checked", checked)
	}
}

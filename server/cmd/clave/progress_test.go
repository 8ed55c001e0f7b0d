package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgressLines prints the state of commands after a time.
func TestProgressLines(t *testing.T) {
	for _, tt := range []struct {
		first, done, all int64
		after            time.Duration
		want             string
	}{
		{0, 0, 100, 0, "0 of 100 documents (0%)"},
		{0, 500, 2000, 5 * time.Second, "500 of 2000 documents (25%), 100 a second, 15s left"},
		{1000, 1500, 2000, 5 * time.Second, "1500 of 2000 documents (75%), 100 a second, 5s left"},
		{0, 2000, 2000, 4 * time.Second, "2000 of 2000 documents (100%), 500 a second"},
		{0, 700, 0, 7 * time.Second, "700 documents, 100 a second"},
	} {
		p := &progressPrinter{unit: "documents", first: tt.first}
		if got := p.line(tt.done, tt.all, tt.after); got != tt.want {
			t.Errorf("the line at %d of %d after %v is %q, want %q", tt.done, tt.all, tt.after, got, tt.want)
		}
	}
}

// TestProgressIsForTerminals prints progress to a file, which has none unless it is requested.
func TestProgressIsForTerminals(t *testing.T) {
	var silent, printed bytes.Buffer
	newProgress(&silent, false, "documents")(1, 2)
	newProgress(&printed, true, "documents")(1, 2)
	if silent.Len() > 0 || !strings.HasPrefix(printed.String(), "1 of 2 documents (50%)") {
		t.Errorf("printed %q without and %q with the flag", &silent, &printed)
	}
}

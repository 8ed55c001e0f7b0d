package mcpserver

import (
	"strings"
	"testing"
)

// TestToolsHaveSchemas builds the servers of all modes. A tool without a valid schema panics.
func TestToolsHaveSchemas(t *testing.T) {
	for _, mode := range []string{"start", "serve"} {
		for _, writes := range []bool{false, true} {
			c := &Client{}
			c.session.Mode, c.session.Write = mode, writes
			if _, err := New(c, Options{Writes: writes}); err != nil {
				t.Errorf("%s, writes %v: %v", mode, writes, err)
			}
		}
	}
	if _, err := New(&Client{}, Options{Writes: true}); err == nil {
		t.Error("a session that may only read has tools that write")
	}
}

// TestPagesAreBounded adds items beyond the maximum size of an answer.
func TestPagesAreBounded(t *testing.T) {
	p := &page{}
	for range 10 {
		if err := p.add(strings.Repeat("x", maxItem-10), "name"); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.add(strings.Repeat("x", maxItem), "large"); err != nil {
		t.Fatal(err)
	}
	if len(p.Items) != 3 || p.Omitted != 8 || p.size > maxAnswer || string(p.Items[2]) != `{"name":"large","tooLarge":24578}` {
		t.Errorf("%d items, %d omitted, %d bytes, want 3, 8 and at most %d; the last is %.60s", len(p.Items), p.Omitted, p.size, maxAnswer, p.Items[len(p.Items)-1])
	}
	if got := cut("añb", 2); got != "a… (cut)" {
		t.Errorf("cut in a character = %q", got)
	}
}

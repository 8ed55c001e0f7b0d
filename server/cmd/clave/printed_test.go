package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"clave/server/internal/app/recovery"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/inventory"
	"clave/server/internal/database/move"
	"clave/server/internal/events"
)

// TestPrintedNamesControlNoTerminal prints names and texts that clients have chosen, with sequences that set a
// terminal's title, clear it, and change the direction of a text.
func TestPrintedNamesControlNoTerminal(t *testing.T) {
	const hostile = "a\x1b]0;title\a\u009b2J\u202eb"
	var events strings.Builder
	if err := printEvents(&events, hostileTriggers(hostile)); err != nil {
		t.Fatal(err)
	}
	var moved strings.Builder
	if err := printCounts(&moved, &move.Report{From: []inventory.Count{{Kind: hostile}}, To: []inventory.Count{{Kind: "b" + hostile}}}); err != nil {
		t.Fatal(err)
	}
	var versions strings.Builder
	printVersions(&versions, []recovery.Version{{Time: time.Unix(0, 0), After: map[string]json.RawMessage{hostile: json.RawMessage(`"` + "\u009b2J" + `"`)}}})
	for what, text := range map[string]string{
		"events status": events.String(), "move": moved.String(), "history": versions.String(), "an error": message(errors.New(hostile)),
		"an error with a code": message(fault.E(fault.DataLoss, "%s\n\tsecond line", hostile)),
	} {
		if strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsPrint(c) }) || !strings.Contains(text, "2J") {
			t.Errorf("%s prints %q", what, text)
		}
	}
	if text := message(fault.E(fault.DataLoss, "first\n\tsecond")); text != "first\n\tsecond" {
		t.Errorf("a message of two lines is %q", text)
	}
}

// hostileTriggers returns the state of a trigger with a text as an error and as the name of a document.
func hostileTriggers(text string) []events.Status {
	return []events.Status{{Name: "t", Error: text, Dead: 1, Letters: []events.Letter{{Document: text, Error: text}}}}
}

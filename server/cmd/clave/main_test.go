package main

import (
	"strings"
	"testing"
)

// TestCommandsOfTheFirebaseCLI gives commands by the names that scripts have them by.
func TestCommandsOfTheFirebaseCLI(t *testing.T) {
	for name, want := range map[string]string{
		"emulators:start": "in its place there is clave start", "emulators:exec": "in its place there is clave exec",
		"emulators:export": "firebase emulators:export", "emulators:stop": "clave help lists them",
	} {
		if code, text := said(t, name); code != 2 || !strings.Contains(text, want) {
			t.Errorf("clave %s: %d %q, want 2 and %q", name, code, text, want)
		}
	}
}

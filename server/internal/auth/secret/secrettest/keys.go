// Package secrettest makes keys for tests.
package secrettest

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"clave/server/internal/auth/secret"
)

// Line returns the line of a key in a file of keys. Each name has another key.
func Line(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Keys returns the keys of the names, the first of which seals.
func Keys(t testing.TB, names ...string) *secret.Keys {
	t.Helper()
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = Line(name)
	}
	k, err := secret.Parse(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

package engine

import (
	"bytes"
	"testing"

	"clave/server/internal/database/index"
)

// FuzzPageToken decodes arbitrary tokens. Each must be refused, or equal the token of its ids.
func FuzzPageToken(f *testing.F) {
	f.Add(pageToken("a"))
	f.Add(pageToken("__id7__"))
	f.Fuzz(func(t *testing.T, token string) {
		b, err := parsePageToken(token)
		if err != nil {
			return
		}
		id, rest, err := index.CutSegment(b)
		if err != nil || len(rest) > 0 {
			t.Errorf("parsePageToken(%q) = %x, which is no segment (%v)", token, b, err)
		}
		if again, err := parsePageToken(pageToken(id)); err != nil || !bytes.Equal(again, index.AppendSegment(nil, id)) {
			t.Errorf("parsePageToken(pageToken(%q)) = %x, %v", id, again, err)
		}
	})
}

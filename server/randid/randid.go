// Package randid makes random ids and secrets from crypto/rand.
package randid

import (
	"crypto/rand"
	"encoding/base64"
)

// Alphanumeric are the characters of ids of accounts and documents.
const Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// New returns n random letters and digits.
func New(n int) string { return From(n, Alphanumeric) }

// From returns n random characters of an alphabet of at most 256 bytes, all equally likely: bytes beyond the last whole multiple of the
// alphabet's length are discarded.
func From(n int, alphabet string) string {
	limit := 256 - 256%len(alphabet)
	id := make([]byte, 0, n)
	buffer := make([]byte, 2*n)
	for len(id) < n {
		rand.Read(buffer)
		for _, b := range buffer {
			if int(b) < limit && len(id) < n {
				id = append(id, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(id)
}

// Secret returns n random bytes in base64url without padding.
func Secret(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Package randid makes random ids, secrets, keys and salts from crypto/rand.
package randid

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// Alphanumeric holds the characters of the ids of accounts and documents.
const Alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// New returns n random letters and digits.
func New(n int) string { return From(n, Alphanumeric) }

// From returns n random characters of an alphabet of at most 256 bytes, all equally likely: bytes beyond the last whole
// multiple of the alphabet's length are discarded.
func From(n int, alphabet string) string {
	limit := 256 - 256%len(alphabet)
	id := make([]byte, 0, n)
	for len(id) < n {
		for _, b := range Bytes(2 * n) {
			if int(b) < limit && len(id) < n {
				id = append(id, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(id)
}

// Bytes returns n random bytes.
func Bytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // It never returns an error: it ends the program instead.
	return b
}

// Secret returns n random bytes in base64url without padding.
func Secret(n int) string { return base64.RawURLEncoding.EncodeToString(Bytes(n)) }

// UUID returns a random UUID (version 4).
func UUID() string {
	b := Bytes(16)
	const version, variant = 0x40, 0x80
	b[6] = b[6]&0x0f | version
	b[8] = b[8]&0x3f | variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Digest returns the hash under which a secret is stored.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

package api_test

import (
	"testing"

	"firebase.google.com/go/v4/auth/hash"

	"clave/server/internal/auth/account/passhash"
)

// firebaseHash hashes a password as a Firebase project with these parameters does.
func firebaseHash(t *testing.T, password, salt string, p hash.Scrypt) []byte {
	t.Helper()
	h, err := passhash.Params{SignerKey: p.Key, Separator: p.SaltSeparator, Rounds: p.Rounds, MemCost: p.MemoryCost}.New(password, []byte(salt))
	if err != nil {
		t.Fatal(err)
	}
	return h.Sum
}

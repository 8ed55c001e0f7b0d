package randid_test

import (
	"encoding/hex"
	"testing"

	"clave/server/internal/base/randid"
)

func TestGuessable(t *testing.T) {
	for _, secret := range []string{
		"", "aaaaaaaaaaaaaaaa", "abababababababab", "abcabcabcabcabca", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz", "9876543210987654",
		"qwertyuiopasdfghjklzxcvbnm", "QwErTyUiOpQwErTy", "1234512345123451", "aabbccddeeffgghh", "áéíóúáéíóúáéíóú!", "fundacionfundacion",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx7", "                    ", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		if !randid.Guessable(secret) {
			t.Errorf("Guessable(%q) = false", secret)
		}
	}
	for _, secret := range []string{"áéíóú ñandúes bajo el guayacán", "correct horse battery staple", "5f1d0c3a9b7e2846", "demo-codigo-fundacion"} {
		if randid.Guessable(secret) {
			t.Errorf("Guessable(%q) = true", secret)
		}
	}
}

// TestRandomSecretsAreNotGuessable checks secrets as operators make them, of 24 random bytes. Their chance to be
// refused is far below one in a million.
func TestRandomSecretsAreNotGuessable(t *testing.T) {
	for range 2000 {
		for _, secret := range []string{randid.Secret(24), hex.EncodeToString(randid.Bytes(24)), string(randid.Bytes(24))} {
			if randid.Guessable(secret) {
				t.Errorf("Guessable(%q) = true", secret)
			}
		}
	}
}

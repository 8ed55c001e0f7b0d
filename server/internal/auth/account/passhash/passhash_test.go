package passhash_test

import (
	"encoding/base64"
	"testing"

	"clave/server/internal/auth/account/passhash"
)

func TestCurrent(t *testing.T) {
	project := passhash.Params{Rounds: 8, MemCost: 14}
	tests := []struct {
		name string
		hash passhash.Hash
		want bool
	}{
		{"as new ones", passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14}, true},
		{"stronger", passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 15}, true},
		{"weaker", passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 4}, false},
		{"fewer rounds", passhash.Hash{Alg: "SCRYPT", Rounds: 4, MemCost: 14}, false},
		{"another project's key", passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14, Key: []byte{1}}, false},
		{"another algorithm", passhash.Hash{Alg: "STANDARD_SCRYPT", Rounds: 8, MemCost: 14}, false},
	}
	for _, tt := range tests {
		if got := tt.hash.Current(project); got != tt.want {
			t.Errorf("%s: Current() = %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestFirebaseScrypt checks the published vectors (github.com/firebase/scrypt, the Admin SDK's tests).
func TestFirebaseScrypt(t *testing.T) {
	decode := func(s string) []byte {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p := passhash.Params{
		SignerKey: decode("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
		Separator: decode("Bw=="), Rounds: 8, MemCost: 14,
	}
	tests := []struct {
		password string
		salt     []byte
		want     string
	}{
		{"user1password", decode("42xEC+ixf3L2lw=="), "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="},
		{"password", []byte("NaCl"), "V358E8LdWJXAO7muq0CufVpEOXaj8aFiC7T/rcaGieN04q/ZPJ08WhJEHGjj9lz/2TT+/86N5VjVoc5DdBhBiw=="},
	}
	for _, tt := range tests {
		h, err := p.New(tt.password, tt.salt)
		if err != nil {
			t.Fatal(err)
		}
		if got := base64.StdEncoding.EncodeToString(h.Sum); got != tt.want {
			t.Errorf("hash of %q = %s, want %s", tt.password, got, tt.want)
		}
		if ok, err := h.Verify(tt.password, p); !ok || err != nil {
			t.Errorf("Verify(%q) = %v, %v", tt.password, ok, err)
		}
		if ok, err := h.Verify(tt.password+"x", p); ok || err != nil {
			t.Errorf("Verify of a wrong password = %v, %v", ok, err)
		}
	}
}

func TestHashParametersAreBounded(t *testing.T) {
	tests := []struct {
		h    passhash.Hash
		want bool
	}{
		{passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14}, true},
		{passhash.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 30}, false},
		{passhash.Hash{Alg: "STANDARD_SCRYPT", CPU: 1 << 14, Block: 8, Parallel: 1}, true},
		{passhash.Hash{Alg: "STANDARD_SCRYPT", CPU: 1 << 30, Block: 8, Parallel: 1}, false},
		{passhash.Hash{Alg: "STANDARD_SCRYPT", CPU: 1000, Block: 8, Parallel: 1}, false},
		{passhash.Hash{Alg: "PBKDF2_SHA256", Rounds: 120000}, true},
		{passhash.Hash{Alg: "PBKDF2_SHA256", Rounds: 1 << 30}, false},
		{passhash.Hash{Alg: "SHA256", Rounds: 8192}, true},
		{passhash.Hash{Alg: "SHA256", Rounds: 8193}, false},
		{passhash.Hash{Alg: "HMAC_SHA999"}, false},
		{passhash.Hash{Alg: "ARGON2", Argon2: &passhash.Argon2{Type: "ARGON2_ID", Iterations: 1, MemoryKiB: 1 << 22, Parallel: 1}}, false},
		{passhash.Hash{Alg: "ROT13"}, false},
	}
	for _, tt := range tests {
		if got := tt.h.Check(); got != tt.want {
			t.Errorf("Check(%+v) = %v, want %v", tt.h, got, tt.want)
		}
	}
}

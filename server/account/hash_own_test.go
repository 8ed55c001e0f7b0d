package account_test

import (
	"testing"

	"clave/server/account"
)

func TestCurrent(t *testing.T) {
	project := account.Project{Rounds: 8, MemCost: 14}
	tests := []struct {
		name string
		hash account.Hash
		want bool
	}{
		{"as new ones", account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14}, true},
		{"stronger", account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 15}, true},
		{"weaker", account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 4}, false},
		{"fewer rounds", account.Hash{Alg: "SCRYPT", Rounds: 4, MemCost: 14}, false},
		{"another project's key", account.Hash{Alg: "SCRYPT", Rounds: 8, MemCost: 14, Key: []byte{1}}, false},
		{"another algorithm", account.Hash{Alg: "STANDARD_SCRYPT", Rounds: 8, MemCost: 14}, false},
	}
	for _, tt := range tests {
		if got := tt.hash.Current(project); got != tt.want {
			t.Errorf("%s: Current() = %t, want %t", tt.name, got, tt.want)
		}
	}
}

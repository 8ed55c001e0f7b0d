package hasher_test

import (
	"log/slog"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	"clave/server/internal/auth/service/hasher"
	"clave/server/internal/store/pebble/pebbletest"
)

// cheap is the memory cost of the tests' hashes.
const cheap = 4

// open returns a hasher on an empty store, and a function that returns another one on the same store.
func open(t *testing.T) (*hasher.Hasher, func() *hasher.Hasher) {
	t.Helper()
	store := pebbletest.Open(t)
	again := func() *hasher.Hasher {
		return hasher.New(hasher.Options{Accounts: account.New(store), MemCost: cheap, Log: slog.New(slog.DiscardHandler)})
	}
	return again(), again
}

func TestCheck(t *testing.T) {
	h, reopened := open(t)
	made, err := h.Hash(t.Context(), "demo", "ann", "secret")
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*hasher.Hasher{"the same hasher": h, "a later one": reopened()} {
		for _, c := range []struct {
			project, password string
			stored            *passhash.Hash
			want              bool
		}{{"demo", "secret", made, true}, {"demo", "Secret", made, false}, {"other", "secret", made, false}, {"demo", "secret", nil, false}} {
			if ok, err := h.Check(t.Context(), c.project, "ann", c.stored, c.password); ok != c.want || err != nil {
				t.Errorf("%s: Check(%s, %s, hash %t) = %t, %v; want %t", name, c.project, c.password, c.stored != nil, ok, err, c.want)
			}
		}
	}
}

func TestPresentStoresNothing(t *testing.T) {
	h, reopened := open(t)
	if _, err := h.Present(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	first, err := h.Params(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	later, err := reopened().Present(t.Context(), "demo")
	if err != nil || string(later.SignerKey) != string(first.SignerKey) {
		t.Errorf("Present returns the key %x, %v; want that which Params stored, %x", later.SignerKey, err, first.SignerKey)
	}
}

func TestAdopt(t *testing.T) {
	imported := &passhash.Hash{Alg: "SCRYPT", Key: []byte("key of another system"), Rounds: 8, MemCost: 5}
	for _, c := range []struct {
		name   string
		hash   passhash.Hash
		before bool
		want   bool
	}{
		{"first import", *imported, false, true},
		{"after a password of its own", *imported, true, false},
		{"cheaper than its own would be", passhash.Hash{Alg: "SCRYPT", Key: imported.Key, Rounds: 8, MemCost: cheap - 1}, false, false},
		{"of another kind", passhash.Hash{Alg: "HMAC_SHA256", Key: imported.Key}, false, false},
	} {
		h, _ := open(t)
		if c.before {
			if _, err := h.Hash(t.Context(), "demo", "ann", "secret"); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Adopt(t.Context(), "demo", &c.hash); err != nil {
			t.Fatal(err)
		}
		params, err := h.Params(t.Context(), "demo")
		if got := string(params.SignerKey) == string(imported.Key); err != nil || got != c.want {
			t.Errorf("%s: adopted %t, %v; want %t", c.name, got, err, c.want)
		}
	}
}

func TestRehash(t *testing.T) {
	h, _ := open(t)
	own, err := h.Hash(t.Context(), "demo", "ann", "secret")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.Rehash(t.Context(), "demo", "ann", own, "secret"); again != nil || err != nil {
		t.Errorf("Rehash of an own hash = %v, %v; want nil", again, err)
	}
	again, err := h.Rehash(t.Context(), "demo", "ann", &passhash.Hash{Alg: "SHA256", Sum: []byte{1}}, "secret")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Check(t.Context(), "demo", "ann", again, "secret"); !ok || err != nil {
		t.Errorf("the new hash of an imported password: %t, %v; want it right", ok, err)
	}
}

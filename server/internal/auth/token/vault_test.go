package token_test

import (
	"bytes"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
)

// keyFile creates the keys of a folder and returns the file of one of them.
func keyFile(t *testing.T, dir string) string {
	t.Helper()
	if _, err := token.OpenKeys(token.KeyOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "securetoken", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the ring has %v, %v; want one file", files, err)
	}
	return files[0]
}

// TestDamagedKeysAreRefused flips each 40th byte of a key file, cuts the file off and gives it another name. A damaged
// certificate must not be published, and a damaged key must not sign.
func TestDamagedKeysAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := keyFile(t, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		if _, err := token.OpenKeys(token.KeyOptions{Dir: dir}); !fault.Is(err, fault.DataLoss) {
			t.Errorf("OpenKeys with %s = %v, want DATA_LOSS", what, err)
		}
	}
	for at := 0; at < len(whole); at += 40 {
		if whole[at] == '\n' {
			continue // PEM ignores white space.
		}
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		refused("a flipped bit in " + string(whole[at:min(at+10, len(whole))]))
	}
	for _, damage := range []struct {
		name      string
		tag, with byte
	}{{"the parameters of the algorithm", 0x05, 0x06}, {"the coefficient of the primes", 0x02, 0xf2}} {
		block, rest := pem.Decode(whole)
		at := bytes.IndexByte(block.Bytes, damage.tag)
		if damage.tag == 0x02 {
			at = bytes.LastIndex(block.Bytes, []byte{damage.tag, 0x81}) // a long number
		}
		if at < 0 {
			t.Fatalf("the key has no field for %s", damage.name)
		}
		block.Bytes[at] = damage.with
		if err := os.WriteFile(file, append(pem.EncodeToMemory(block), rest...), 0o600); err != nil {
			t.Fatal(err)
		}
		refused("damage in " + damage.name)
	}
	for _, size := range []int{0, len(whole) / 2, len(whole) - 40} {
		if err := os.WriteFile(file, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		refused("a key that is cut off")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "other.pem"), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a key of another name")
}

package storevault_test

import (
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/auth/token/storevault"
)

// TestCopy copies keys to vaults that have those of all rings but one.
func TestCopy(t *testing.T) {
	for _, missing := range token.Rings() {
		from, to := token.Folder(t.TempDir()), token.Folder(t.TempDir())
		for _, ring := range token.Rings() {
			for vault, text := range map[token.Vault]string{from: "copied", to: "kept"} {
				if _, err := vault.Load(ring); err != nil { // it makes the ring's folder
					t.Fatal(err)
				}
				if vault == to && ring == missing {
					continue
				}
				if err := vault.Save(ring, "id", []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := storevault.Copy(from, to); err != nil {
			t.Fatal(err)
		}
		for _, ring := range token.Rings() {
			want := "kept"
			if ring == missing {
				want = "copied"
			}
			keys, err := to.Load(ring)
			if err != nil || string(keys["id"]) != want {
				t.Errorf("without %s, the key of ring %s is %q, %v; want %q", missing, ring, keys["id"], err, want)
			}
		}
	}
}

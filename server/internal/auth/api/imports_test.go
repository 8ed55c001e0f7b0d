package api_test

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	stdhash "hash"
	"syscall"
	"testing"
	"time"

	"firebase.google.com/go/v4/auth"
	"firebase.google.com/go/v4/auth/hash"
	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"
)

// importedHash is the hash of the password "secret1" made by another system.
type importedHash struct {
	name      string
	config    auth.UserImportHash
	sum, salt []byte
}

// imports returns hashes of every kind that the Admin SDK supports.
func imports(t *testing.T) []importedHash {
	t.Helper()
	const password, salt, key = "secret1", "NaCl", "pepper"
	want := func(sum []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	digest := func(h func() stdhash.Hash, text string, rounds int) []byte {
		sum := []byte(text)
		for range rounds {
			d := h()
			d.Write(sum)
			sum = d.Sum(nil)
		}
		return sum
	}
	mac := func(h func() stdhash.Hash) []byte {
		m := hmac.New(h, []byte(key))
		m.Write([]byte(password + salt))
		return m.Sum(nil)
	}
	signer := want(base64.StdEncoding.DecodeString("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="))
	const after = hash.InputOrderPasswordFirst
	list := []importedHash{
		{"bcrypt", hash.Bcrypt{}, want(bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)), nil},
		{"standard scrypt", hash.StandardScrypt{BlockSize: 8, DerivedKeyLength: 32, MemoryCost: 1024, Parallelization: 1}, want(scrypt.Key([]byte(password), []byte(salt), 1024, 8, 1, 32)), []byte(salt)},
		{"PBKDF2_SHA256", hash.PBKDF2SHA256{Rounds: 1000}, want(pbkdf2.Key(sha256.New, password, []byte(salt), 1000, 32)), []byte(salt)},
		{"PBKDF_SHA1", hash.PBKDFSHA1{Rounds: 1000}, want(pbkdf2.Key(sha1.New, password, []byte(salt), 1000, 20)), []byte(salt)},
		{"HMAC_SHA512", hash.HMACSHA512{Key: []byte(key), InputOrder: after}, mac(sha512.New), []byte(salt)},
		{"HMAC_SHA256", hash.HMACSHA256{Key: []byte(key), InputOrder: after}, mac(sha256.New), []byte(salt)},
		{"HMAC_SHA1", hash.HMACSHA1{Key: []byte(key), InputOrder: after}, mac(sha1.New), []byte(salt)},
		{"HMAC_MD5", hash.HMACMD5{Key: []byte(key), InputOrder: after}, mac(md5.New), []byte(salt)},
		{"SHA512", hash.SHA512{Rounds: 3}, digest(sha512.New, salt+password, 3), []byte(salt)},
		{"SHA256", hash.SHA256{Rounds: 1}, digest(sha256.New, salt+password, 1), []byte(salt)},
		{"SHA1", hash.SHA1{Rounds: 1}, digest(sha1.New, salt+password, 1), []byte(salt)},
		{"MD5", hash.MD5{Rounds: 2}, digest(md5.New, salt+password, 2), []byte(salt)},
	}
	firebase := hash.Scrypt{Key: signer, SaltSeparator: []byte{7}, Rounds: 8, MemoryCost: 5}
	return append(list, importedHash{"Firebase's scrypt", firebase, firebaseHash(t, password, salt, firebase), []byte(salt)})
}

// exported returns the password's hash of an exported user and its version.
func (w *fixture) exported(uid string) (sum, version any) {
	w.t.Helper()
	for _, u := range w.must(w.admin("GET", "v1/projects/"+project+"/accounts:batchGet?maxResults=-1", nil))["users"].([]any) {
		if u := u.(object); u["localId"] == uid {
			return u["passwordHash"], u["version"]
		}
	}
	w.t.Fatalf("%s is not exported", uid)
	return nil, nil
}

// TestAnImportSetsTheFirstKey imports Firebase's scrypt with another project's signer key, into a project without
// passwords and into others. The first continues with that key.
func TestAnImportSetsTheFirstKey(t *testing.T) {
	signer, err := base64.StdEncoding.DecodeString("jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name          string
		before        func(*fixture)
		cost          int
		first, signed float64
	}{
		{"a project without passwords", func(*fixture) {}, 5, 0, 0},
		{"after a sign-in of an unknown user", func(w *fixture) {
			w.refusal("signInWithPassword", object{"email": "no@example.com", "password": "secret1"})
		}, 5, 0, 0},
		{"a project with a password", func(w *fixture) { w.signUp("old@example.com", "secret1") }, 5, 1, 0},
		{"a key for cheaper hashes", func(*fixture) {}, 3, 1, 0},
	} {
		w := newFixture(t, setup{})
		tt.before(w)
		h := hash.Scrypt{Key: signer, SaltSeparator: []byte{7}, Rounds: 8, MemoryCost: tt.cost}
		w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{
			"hashAlgorithm": "SCRYPT", "signerKey": base64.StdEncoding.EncodeToString(signer), "saltSeparator": "Bw==", "rounds": 8, "memoryCost": tt.cost,
			"users": []object{{
				"localId": "in", "email": "in@example.com", "passwordHash": base64.StdEncoding.EncodeToString(firebaseHash(t, "secret1", "NaCl", h)),
				"salt": base64.StdEncoding.EncodeToString([]byte("NaCl")),
			}},
		}))
		before, version := w.exported("in")
		if version != tt.first {
			t.Errorf("%s: version %v after the import, want %v", tt.name, version, tt.first)
		}
		w.must(w.client("signInWithPassword", object{"email": "in@example.com", "password": "secret1", "returnSecureToken": true}))
		after, version := w.exported("in")
		if version != tt.signed || (before == after) != (tt.first == 0) {
			t.Errorf("%s: version %v after a sign-in, want %v; the hash was %v and is %v", tt.name, version, tt.signed, before, after)
		}
		made := w.signUp("new@example.com", "secret1")
		if _, version := w.exported(str(made, "localId")); version != 0.0 {
			t.Errorf("%s: version %v of a new password, want 0", tt.name, version)
		}
		w.must(w.client("signInWithPassword", object{"email": "new@example.com", "password": "secret1"}))
		if w.refusal("signInWithPassword", object{"email": "new@example.com", "password": "secret2"}) == "" {
			t.Errorf("%s: a wrong password is good", tt.name)
		}
	}
}

func TestImportArgon2(t *testing.T) {
	w := newFixture(t, setup{})
	sum := argon2.IDKey([]byte("secret1"), []byte("NaClNaCl"), 1, 64, 1, 32)
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{
		"hashAlgorithm":    "ARGON2",
		"argon2Parameters": object{"hashType": "ARGON2_ID", "iterations": 1, "memoryCostKib": 64, "parallelism": 1, "hashLengthBytes": 32},
		"users": []object{{
			"localId": "a", "email": "a@example.com", "passwordHash": base64.StdEncoding.EncodeToString(sum), "salt": base64.StdEncoding.EncodeToString([]byte("NaClNaCl")),
		}},
	}))
	w.must(w.client("signInWithPassword", object{"email": "a@example.com", "password": "secret1"}))
}

// TestImportedPasswordsCostAsMuchAsOthers signs in with wrong passwords. The response for an account with a cheap
// imported hash must cost as much as that for an address without an account.
func TestImportedPasswordsCostAsMuchAsOthers(t *testing.T) {
	w := newFixture(t, setup{hashCost: 12})
	w.must(w.admin("POST", "v1/projects/"+project+"/accounts:batchCreate", object{
		"hashAlgorithm": "MD5", "rounds": 1, "users": []any{object{"localId": "old", "email": "old@example.com", "passwordHash": base64.StdEncoding.EncodeToString([]byte("0123456789abcdef"))}},
	}))
	// The processor time of the whole process hardly depends on other programs of the machine.
	cost := func(email string) time.Duration {
		start := processorTime(t)
		if got := w.refusal("signInWithPassword", object{"email": email, "password": "wrong1"}); got != "INVALID_LOGIN_CREDENTIALS" {
			t.Fatalf("%s: %q", email, got)
		}
		return processorTime(t) - start
	}
	cost("nobody@example.com") // warms up
	var nobody, old time.Duration
	for range 8 {
		nobody += cost("nobody@example.com")
		old += cost("old@example.com")
	}
	if old < nobody/4 {
		t.Errorf("eight wrong passwords of an imported account take %v of the processor, of an unknown one %v", old, nobody)
	}
}

// processorTime returns the processor time of the test process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}

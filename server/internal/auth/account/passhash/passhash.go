// Package passhash computes and checks hashes of passwords: Firebase's own kind, and all kinds that the Admin SDK can
// import.
package passhash

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"hash"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"
)

// Hash is a password's hash with all parameters for checking it, except the project's own signer key.
type Hash struct {
	// Alg is the algorithm's name in the Identity Toolkit API. "SCRYPT" is Firebase's own.
	Alg  string `json:"alg"`
	Sum  []byte `json:"sum"`
	Salt []byte `json:"salt,omitempty"`
	// Key is the signer key of an imported hash. Hashes of Firebase's own kind without it use the project's key.
	Key       []byte `json:"key,omitempty"`
	Separator []byte `json:"separator,omitempty"`
	// PasswordFirst hashes password and then salt; otherwise the salt comes first.
	PasswordFirst bool `json:"passwordFirst,omitempty"`
	Rounds        int  `json:"rounds,omitempty"`
	MemCost       int  `json:"memCost,omitempty"`
	CPU           int  `json:"cpu,omitempty"`
	Block         int  `json:"block,omitempty"`
	Parallel      int  `json:"parallel,omitempty"`
	Length        int  `json:"length,omitempty"`
	// Argon2 holds the parameters of ARGON2.
	Argon2 *Argon2 `json:"argon2,omitempty"`
}

// Argon2 holds the parameters of an argon2 hash.
type Argon2 struct {
	Type       string `json:"type"`
	Iterations int    `json:"iterations"`
	MemoryKiB  int    `json:"memoryKib"`
	Parallel   int    `json:"parallel"`
	Length     int    `json:"length"`
	Associated []byte `json:"associated,omitempty"`
}

// Params holds the parameters of Firebase's scrypt for new passwords of a project.
type Params struct {
	SignerKey []byte `json:"signerKey"`
	Separator []byte `json:"separator"`
	Rounds    int    `json:"rounds"`
	MemCost   int    `json:"memCost"`
	// Adopted is set if the parameters come from another system, with the project's first imported passwords.
	Adopted bool `json:"adopted,omitempty"`
}

// New hashes a password as the project does.
func (p Params) New(password string, salt []byte) (*Hash, error) {
	h := &Hash{Alg: "SCRYPT", Salt: salt, Separator: p.Separator, Rounds: p.Rounds, MemCost: p.MemCost}
	var err error
	h.Sum, err = h.firebase(password, p.SignerKey)
	return h, err
}

// Current reports whether the hash has the parameters of the project's new hashes, or stronger ones.
func (h *Hash) Current(p Params) bool {
	return h.Alg == "SCRYPT" && len(h.Key) == 0 && h.Rounds >= p.Rounds && h.MemCost >= p.MemCost
}

// Verify reports whether the password is the one that was hashed. It returns an error for a hash that can't be
// computed.
func (h *Hash) Verify(password string, p Params) (bool, error) {
	if h.Alg == "BCRYPT" {
		return bcrypt.CompareHashAndPassword(h.Sum, []byte(password)) == nil, nil
	}
	sum, err := h.compute(password, p)
	if err != nil || len(sum) == 0 || len(h.Sum) == 0 {
		return false, err
	}
	return subtle.ConstantTimeCompare(sum, h.Sum) == 1, nil
}

// digests maps the second half of an algorithm's name to a plain digest.
var digests = map[string]func() hash.Hash{"MD5": md5.New, "SHA1": sha1.New, "SHA256": sha256.New, "SHA512": sha512.New}

// Algorithms that are not digests.
const (
	algFirebase = "SCRYPT"
	algScrypt   = "STANDARD_SCRYPT"
	algArgon2   = "ARGON2"
	algBcrypt   = "BCRYPT"
	algPBKDF1   = "PBKDF_SHA1"
	algPBKDF2   = "PBKDF2_SHA256"
)

// compute hashes the password with the parameters of h.
func (h *Hash) compute(password string, p Params) ([]byte, error) {
	switch h.Alg {
	case algFirebase:
		key := h.Key
		if len(key) == 0 {
			key = p.SignerKey
		}
		return h.firebase(password, key)
	case algScrypt:
		return scrypt.Key([]byte(password), h.Salt, h.CPU, h.Block, h.Parallel, orLen(h.Length, h.Sum))
	case algPBKDF1:
		return pbkdf2.Key(sha1.New, password, h.Salt, max(h.Rounds, 1), len(h.Sum))
	case algPBKDF2:
		return pbkdf2.Key(sha256.New, password, h.Salt, max(h.Rounds, 1), len(h.Sum))
	case algArgon2:
		return h.argon2(password)
	}
	text := []byte(h.mixed(password))
	if name, ok := strings.CutPrefix(h.Alg, "HMAC_"); ok && digests[name] != nil {
		mac := hmac.New(digests[name], h.Key)
		mac.Write(text)
		return mac.Sum(nil), nil
	}
	if digests[h.Alg] == nil {
		return nil, fmt.Errorf("unknown hash algorithm %q", h.Alg)
	}
	return h.repeat(text), nil
}

// mixed joins password and salt in the configured order.
func (h *Hash) mixed(password string) string {
	if h.PasswordFirst {
		return password + string(h.Salt)
	}
	return string(h.Salt) + password
}

// repeat digests text, and the digest again, Rounds times in all and once at least.
func (h *Hash) repeat(text []byte) []byte {
	sum := text
	for range max(h.Rounds, 1) {
		d := digests[h.Alg]()
		d.Write(sum)
		sum = d.Sum(nil)
	}
	return sum
}

// orLen returns n, or the length of sum when n is zero.
func orLen(n int, sum []byte) int {
	if n > 0 {
		return n
	}
	return len(sum)
}

// argon2 computes an argon2id or argon2i hash. Go has no argon2d and no associated data.
func (h *Hash) argon2(password string) ([]byte, error) {
	a := h.Argon2
	if a == nil || len(a.Associated) > 0 {
		return nil, fmt.Errorf("argon2 parameters are not supported")
	}
	length := uint32(orLen(a.Length, h.Sum))
	switch a.Type {
	case "ARGON2_ID":
		return argon2.IDKey([]byte(password), h.Salt, uint32(a.Iterations), uint32(a.MemoryKiB), uint8(a.Parallel), length), nil
	case "ARGON2_I":
		return argon2.Key([]byte(password), h.Salt, uint32(a.Iterations), uint32(a.MemoryKiB), uint8(a.Parallel), length), nil
	}
	return nil, fmt.Errorf("argon2 type %q is not supported", a.Type)
}

// firebase computes Firebase's scrypt: an AES key by scrypt, with which the signer key is encrypted
// (github.com/firebase/scrypt).
func (h *Hash) firebase(password string, signer []byte) ([]byte, error) {
	const keyLength = 64
	salt := append(bytes.Clone(h.Salt), h.Separator...)
	derived, err := scrypt.Key([]byte(password), salt, 1<<h.MemCost, h.Rounds, 1, keyLength)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived[:32])
	if err != nil {
		return nil, err
	}
	sum := make([]byte, len(signer))
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(sum, signer)
	return sum, nil
}

// Check reports whether the parameters are in the ranges that the API documents, so that no import can make sign-ins
// exhaust the server.
func (h *Hash) Check() bool {
	const most = 120000
	switch h.Alg {
	case algFirebase:
		return h.Rounds >= 1 && h.Rounds <= 8 && h.MemCost >= 1 && h.MemCost <= 14
	case algScrypt:
		n := h.CPU
		return n > 1 && n&(n-1) == 0 && n <= 1<<16 && h.Block >= 1 && h.Block <= 32 && h.Parallel >= 1 && h.Parallel <= 16 && h.Length >= 0 && h.Length <= 1024
	case algArgon2:
		a := h.Argon2
		return a != nil && a.Iterations >= 1 && a.Iterations <= 16 && a.MemoryKiB >= 1 && a.MemoryKiB <= 32<<10 && a.Parallel >= 1 && a.Parallel <= 16 && a.Length >= 0 && a.Length <= 1024
	case algBcrypt:
		cost, err := bcrypt.Cost(h.Sum)
		return len(h.Sum) == 0 || err == nil && cost <= 15
	case algPBKDF1, algPBKDF2:
		return h.Rounds >= 0 && h.Rounds <= most && len(h.Sum) <= 1024
	}
	name := strings.TrimPrefix(h.Alg, "HMAC_")
	return digests[name] != nil && h.Rounds >= 0 && h.Rounds <= 8192
}

// Package secret seals secrets, such as those of identity providers, before they are stored.
//
// The keys are in a file outside the data. A line of it is a key: 32 random bytes in base64. Empty lines and those that
// begin with # are ignored. The first key seals; all keys open, so a key is replaced by adding one before it.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/folder"
)

// The limits of a file of keys.
const (
	maxFile = 64 << 10 // bytes
	maxKeys = 100
	keySize = 32 // bytes
)

// version begins a sealed secret. It names the algorithm: AES-256-GCM with a random nonce before the ciphertext.
const version = "v1"

// ErrUnknownKey is the error for a secret that was sealed with none of the keys.
var ErrUnknownKey = errors.New("it was sealed with another key")

// key is one key.
type key struct {
	// id names the key in sealed secrets. It shows nothing of the key.
	id   string
	aead cipher.AEAD
}

// Keys seal and open secrets. They are safe for concurrent use. Nil has no key.
type Keys struct {
	file string
	keys []key
}

// Load reads the keys of a file. It refuses a file that everybody may read, or that is in one of the folders: their
// copies would contain the keys beside what they seal. Empty folders are ignored, and those that do not exist yet.
func Load(file string, folders ...string) (*Keys, error) {
	wrong := func(format string, args ...any) (*Keys, error) {
		return nil, fault.E(fault.FailedPrecondition, "the key file %s %s", file, fmt.Sprintf(format, args...))
	}
	for _, of := range folders {
		if of == "" {
			continue
		}
		inside, err := folder.Contains(of, file)
		if err != nil {
			return wrong("cannot be read: %v", reason(err))
		}
		if inside {
			return wrong("is in the folder %s. Move it elsewhere: copies of the folder must not contain the keys", of)
		}
	}
	info, err := os.Stat(file) // before it is opened: opening a pipe may never end
	switch {
	case err != nil:
		return wrong("cannot be read: %v", reason(err))
	case !info.Mode().IsRegular():
		return wrong("is not a regular file")
	case info.Mode().Perm()&0o027 != 0:
		return wrong("has the mode %v, which lets others read or change it. Set it to 0600, or to 0640 for a group", info.Mode().Perm())
	}
	f, err := os.Open(file)
	if err != nil {
		return wrong("cannot be read: %v", reason(err))
	}
	defer func() { _ = f.Close() }() // It was only read.
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return wrong("cannot be read: %v", reason(err))
	}
	if len(text) > maxFile {
		return wrong("has more than %d bytes", maxFile)
	}
	keys, err := Parse(string(text))
	if err != nil {
		return wrong("%v", err)
	}
	keys.file = file
	return keys, nil
}

// reason returns what went wrong with a file, without its path.
func reason(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// Parse reads the text of a file of keys. Its errors contain nothing of the text.
func Parse(text string) (*Keys, error) {
	k := &Keys{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(raw) != keySize {
			return nil, fmt.Errorf("has no key in line %d: a key is 32 random bytes in base64, as openssl rand -base64 32 prints them", i+1)
		}
		if slices.Equal(raw, slices.Repeat(raw[:1], keySize)) {
			return nil, fmt.Errorf("has a key in line %d that is not random", i+1)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		k.keys = append(k.keys, key{id: id(raw), aead: aead})
	}
	switch {
	case len(k.keys) == 0:
		return nil, errors.New("has no key; openssl rand -base64 32 prints one")
	case len(k.keys) > maxKeys:
		return nil, fmt.Errorf("has more than %d keys", maxKeys)
	}
	return k, nil
}

// id returns the id of a key: the first half of a hash of it, which is of no use for guessing 32 random bytes.
func id(raw []byte) string {
	sum := sha256.Sum256(append([]byte("clave key id\x00"), raw...))
	return hex.EncodeToString(sum[:8])
}

// Names describes the keys for errors: their file and their ids.
func (k *Keys) Names() string {
	if k == nil {
		return "there is no --secret-key-file"
	}
	ids := make([]string, len(k.keys))
	for i, one := range k.keys {
		ids[i] = one.id
	}
	return k.file + " has " + strings.Join(ids, ", ")
}

// Seal seals a secret. It opens only with the same place, which names where the secret is stored: so a sealed secret
// that is copied elsewhere is of no use there.
func (k *Keys) Seal(plain, place string) string {
	first := k.keys[0]
	return version + "." + first.id + "." + base64.RawURLEncoding.EncodeToString(first.aead.Seal(nil, nil, []byte(plain), []byte(place)))
}

// Open opens a sealed secret. It returns ErrUnknownKey if there is no such key, and another error if the secret was
// changed or was sealed for another place.
func (k *Keys) Open(sealed, place string) (string, error) {
	of, id, text := split(sealed)
	if of != version {
		return "", errors.New("it is not sealed in a known way")
	}
	if k == nil {
		return "", ErrUnknownKey
	}
	at := slices.IndexFunc(k.keys, func(one key) bool { return one.id == id })
	if at < 0 {
		return "", ErrUnknownKey
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", errors.New("it is damaged")
	}
	plain, err := k.keys[at].aead.Open(nil, nil, raw, []byte(place))
	if err != nil {
		return "", errors.New("it is damaged or was sealed for another place")
	}
	return string(plain), nil
}

// Fresh reports whether a secret is sealed with the key that seals.
func (k *Keys) Fresh(sealed string) bool {
	_, id, _ := split(sealed)
	return id == k.keys[0].id
}

// KeyID returns the id of the key with which a secret is sealed.
func KeyID(sealed string) string {
	_, id, _ := split(sealed)
	return id
}

// split splits a sealed secret. Missing parts are empty.
func split(sealed string) (of, id, text string) {
	of, rest, _ := strings.Cut(sealed, ".")
	id, text, _ = strings.Cut(rest, ".")
	return of, id, text
}

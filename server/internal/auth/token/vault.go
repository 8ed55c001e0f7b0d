package token

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/base/atomicfile"
)

// Vault stores the private keys of rings, each as PEM with its certificate.
type Vault interface {
	// Load returns the keys of a ring by their ids.
	Load(ring string) (map[string][]byte, error)
	// Save stores a key atomically.
	Save(ring, id string, text []byte) error
	// Remove removes a key.
	Remove(ring, id string) error
}

// Rings returns the names of all rings.
func Rings() []string {
	names := make([]string, 0, len(subjects))
	for ring := range subjects {
		names = append(names, string(ring))
	}
	return names
}

// folder is a Vault of files, in a folder for each ring.
type folder string

// Folder returns a Vault of files that only their owner can read, in a folder for each ring.
func Folder(dir string) Vault { return folder(dir) }

// InData returns the Vault of files of a data folder.
func InData(dir string) Vault { return Folder(filepath.Join(dir, "keys")) }

// Load implements Vault. Keys that others can read are refused.
func (f folder) Load(ring string) (map[string][]byte, error) {
	dir := filepath.Join(string(f), ring)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pem"))
	if err != nil {
		return nil, err
	}
	texts := make(map[string][]byte, len(files))
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", file, err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			return nil, fmt.Errorf("key %s: mode %v lets others read it; set it to 0600", file, info.Mode().Perm())
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", file, err)
		}
		texts[strings.TrimSuffix(filepath.Base(file), ".pem")] = text
	}
	return texts, nil
}

// Save implements Vault.
func (f folder) Save(ring, id string, text []byte) error {
	file := filepath.Join(string(f), ring, id+".pem")
	return atomicfile.Write(file, text, 0o600)
}

// Remove implements Vault.
func (f folder) Remove(ring, id string) error {
	return os.Remove(filepath.Join(string(f), ring, id+".pem"))
}

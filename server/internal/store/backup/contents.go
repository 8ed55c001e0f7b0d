package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
)

// contentsName is the file of a copy that lists its other files. It is written last.
const contentsName = "backup.json"

// contentsFormat is the number of the format of the list.
const contentsFormat = 1

// maxContents is the maximum size of the list in bytes: that of some 500,000 files.
const maxContents = 64 << 20

// contents lists the files of a copy.
type contents struct {
	Format int    `json:"format"`
	Files  []File `json:"files"`
}

// File is a file of a copy.
type File struct {
	// Name is the path in the copy, with slashes.
	Name string `json:"name"`
	// Size is the number of bytes.
	Size int64 `json:"size"`
	// SHA256 is the checksum in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Object is the name of the object that has the content, in a series of backups.
	Object string `json:"object,omitempty"`
}

// list writes the list of the files of a copy.
func list(ctx context.Context, dir string) error {
	c := contents{Format: contentsFormat}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		e := File{Name: filepath.ToSlash(name)}
		if e.Size, e.SHA256, err = checksum(ctx, file); err != nil {
			return err
		}
		c.Files = append(c.Files, e)
		return nil
	})
	if err != nil {
		return err
	}
	return c.write(dir)
}

// write writes the list to the file of a copy.
func (c *contents) write(dir string) error {
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, contentsName), text, fileMode)
}

// checksum returns the size and the checksum of a file.
func checksum(ctx context.Context, file string) (size int64, sum string, err error) {
	return checksumOf(file, func(r io.Reader) io.Reader { return &cancellable{ctx, r} })
}

// text returns a checksum in hexadecimal digits.
func text(digest hash.Hash) string { return hex.EncodeToString(digest.Sum(nil)) }

// readContents returns the list of a copy.
func readContents(root *os.Root, dir string) (*contents, error) {
	info, err := root.Lstat(contentsName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, fault.NotFound,
			"%s is not a complete backup: the file %s, which lists its files, is missing", dir, contentsName)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxContents:
		return nil, fault.E(fault.DataLoss, "%s can't be restored: %s is not a list of files", dir, contentsName)
	}
	content, err := root.ReadFile(contentsName)
	if err != nil {
		return nil, err
	}
	c, err := parseContents(content)
	if err != nil {
		return nil, fault.Wrap(err, fault.CodeOf(err), "%s can't be restored: %s", dir, reason(err))
	}
	return c, nil
}

// parseContents parses and checks a list.
func parseContents(content []byte) (*contents, error) {
	c := &contents{}
	if err := json.Unmarshal(content, c); err != nil {
		return nil, fault.Wrap(err, fault.DataLoss, "%s is damaged: %v", contentsName, err)
	}
	if c.Format > contentsFormat {
		return nil, fault.E(fault.FailedPrecondition, "it was made by a newer version of clave; use that version")
	}
	if c.Format < 1 {
		return nil, fault.E(fault.DataLoss, "%s is damaged: it has no format", contentsName)
	}
	return c, CheckFiles(c.Files)
}

// CheckFiles returns DataLoss for a list of files that can't be that of a copy. The names must be paths in the copy,
// each in the list once, and one must be of the store.
func CheckFiles(files []File) error {
	known := make(map[string]bool, len(files))
	stored := false
	for _, e := range files {
		first, _, nested := strings.Cut(e.Name, "/")
		reserved := []string{contentsName, restoringName, partName}
		if !filepath.IsLocal(filepath.FromSlash(e.Name)) || path.Clean(e.Name) != e.Name || slices.Contains(reserved, first) ||
			known[e.Name] || e.Name == storeName || e.Size < 0 || len(e.SHA256) != 2*sha256.Size {
			return fault.E(fault.DataLoss, "the list of files is damaged: it has %q", e.Name)
		}
		known[e.Name] = true
		stored = stored || nested && first == storeName
	}
	if !stored {
		return fault.E(fault.DataLoss, "the list of files is damaged: it has no data")
	}
	return nil
}

// size returns the number of bytes of all files.
func (c *contents) size() int64 { return SizeOf(c.Files) }

// SizeOf returns the number of bytes of files.
func SizeOf(files []File) int64 {
	sum := int64(0)
	for _, e := range files {
		if sum += e.Size; sum < 0 {
			return math.MaxInt64
		}
	}
	return sum
}

// check compares the types and sizes of a copy's files with the list.
func (c *contents) check(root *os.Root) error {
	for _, e := range c.Files {
		switch info, err := root.Lstat(e.Name); {
		case errors.Is(err, fs.ErrNotExist):
			return fault.Wrap(err, fault.DataLoss, "the file %s is missing", e.Name)
		case err != nil:
			return fault.Wrap(err, fault.DataLoss, "the file %s can't be read: %v", e.Name, err)
		case !info.Mode().IsRegular():
			return fault.E(fault.DataLoss, "%s is not a regular file", e.Name)
		case info.Size() != e.Size:
			return fault.E(fault.DataLoss, "the file %s is damaged: it has %d bytes instead of %d", e.Name, info.Size(), e.Size)
		}
	}
	return nil
}

// copyTo copies the files, those of the store to the folder store and the others to the folder data, and compares them
// with the list.
func (c *contents) copyTo(ctx context.Context, root *os.Root, data, store string) error {
	return Place(c.Files, data, store, func(e File, target string) error { return e.copyTo(ctx, root, target) })
}

// Place creates the folders of files, those of the store in the folder store and the others in the folder data, and
// calls write, which creates a file durably, for each of them.
func Place(files []File, data, store string, write func(f File, path string) error) error {
	folders := map[string]bool{data: true}
	for _, e := range files {
		target := filepath.Join(data, filepath.FromSlash(e.Name))
		if name, ok := strings.CutPrefix(e.Name, storeName+"/"); ok {
			target = filepath.Join(store, filepath.FromSlash(name))
		}
		if err := os.MkdirAll(filepath.Dir(target), folderMode); err != nil {
			return err
		}
		folders[filepath.Dir(target)] = true
		if err := write(e, target); err != nil {
			return err
		}
	}
	for folder := range folders {
		if err := atomicfile.SyncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// copyTo copies a file and compares it with the list.
func (e File) copyTo(ctx context.Context, root *os.Root, target string) error {
	source, err := root.Open(e.Name)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // a read
	digest := sha256.New()
	if err := WriteFile(io.TeeReader(&cancellable{ctx, io.LimitReader(source, e.Size)}, digest), target); err != nil {
		return err
	}
	if text(digest) != e.SHA256 {
		return fault.E(fault.DataLoss, "the file %s is damaged: its checksum is wrong", e.Name)
	}
	return nil
}

// cancellable is a reader that returns an error once a context has ended.
type cancellable struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r *cancellable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

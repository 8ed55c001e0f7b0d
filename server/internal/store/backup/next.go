package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// A copy that follows another one of the same store has most of its tables, which are never changed. They are found by
// their checksums, and linked. All other files are copied: Pebble reuses the names of some, and even their space. Each
// copy lists all of its files, so it can be restored, verified and removed without the others.

// Next are the options of MakeNext.
type Next struct {
	// Base is an earlier copy on the same file system, or empty.
	Base string
	// Rate is the maximum number of bytes that are read in a second; zero for no limit.
	Rate int64
	// Clock paces the reading.
	Clock clock.Clock
}

// Made describes a copy that MakeNext has made.
type Made struct {
	// Bytes is the size of all files, and Copied the size of those that were not linked.
	Bytes, Copied int64
}

// tableSuffix is the end of the names of tables, the only files that copies share.
const tableSuffix = ".sst"

// MakeNext copies the data folder, whose store is s, to dir, as Make does. It links what an earlier copy contains too,
// and compares all files with the data after it has written them. While it runs, the data folder has a folder with
// links to its tables.
func MakeNext(ctx context.Context, s Source, data, dir string, o Next) (made Made, err error) {
	err = create(data, dir, func(part string) (err error) {
		forget, err := Note(data, data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, forget()) }()
		frozen, done, err := Scratch(data, "backup"+copyInfix)
		if err != nil {
			return fault.Wrap(err, fault.FailedPrecondition, "cannot write to the data folder %s: %v", data, err)
		}
		defer func() { err = errors.Join(err, done()) }()
		if err := gather(ctx, s, data, frozen); err != nil {
			return err
		}
		c := &copying{ctx: ctx, from: frozen, to: part, base: o.Base, known: tablesOf(o.Base), pace: &pace{rate: o.Rate, clock: o.Clock}}
		if err := c.all(); err != nil {
			return err
		}
		made = c.made
		return c.contents.write(part)
	})
	return made, err
}

// tablesOf returns the names of a copy's tables by their checksums; none if there is no such copy.
func tablesOf(dir string) map[string]string {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // for reading
	c, err := readContents(root, dir)
	if err != nil {
		return nil
	}
	names := make(map[string]string)
	for _, e := range c.Files {
		if strings.HasSuffix(e.Name, tableSuffix) {
			names[e.SHA256] = e.Name
		}
	}
	return names
}

// copying is a copy that is being made from a folder that does not change.
type copying struct {
	ctx            context.Context
	from, to, base string
	// known are the names of the base's tables by their checksums.
	known    map[string]string
	pace     *pace
	contents contents
	made     Made
}

// all copies or links all files, and lists them.
func (c *copying) all() error {
	c.contents.Format = contentsFormat
	folders := []string{c.to}
	err := filepath.WalkDir(c.from, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == c.from || d.Name() == lockName {
			return err
		}
		name, err := filepath.Rel(c.from, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			folders = append(folders, filepath.Join(c.to, name))
			return os.Mkdir(filepath.Join(c.to, name), folderMode)
		}
		return c.file(name)
	})
	for _, folder := range folders {
		err = errors.Join(err, atomicfile.SyncFolder(folder))
	}
	return err
}

// file copies or links a file and compares it with its source.
func (c *copying) file(name string) error {
	source, target := filepath.Join(c.from, name), filepath.Join(c.to, name)
	e := entry{Name: filepath.ToSlash(name)}
	linked := false
	if strings.HasSuffix(name, tableSuffix) && len(c.known) > 0 {
		var err error
		if e.Size, e.SHA256, err = c.sum(source); err != nil {
			return err
		}
		linked = c.link(e, target)
	}
	if !linked {
		var err error
		if e.Size, e.SHA256, err = c.copyFile(source, target); err != nil {
			return err
		}
		if size, sum, err := c.sum(target); err != nil || size != e.Size || sum != e.SHA256 {
			return fault.Wrap(err, fault.DataLoss, "the copied file %s differs from its source; the disk of %s does not keep what is written", target, c.to)
		}
		c.made.Copied += e.Size
	}
	c.made.Bytes += e.Size
	c.contents.Files = append(c.contents.Files, e)
	return nil
}

// link links a table of the base that has the content of an entry. It returns false, and leaves no file, if there is
// none, if it is damaged, or if the file system has no links.
func (c *copying) link(e entry, target string) bool {
	name, ok := c.known[e.SHA256]
	if !ok {
		return false
	}
	file := filepath.Join(c.base, filepath.FromSlash(name))
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	if os.Link(file, target) != nil {
		return false
	}
	if size, sum, err := c.sum(target); err == nil && size == e.Size && sum == e.SHA256 {
		return true
	}
	_ = os.Remove(target) // or copying reports that it exists
	return false
}

// sum returns the size and the checksum of a file.
func (c *copying) sum(file string) (size int64, sum string, err error) {
	return checksumOf(file, func(r io.Reader) io.Reader { return &paced{ctx: c.ctx, pace: c.pace, Reader: r} })
}

// copyFile copies a file, waits until it is on disk, and returns the size and the checksum of what was read.
func (c *copying) copyFile(from, to string) (size int64, sum string, err error) {
	source, err := os.Open(from)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = source.Close() }() // a read
	digest := sha256.New()
	read := &counted{Reader: io.TeeReader(&paced{ctx: c.ctx, pace: c.pace, Reader: source}, digest)}
	if err := copyContent(read, to); err != nil {
		return 0, "", err
	}
	return read.n, text(digest), nil
}

// counted is a reader that counts its bytes.
type counted struct {
	io.Reader
	n int64
}

// Read implements io.Reader.
func (r *counted) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// pace limits the bytes that are read in a second.
type pace struct {
	rate  int64
	clock clock.Clock
	// ahead is the number of bytes that were read since the last pause.
	ahead int64
}

// paceStep is the number of bytes after which a paced reading pauses.
const paceStep = 1 << 20

// took pauses after some bytes were read.
func (p *pace) took(ctx context.Context, n int) error {
	if p.ahead += int64(n); p.rate == 0 || p.ahead < paceStep {
		return ctx.Err()
	}
	pause := time.Duration(float64(p.ahead) / float64(p.rate) * float64(time.Second))
	p.ahead = 0
	return clock.Sleep(ctx, p.clock, pause)
}

// paced is a reader that keeps a pace, and returns an error once a context has ended.
type paced struct {
	ctx  context.Context
	pace *pace
	io.Reader
}

// Read implements io.Reader.
func (r *paced) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if waitErr := r.pace.took(r.ctx, n); waitErr != nil {
		return 0, waitErr
	}
	return n, err
}

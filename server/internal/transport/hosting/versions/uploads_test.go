package versions_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/versions/versionstest"
)

// TestUploads uploads what must be refused: what no version asked for, other contents, too large ones, and broken ones.
func TestUploads(t *testing.T) {
	s := open(t)
	v, err := s.Create("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, hash := versionstest.Pack(t, "text")
	bomb, ofBomb := versionstest.Pack(t, strings.Repeat("\x00", 1<<20+1))
	exact, ofExact := versionstest.Pack(t, strings.Repeat("\x00", 1<<20))
	other, ofOther := versionstest.Pack(t, "other")
	refused(t, "a content of no version", s.Upload(v.ID, hash, bytes.NewReader(packed)), fault.NotFound)
	refused(t, "an unknown version", s.Upload("0000000000000000", hash, bytes.NewReader(packed)), fault.NotFound)
	files := map[string]string{"/a": hash, "/bomb": ofBomb, "/exact": ofExact}
	if _, err := s.Populate(v.ID, files); err != nil {
		t.Fatal(err)
	}
	refused(t, "a content that the version does not name", s.Upload(v.ID, ofOther, bytes.NewReader(other)), fault.NotFound)
	refused(t, "a path", s.Upload(v.ID, "../../state.json", bytes.NewReader(packed)), fault.NotFound)
	err = s.Upload(v.ID, hash, bytes.NewReader(other))
	refused(t, "another content", err, fault.InvalidArgument)
	if !strings.Contains(fault.FromError(err).Message, "content hash") { // the Firebase CLI forgets its hashes then
		t.Errorf("another content: %v", err)
	}
	refused(t, "a plain content", s.Upload(v.ID, hash, strings.NewReader("text")), fault.InvalidArgument)
	refused(t, "a part", s.Upload(v.ID, hash, bytes.NewReader(packed[:len(packed)-3])), fault.InvalidArgument)
	refused(t, "bytes after the content", s.Upload(v.ID, hash, bytes.NewReader(append(slices.Clone(packed), 'x'))), fault.InvalidArgument)
	refused(t, "nothing", s.Upload(v.ID, hash, http.NoBody), fault.InvalidArgument)
	refused(t, "a content that is large when it is unpacked", s.Upload(v.ID, ofBomb, bytes.NewReader(bomb)), fault.ResourceExhausted)
	broken := slices.Clone(packed)
	broken[len(broken)/2] ^= 0xff
	refused(t, "a broken content", s.Upload(v.ID, hash, bytes.NewReader(broken)), fault.InvalidArgument)
	refused(t, "a client that is gone", s.Upload(v.ID, hash, failing{errors.New("reset")}), fault.InvalidArgument)
	_, err = s.Finalize(t.Context(), v.ID, "", nil, nil)
	refused(t, "Finalize without the contents", err, fault.FailedPrecondition)
	for range 2 { // the second time it is there already
		if err := s.Upload(v.ID, ofExact, bytes.NewReader(exact)); err != nil {
			t.Error(err)
		}
	}
	s.onlyContents(ofExact)
}

// TestUploadsDoNotWait begins as many uploads as are received at once, by clients that send nothing yet: all of them
// are read. One more is refused before it is read, until another has ended.
func TestUploadsDoNotWait(t *testing.T) {
	const most = 256
	s := open(t)
	v, err := s.Create("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, hash := versionstest.Pack(t, "text")
	if _, err := s.Populate(v.ID, map[string]string{"/a": hash}); err != nil {
		t.Fatal(err)
	}
	read, send := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	end := sync.OnceFunc(func() { close(send); all.Wait() })
	defer end()
	for range most {
		all.Go(func() {
			if err := s.Upload(v.ID, hash, &waiting{Reader: bytes.NewReader(packed), read: read, send: send}); err != nil {
				t.Error(err)
			}
		})
	}
	limit := time.After(30 * time.Second)
	for i := range most {
		select {
		case <-read:
		case <-limit:
			t.Fatalf("%d of %d uploads are read", i, most)
		}
	}
	refused(t, "one more", s.Upload(v.ID, hash, failing{errors.New("read")}), fault.Unavailable)
	end()
	if err := s.Upload(v.ID, hash, bytes.NewReader(packed)); err != nil {
		t.Error(err)
	}
	s.onlyContents(hash)
}

// waiting is a reader that reports its first read, and waits until it may send.
type waiting struct {
	io.Reader
	read, send chan struct{}
	once       sync.Once
}

// Read implements io.Reader.
func (w *waiting) Read(p []byte) (int, error) {
	w.once.Do(func() { w.read <- struct{}{}; <-w.send })
	return w.Reader.Read(p)
}

// failing is a reader that fails.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// onlyContents expects that the folder has some contents and no rests of uploads.
func (s *site) onlyContents(want ...string) {
	s.t.Helper()
	var got []string
	entries, err := os.ReadDir(filepath.Join(s.folder, "files"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("the folder has the contents %q, want %q", got, want)
	}
	if left, err := filepath.Glob(filepath.Join(s.folder, "upload-*")); err != nil || len(left) > 0 {
		s.t.Errorf("the folder has %q, %v", left, err)
	}
}

// TestAllContentsAreBounded fills the folder to its limit, and expects room again after a version was deleted.
func TestAllContentsAreBounded(t *testing.T) {
	s := open(t)
	text := func(i int) string { return fmt.Sprint(i) + strings.Repeat("x", 1<<20-10) }
	var ids []string
	for i := range 4 {
		ids = append(ids, s.finalized(nil, map[string]string{"/a": text(i)}))
	}
	v, err := s.Create("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, hash := versionstest.Pack(t, text(4))
	if _, err := s.Populate(v.ID, map[string]string{"/a": hash}); err != nil {
		t.Fatal(err)
	}
	refused(t, "a content beyond the limit", s.Upload(v.ID, hash, bytes.NewReader(packed)), fault.ResourceExhausted)
	s.reopen() // which counts again
	refused(t, "a content beyond the limit", s.Upload(v.ID, hash, bytes.NewReader(packed)), fault.ResourceExhausted)
	if err := s.Delete(ids[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.Upload(v.ID, hash, bytes.NewReader(packed)); err != nil {
		t.Errorf("after a version was deleted: %v", err)
	}
}

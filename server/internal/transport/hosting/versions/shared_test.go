package versions_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/pebble"
	"clave/server/internal/transport/hosting/versions"
	"clave/server/internal/transport/hosting/versions/versionstest"
)

// sharing is the store of nodes.
type sharing struct {
	t     *testing.T
	store *pebble.Store
	// left is the number of batches that the store still takes; negative for all.
	left int
}

// share opens a store.
func share(t *testing.T) *sharing {
	t.Helper()
	st, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return &sharing{t, st, -1}
}

// apply applies a batch unless the store takes none any more, as when another node leads.
func (n *sharing) apply(b *store.Batch) error {
	if n.left == 0 {
		return store.ErrMoved
	}
	n.left--
	return n.store.Apply(n.t.Context(), b)
}

// lead opens the site at another node, which has a folder of its own.
func (n *sharing) lead() *site {
	n.t.Helper()
	s := &site{t: n.t, maxContent: 3 << 20, folder: filepath.Join(n.t.TempDir(), "copies"), shared: &versions.Shared{Store: n.store, Apply: n.apply}, clock: clocktest.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))}
	s.reopen()
	return s
}

// keys returns the number of keys with a prefix.
func (n *sharing) keys(prefix string) (number int) {
	n.t.Helper()
	it := n.store.Scan(store.Prefix([]byte(prefix)))
	for it.Next() {
		number++
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		n.t.Fatal(err)
	}
	return number
}

// TestSitesOfNodes deploys to a node, after which another one leads: it serves the same versions and previews,
// continues the deployment that the first one has begun, and removes what no version needs any more.
func TestSitesOfNodes(t *testing.T) {
	n := share(t)
	if found, err := (&versions.Shared{Store: n.store}).Deployed(); found || err != nil {
		t.Errorf("an empty store has a site: %v, %v", found, err)
	}
	s := n.lead()
	s.want("/", 200, "folder")
	first := s.finalized(nil, map[string]string{"/index.html": "first", "/empty.txt": "", "/shared.txt": "shared"})
	s.release(versions.Live, first)
	s.want("/", 200, "first")
	preview, err := s.CreateChannel("pr", versions.Life{After: time.Hour}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.release("pr", s.finalized(nil, map[string]string{"/index.html": "preview", "/shared.txt": "shared"}))
	begun, err := s.Create("ann", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.fill(begun.ID, map[string]string{"/index.html": "second"})

	s = n.lead()
	if found, err := s.shared.Deployed(); !found || err != nil {
		t.Errorf("the store has no site: %v, %v", found, err)
	}
	s.want("/", 200, "first")
	s.want("/shared.txt", 200, "shared")
	s.want("/empty.txt", 200, "")
	s.want("/missing", 404, "Not Found")
	if code, got := s.get(preview.Label+".example.org", "/"); code != 200 || got != "preview" {
		t.Errorf("the preview at the next node: %d %q", code, got)
	}
	if _, err := s.Finalize(t.Context(), begun.ID, "ann", nil, nil); err != nil {
		t.Fatal(err)
	}
	s.release(versions.Live, begun.ID)
	s.want("/", 200, "second")
	if err := s.Delete(first); err != nil {
		t.Fatal(err)
	}
	s.want("/", 200, "second")
	if got := n.keys("site/content/"); got != 3 { // second, preview and shared
		t.Errorf("%d contents are left, want 3", got)
	}
	if got := n.keys("site/version/"); got != 2 {
		t.Errorf("%d versions are left, want 2", got)
	}
	n.lead().want("/", 200, "second")
}

// TestContentsOfNodes uploads a content of several parts while the node stops leading, after each of its batches. The
// next node has all of it or nothing, and takes it again.
func TestContentsOfNodes(t *testing.T) {
	const parts = 3
	random, text := rand.New(rand.NewPCG(1, 1)), make([]byte, (parts-1)<<20+1<<19)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
	}
	packed, hash := versionstest.Pack(t, string(text))
	for batches := range parts + 1 {
		n := share(t)
		s := n.lead()
		v, err := s.Create("ann", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Populate(v.ID, map[string]string{"/large.txt": hash}); err != nil {
			t.Fatal(err)
		}
		n.left = batches
		err = s.Upload(v.ID, hash, bytes.NewReader(packed))
		if whole := batches >= parts; whole != (err == nil) || !whole && !fault.Is(err, fault.Unavailable) {
			t.Errorf("an upload of which %d batches are written: %v", batches, err)
		}
		n.left = -1
		s = n.lead()
		if got := n.keys("site/part/"); got != 0 && batches < parts {
			t.Errorf("%d parts of %d batches are left", got, batches)
		}
		missing, err := s.Populate(v.ID, map[string]string{"/large.txt": hash})
		if err != nil || (len(missing) == 0) != (batches >= parts) {
			t.Errorf("after %d batches %q are missing, %v", batches, missing, err)
		}
		if len(missing) > 0 {
			if err := s.Upload(v.ID, hash, bytes.NewReader(packed)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Finalize(t.Context(), v.ID, "ann", nil, nil); err != nil {
			t.Fatal(err)
		}
		s.release(versions.Live, v.ID)
		for _, at := range []*site{s, n.lead()} {
			if code, got := at.get("data.example.org", "/large.txt"); code != 200 || got != string(text) {
				t.Errorf("after %d batches the content is %d with %d bytes, want %d", batches, code, len(got), len(text))
			}
		}
	}
}

// TestChangesWithoutALeader makes changes at a node that does not lead any more. They are refused, and what is served
// stays.
func TestChangesWithoutALeader(t *testing.T) {
	n := share(t)
	s := n.lead()
	first := s.finalized(nil, map[string]string{"/index.html": "first"})
	second := s.finalized(nil, map[string]string{"/index.html": "second"})
	s.release(versions.Live, first)
	n.left = 0
	_, err := s.Release(t.Context(), versions.NewRelease{Channel: versions.Live, Version: second})
	refused(t, "a release", err, fault.Unavailable)
	if strings.Contains(fault.FromError(err).Message, "storage") {
		t.Errorf("clients get the text %q", fault.FromError(err).Message)
	}
	_, err = s.Create("ann", nil, nil)
	refused(t, "a version", err, fault.Unavailable)
	refused(t, "a deletion", s.Delete(second), fault.Unavailable)
	s.want("/", 200, "first")
	n.left = -1
	n.lead().want("/", 200, "first")
}

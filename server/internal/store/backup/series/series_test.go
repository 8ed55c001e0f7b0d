package series_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/backup/target/bucket"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/bucketserver"
)

// The keys of tests, made by age-keygen, and the public key of each.
const (
	firstKey     = "# created: 2026-11-26T20:00:00Z\nAGE-SECRET-KEY-1LPMCWRC3EHFQEY0T5K5MMQ2HR3EXL2QZ60YSXP47HXAZUL0FXGQSGFNVFT\n"
	firstPublic  = "age1pmtthuejs6ev85umtc79cagc93gwv7h6j7z469ud96cn98prufvsquzxh8\n"
	secondKey    = "AGE-SECRET-KEY-1VEYVP3ZHHEFQZXQ4Q7K4WYVKR5GF5VPN3XU3JQFDWC04M0K4NXYSKVDRDW\n"
	secondPublic = "age15n7jnxfke5c26vkn6g3nx2v6w6rl3u5lk8nfh0a0eh073ljmh99qrlwseq"
)

// site is a store whose backups are made.
type site struct {
	t     *testing.T
	store *pebble.Store
	clock *clocktest.Manual
	// log is the log of the store, or nil.
	log *changelog.Log
	r   series.Request
}

// open returns a store with tables, whose values count from 0.
func open(t *testing.T) *site {
	t.Helper()
	data := t.TempDir()
	path := filepath.Join(data, "store")
	s, err := pebble.Open(path, pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	si := &site{t: t, store: s, clock: clocktest.NewManual(time.Date(2026, 11, 26, 12, 0, 0, 500, time.UTC))}
	si.fill(200)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if si.store, err = pebble.Open(path, pebble.Options{}); err != nil { // opening it writes its log to a table
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = si.store.Close() })
	si.r = series.Request{Source: si.store, Data: data, ID: "a", Secret: "s", Inventory: counted, Clock: si.clock}
	return si
}

// counted is the inventory of each store whose values count from 0. It opens the store.
func counted(_ context.Context, folder string, _ func(int) error) (json.RawMessage, error) {
	s, err := pebble.Open(folder, pebble.Options{})
	if err != nil {
		return nil, err
	}
	_, err = count(s)
	return json.RawMessage(`["counted"]`), errors.Join(err, s.Close())
}

// fill adds numbered values.
func (s *site) fill(n int) {
	s.t.Helper()
	next, err := count(s.store)
	if err != nil {
		s.t.Fatal(err)
	}
	var b store.Batch
	for i := range n {
		b.Set(numbered(next+i), []byte(valueOf(next+i)))
	}
	if err := s.store.Apply(s.t.Context(), &b); err != nil {
		s.t.Fatal(err)
	}
}

// make makes a backup a second after the last one.
func (s *site) make(at *series.Series) (series.Backup, series.Made, error) {
	s.t.Helper()
	s.clock.Advance(time.Second)
	lock, err := at.Lock(s.t.Context())
	if err != nil {
		return series.Backup{}, series.Made{}, err
	}
	b, made, err := at.Make(s.t.Context(), lock, s.r)
	return b, made, errors.Join(err, lock.Close())
}

// must makes a backup.
func (s *site) must(at *series.Series) (series.Backup, series.Made) {
	s.t.Helper()
	b, made, err := s.make(at)
	if err != nil {
		s.t.Fatal(err)
	}
	return b, made
}

// restored restores a backup and returns the number of its values.
func restored(t *testing.T, at *series.Series, b series.Backup) (n int, err error) {
	t.Helper()
	back := filepath.Join(t.TempDir(), "back")
	err = at.Restore(t.Context(), b, back, func(folder string, inventory json.RawMessage) error {
		if string(inventory) != `["counted"]` {
			t.Errorf("the inventory is %q", inventory)
		}
		s, err := pebble.Open(folder, pebble.Options{})
		if err != nil {
			return err
		}
		n, err = count(s)
		return errors.Join(err, s.Close())
	})
	if _, left := os.Stat(back); err != nil && left == nil {
		t.Errorf("the restore that failed with %v left the data folder", err)
	}
	return n, err
}

// TestSeries makes two backups of a store, which have most of their contents in common, lists, compares and restores
// them, and removes the first one, after which the second one is complete.
func TestSeries(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, keys *series.Keys) {
		s, at := open(t), series.New(series.Options{Target: p.Target, Keys: keys})
		first, made := s.must(at)
		if made.Copied == 0 || made.Bytes == 0 || first.Name != "2026-11-26T12-00-01Z" {
			t.Errorf("the first backup is %+v, %+v", first, made)
		}
		s.fill(1)
		second, made := s.must(at)
		if made.Copied == 0 || made.Copied > made.Bytes/2 {
			t.Errorf("the second backup copied %d of %d bytes, want less than half", made.Copied, made.Bytes)
		}
		all, err := series.New(series.Options{Target: p.Target}).List(t.Context())
		if err != nil || len(all) != 2 || all[0] != first || all[1] != second || first.Encrypted != (keys != nil) {
			t.Fatalf("List without keys = %+v, %v; want %+v and %+v", all, err, first, second)
		}
		for i, b := range all {
			if err := series.New(series.Options{Target: p.Target}).Check(t.Context(), b); err != nil {
				t.Errorf("Check without keys = %v", err)
			}
			if n, err := restored(t, at, b); err != nil || n != 200+i {
				t.Errorf("the restored backup %d has %d values, %v", i, n, err)
			}
		}
		if newest, err := at.Find(t.Context(), ""); err != nil || newest != second {
			t.Errorf("the newest backup is %+v, %v", newest, err)
		}
		if _, err := at.Find(t.Context(), "2020-01-01T00-00-00Z"); !fault.Is(err, fault.NotFound) {
			t.Errorf("Find of an absent backup = %v", err)
		}
		before := len(objects(t, p))
		lock, err := at.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		removed, err := at.Prune(t.Context(), lock, series.Keep{Days: 1}, s.clock.Now().AddDate(0, 0, 2))
		if err := errors.Join(err, lock.Close()); err != nil || len(removed) != 1 || removed[0] != first.Name {
			t.Fatalf("Prune = %v, %v", removed, err)
		}
		if after := len(objects(t, p)); after >= before {
			t.Errorf("there are %d objects after the removal, %d before", after, before)
		}
		if n, err := restored(t, at, second); err != nil || n != 201 {
			t.Errorf("after the removal of the first backup, the second one has %d values, %v", n, err)
		}
	})
}

// objects returns the objects with contents.
func objects(t *testing.T, p place) []target.Object {
	t.Helper()
	all, err := p.List(t.Context(), "objects/")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// content reads an object.
func content(t *testing.T, p place, name string) []byte {
	t.Helper()
	r, err := p.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return text
}

// rewrite changes a byte of an object.
func rewrite(t *testing.T, p place, o target.Object) {
	t.Helper()
	text := content(t, p, o.Name)
	text[len(text)/2] ^= 1
	if _, err := p.Put(t.Context(), o.Name, strings.NewReader(string(text)), o.Size); err != nil {
		t.Fatal(err)
	}
}

// TestDamage changes, and removes, objects of backups in turn. The backup can neither be checked nor restored, the
// error names the object, and the next backup is complete.
func TestDamage(t *testing.T) {
	everywhere(t, func(t *testing.T, p place, keys *series.Keys) {
		s, at := open(t), series.New(series.Options{Target: p.Target, Keys: keys})
		s.must(at)
		damaged := 0
		for i, o := range objects(t, p) {
			b, err := at.Find(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(content(t, p, "backups/"+b.Name+".json")), o.Name[len("objects/aa/"):]) {
				continue // It is that of an older backup.
			}
			if i%2 == 0 && o.Size > 0 {
				rewrite(t, p, o)
			} else if err := p.Remove(t.Context(), o.Name); err != nil {
				t.Fatal(err)
			}
			if err := at.Check(t.Context(), b); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), o.Name) {
				t.Errorf("Check with a damaged %s = %v", o.Name, err)
			}
			if _, err := restored(t, at, b); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), o.Name) {
				t.Errorf("Restore with a damaged %s = %v", o.Name, err)
			}
			next, _ := s.must(at)
			if n, err := restored(t, at, next); err != nil || n != 200 {
				t.Fatalf("after a backup with a damaged %s, the next one has %d values, %v", o.Name, n, err)
			}
			if damaged++; damaged == 3 {
				break
			}
		}
	})
}

// TestADamagedList changes a list in each place. The backup is listed as damaged, and no content is removed.
func TestADamagedList(t *testing.T) {
	p := places["folder"](t)
	s, at := open(t), series.New(series.Options{Target: p.Target})
	b, _ := s.must(at)
	whole, err := os.ReadFile(filepath.Join(p.String(), "backups", b.Name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{}", string(whole[:len(whole)/2]), strings.Replace(string(whole), `"size":`, `"size":1`, 1), strings.Replace(string(whole), `"files":[`, `"files":[],"x":[`, 1)} {
		if err := os.WriteFile(filepath.Join(p.String(), "backups", b.Name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := series.New(series.Options{Target: p.Target}).List(t.Context())
		if err != nil || len(all) != 1 || all[0].Damage == "" {
			t.Errorf("List with the list %.40q = %+v, %v", text, all, err)
		}
		before := len(objects(t, p))
		lock, err := at.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := at.Prune(t.Context(), lock, series.Keep{Days: 1}, s.clock.Now()); !fault.Is(err, fault.DataLoss) || len(objects(t, p)) != before {
			t.Errorf("Prune with a damaged list = %v", err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeys restores encrypted backups with other keys than theirs, and without any.
func TestKeys(t *testing.T) {
	p := places["folder"](t)
	s := open(t)
	b, _ := s.must(series.New(series.Options{Target: p.Target, Keys: keysOf(t, firstPublic+secondKey)}))
	for _, tt := range []struct {
		name string
		keys *series.Keys
		want string
	}{
		{"without keys", nil, "it is encrypted; name the file with the secret key"},
		{"with a public key", keysOf(t, firstPublic), "it is encrypted; name the file with the secret key"},
		{"with the key of a recipient", keysOf(t, firstKey), ""},
		{"with the key of the other recipient", keysOf(t, secondKey), ""},
	} {
		n, err := restored(t, series.New(series.Options{Target: p.Target, Keys: tt.keys}), b)
		if tt.want == "" && (err != nil || n != 200) || tt.want != "" && (!fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Restore %s = %d, %v; want %q", tt.name, n, err, tt.want)
		}
	}
	only, made := s.must(series.New(series.Options{Target: p.Target, Keys: keysOf(t, firstKey)}))
	if made.Copied != made.Bytes {
		t.Errorf("a backup for other keys copied %d of %d bytes", made.Copied, made.Bytes)
	}
	if _, err := restored(t, series.New(series.Options{Target: p.Target, Keys: keysOf(t, secondKey)}), only); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(err.Error(), "for other keys") {
		t.Errorf("Restore with another key = %v", err)
	}
	for _, text := range []string{"", "# none\n", "password", firstKey + secondPublic + "x", "AGE-SECRET-KEY-1" + strings.Repeat("Q", 58)} {
		if _, err := series.ParseKeys(text); !fault.Is(err, fault.InvalidArgument) || strings.Contains(err.Error(), "QQQ") {
			t.Errorf("ParseKeys(%q) = %v", text, err)
		}
	}
}

// TestNothingReadableIsStored looks for a value of the store, and for the checksums of files, in an encrypted backup.
func TestNothingReadableIsStored(t *testing.T) {
	p := places["folder"](t)
	s := open(t)
	if err := os.WriteFile(filepath.Join(s.r.Data, "signing-key"), []byte("a secret of the server"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.must(series.New(series.Options{Target: p.Target, Keys: keysOf(t, firstPublic)}))
	err := filepath.WalkDir(p.String(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, plain := range []string{"a secret of the server", "signing-key", "d6bb6c9d2bb7d4e3d4a6f4d6f2d0fba8", valueOf(7), "MANIFEST"} {
			if strings.Contains(string(text), plain) {
				t.Errorf("%s has %.30q", path, plain)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBadBuckets makes backups in buckets that refuse. Each error is one sentence with the reason and without a secret,
// no backup is listed, and a later one succeeds.
func TestBadBuckets(t *testing.T) {
	refuse := func(status int, code string) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/objects/") {
				bucketserver.Refuse(w, status, code)
				return true
			}
			return false
		}
	}
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request) bool
		code   fault.Code
		want   string
	}{
		{"wrong credentials", refuse(403, "InvalidAccessKeyId"), fault.PermissionDenied, "the server refuses the credentials (InvalidAccessKeyId)"},
		{"too many requests", refuse(503, "SlowDown"), fault.Unavailable, "there are too many requests (SlowDown)"},
		{"no bucket", refuse(404, "NoSuchBucket"), fault.NotFound, `there is no bucket "backups"`},
		{"no space", refuse(507, "XMinioStorageFull"), fault.ResourceExhausted, "the server has no space"},
		{"a cut connection", func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/objects/") {
				panic(http.ErrAbortHandler)
			}
			return false
		}, fault.Unavailable, "the server can't be reached"},
		{"a bucket that changes what it stores", func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/objects/") {
				w.Header().Set("ETag", `"x"`)
				w.Header().Set("Last-Modified", "Thu, 26 Nov 2026 12:00:00 GMT")
				fmt.Fprint(w, "other")
				return true
			}
			return false
		}, fault.DataLoss, "does not keep what is written"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := places["gofakes3"](t)
			s, at := open(t), series.New(series.Options{Target: p.Target})
			p.server.Intercept(tt.answer)
			_, _, err := s.make(at)
			text := fault.Reason(err)
			if !fault.Is(err, tt.code) || !strings.Contains(text, tt.want) || strings.Contains(text, "\n") || strings.Contains(text, "wJalr") || strings.Contains(text, "AKIA") {
				t.Errorf("the error is %v: %s; want %q", fault.CodeOf(err), text, tt.want)
			}
			p.server.Intercept(nil)
			if all, err := at.List(t.Context()); err != nil || len(all) != 0 {
				t.Errorf("after the failure there are %v, %v", all, err)
			}
			b, _ := s.must(at)
			if n, err := restored(t, at, b); err != nil || n != 200 {
				t.Errorf("the next backup has %d values, %v", n, err)
			}
		})
	}
}

// TestWrongCredentials lists the backups of a server that compares credentials.
func TestWrongCredentials(t *testing.T) {
	o := bucketOptions(bucketserver.Versity(t))
	o.SecretKey = "not the secret"
	b, err := bucket.New(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = series.New(series.Options{Target: b}).List(t.Context())
	if !fault.Is(err, fault.PermissionDenied) || strings.Contains(err.Error(), o.SecretKey) {
		t.Errorf("List = %v", err)
	}
}

// TestConnectionsThatEnd restores from a server that ends each connection in the middle of an object, once.
func TestConnectionsThatEnd(t *testing.T) {
	p := places["gofakes3"](t)
	s, at := open(t), series.New(series.Options{Target: p.Target})
	b, _ := s.must(at)
	var cut sync.Map
	var cuts atomic.Int32
	p.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/objects/") {
			return false
		}
		if _, again := cut.LoadOrStore(r.URL.Path, true); again {
			return false
		}
		cuts.Add(1)
		w.Header().Set("Content-Length", "1000000")
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", "Thu, 26 Nov 2026 12:00:00 GMT")
		panic(http.ErrAbortHandler)
	})
	if n, err := restored(t, at, b); err != nil || n != 200 || cuts.Load() < 2 {
		t.Errorf("Restore over connections that end = %d, %v; %d were cut", n, err, cuts.Load())
	}
}

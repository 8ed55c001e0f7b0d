package torture

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The numbers of documents of TestDamagedFiles in tables, and in the log only.
const (
	inTables = 2000
	inLog    = 500
)

// damage is a change of a file. do returns nil to remove it.
type damage struct {
	name string
	do   func(text []byte) []byte
}

// flipAt returns a damage that flips a bit at a share of a file's length, in thousandths.
func flipAt(share int) damage {
	return damage{fmt.Sprintf("with a bit flipped at %d/1000", share), func(text []byte) []byte {
		text = bytes.Clone(text)
		if len(text) > 0 {
			text[(len(text)-1)*share/1000] ^= 4
		}
		return text
	}}
}

// damages lists the changes of each file.
func damages() []damage {
	all := []damage{
		{"emptied", func([]byte) []byte { return []byte{} }},
		{"cut in half", func(text []byte) []byte { return text[:len(text)/2] }},
		{"without its last byte", func(text []byte) []byte { return text[:max(len(text)-1, 0)] }},
		{"removed", func([]byte) []byte { return nil }},
		{"made of zeros", func(text []byte) []byte { return make([]byte, len(text)) }},
	}
	for _, share := range []int{0, 5, 20, 100, 300, 500, 700, 900, 980, 995, 1000} {
		all = append(all, flipAt(share))
	}
	return all
}

// authBody is the account of TestDamagedFiles.
const authBody = `{"email":"ana@example.org","password":"secreto-largo","returnSecureToken":true}`

// authCall calls a method of Auth with authBody and returns the status.
func (s *site) authCall(method string) int {
	s.t.Helper()
	res, err := http.Post(s.auth+"/identitytoolkit.googleapis.com/v1/accounts:"+method+"?key=x", "application/json", strings.NewReader(authBody))
	if err != nil {
		s.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// setSquares commits documents with numbers and their squares.
func (s *site) setSquares(c client, collection string, count int) {
	s.t.Helper()
	for from := 0; from < count; from += 100 {
		var writes []*firestorepb.Write
		for i := from; i < from+100; i++ {
			writes = append(writes, set(fmt.Sprintf("%s/%d", collection, i), fields{"v": int64(i), "square": int64(i * i)}))
		}
		if _, err := c.commit(s.t.Context(), nil, writes...); err != nil {
			s.t.Fatal(err)
		}
	}
}

// signedSite returns a site with an account and signing keys, and with documents in tables and in the log of a killed
// program.
func signedSite(t *testing.T) (*site, client) {
	t.Helper()
	s := newSite(t)
	s.args = []string{"start", "--only", "firestore,auth", "--project", project, "--sign-tokens"}
	srv := s.start()
	c := newClient(t, s.addr)
	c.connect(t)
	if code := s.authCall("signUp"); code != http.StatusOK {
		t.Fatalf("sign-up = %d", code)
	}
	s.setSquares(c, "tables", inTables)
	srv.stop() // writes the tables
	srv = s.start()
	c.connect(t)
	s.setSquares(c, "log", inLog)
	srv.kill()
	return s, c
}

// TestDamagedFiles damages each file of the data folder of a killed program, which must then refuse to start with one
// line, or serve correct documents and refuse the others with DATA_LOSS. No acknowledged write may be missing. The
// short run has some of all combinations, others each time.
func TestDamagedFiles(t *testing.T) {
	s, c := signedSite(t)
	whole := filepath.Join(t.TempDir(), "whole")
	replaceFolder(t, s.data, whole)
	type combination struct {
		file string
		damage
	}
	var all []combination
	for _, file := range dataFiles(t, whole) {
		for _, d := range damages() {
			all = append(all, combination{file, d})
		}
	}
	if !longRun() {
		const short = 25
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:short]
	}
	refused := 0
	for _, x := range all {
		replaceFolder(t, whole, s.data)
		path := filepath.Join(s.data, x.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if changed := x.do(text); changed == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, changed, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !s.survives(c, x.file+" "+x.name) {
			refused++
		}
	}
	t.Logf("%d of %d damaged folders were refused", refused, len(all))
}

// dataFiles returns the files of a data folder that have a purpose after a kill.
func dataFiles(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !slices.Contains([]string{"reserve", "LOCK"}, d.Name()) {
			name, _ := filepath.Rel(dir, path) // both are absolute
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 10 {
		t.Fatalf("the data folder has %v, %v", names, err)
	}
	return names
}

// survives starts the program on a folder with a damaged file and checks what it serves, or that it refuses with one
// line. It reports whether it serves.
func (s *site) survives(c client, what string) bool {
	t := s.t
	srv, ready := s.launch()
	if !<-ready {
		err := srv.wait()
		lines := strings.Split(strings.TrimRight(srv.logged(), "\n"), "\n")
		last := lines[len(lines)-1]
		if err == nil || len(lines) > 3 || !strings.HasPrefix(last, "clave: ") || !strings.Contains(last, "damaged") && !strings.Contains(last, "missing") || len(srv.logged()) > 2000 {
			t.Errorf("with %s the program ends with %v and\n%s\nwant one line about damage", what, err, srv.logged())
		}
		return false
	}
	defer srv.kill()
	c.connect(t)
	lost := s.checkSquares(c, "tables", inTables, what)
	lost = s.checkSquares(c, "log", inLog, what) || lost
	code := s.authCall("signInWithPassword")
	res, err := http.Get(s.http + "/__/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if healthy := res.StatusCode == http.StatusOK; lost && healthy || !lost && code != http.StatusOK && healthy {
		t.Errorf("with %s: reads are refused (%t), the sign-in answers %d and health %d", what, lost, code, res.StatusCode)
	}
	if strings.Contains(srv.logged(), "goroutine ") || strings.Count(srv.logged(), "\n") > 5 {
		t.Errorf("with %s the program logs\n%s", what, srv.logged())
	}
	return true
}

// checkSquares reads documents by name and by queries. It reports whether reads were refused with DATA_LOSS.
func (s *site) checkSquares(c client, collection string, count int, what string) (lost bool) {
	t := s.t
	for i := 0; i < count; i += 50 {
		path := fmt.Sprintf("%s/%d", collection, i)
		found, err := c.get(t.Context(), nil, nil, path)
		switch {
		case status.Code(err) == codes.DataLoss:
			lost = true
		case err != nil:
			t.Errorf("with %s: get %s = %v", what, path, err)
		case found[path]["v"] != int64(i) || found[path]["square"] != int64(i*i):
			t.Errorf("with %s: %s is %v", what, path, found[path])
		}
	}
	for _, order := range []string{"", "v"} {
		found, err := c.query(t.Context(), nil, collection, order, "", 0)
		switch {
		case status.Code(err) == codes.DataLoss:
			lost = true
		case err != nil || len(found) != count:
			t.Errorf("with %s: a query of %s by %q has %d documents, %v; want %d", what, collection, order, len(found), err, count)
		}
	}
	return lost
}

// replaceFolder replaces a folder by a copy of the regular files of another.
func replaceFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		if !d.Type().IsRegular() || d.Name() == "reserve" {
			return nil
		}
		return copyFile(path, filepath.Join(to, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(to, "keys"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

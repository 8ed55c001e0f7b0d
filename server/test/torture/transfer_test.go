package torture

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// exported is the number of documents in the export of these tests.
const exported = 10_000

// makeExport fills a site, and returns an export and a backup of it.
func makeExport(t *testing.T) (export, copied string) {
	t.Helper()
	s := newSite(t)
	srv := s.start()
	s.fillExported()
	srv.stop()
	export, copied = filepath.Join(t.TempDir(), "export"), filepath.Join(t.TempDir(), "copy")
	for _, args := range [][]string{{"export", export, "--data", s.data, "--project", project}, {"backup", copied, "--data", s.data}} {
		if out, err := s.run(args...); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return export, copied
}

// fillExported writes the documents of an export.
func (s *site) fillExported() {
	t := s.t
	t.Helper()
	c := newClient(t, s.addr)
	c.connect(t)
	for from := 0; from < exported; from += 500 {
		var writes []*firestorepb.Write
		for i := from; i < from+500; i++ {
			writes = append(writes, set(fmt.Sprintf("docs/%d", i), fields{"v": int64(i)}))
		}
		if _, err := c.commit(t.Context(), nil, writes...); err != nil {
			t.Fatal(err)
		}
	}
}

// tries returns how often a command is killed.
func tries(t *testing.T) int {
	if longRun() {
		return 3 * rounds(t)
	}
	return 4
}

// killWithin kills a program at a random time before whole has passed, and returns when it has ended.
func killWithin(cmd *exec.Cmd, whole time.Duration) {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(rand.N(whole)):
		_ = cmd.Process.Kill() // fails if the program has ended
		<-ended
	}
}

// TestKilledImportsAndRestores kills imports and restores at random times. Each time the data must be complete or
// absent, or the program must refuse to start and the same command, run again, must complete them.
func TestKilledImportsAndRestores(t *testing.T) {
	export, copied := makeExport(t)
	for _, command := range [][]string{{"import", export, "--project", project}, {"restore", copied}} {
		t.Run(command[0], func(t *testing.T) {
			timed := newSite(t)
			began := time.Now()
			if out, err := timed.run(append(command[:2:2], append(command[2:], "--data", timed.data)...)...); err != nil {
				t.Fatalf("%v: %v\n%s", command, err, out)
			}
			whole, refused := time.Since(began), 0
			for range tries(t) {
				s := newSite(t)
				args := append(command[:2:2], append(command[2:], "--data", s.data)...)
				killWithin(s.begin(args...), whole)
				if s.afterKill(args) {
					refused++
				}
			}
			t.Logf("%d of %d killed commands left data that the program refused", refused, tries(t))
		})
	}
}

// afterKill checks the data after a command was killed, and reports whether the program refused to start on them.
func (s *site) afterKill(args []string) (refused bool) {
	t := s.t
	srv, ready := s.launch()
	if !<-ready {
		if err := srv.wait(); err == nil || strings.Count(srv.logged(), "\n") != 1 || !strings.Contains(srv.logged(), "interrupted") {
			t.Fatalf("after a killed %s the program ends with %v and\n%s", args[0], err, srv.logged())
		}
		if out, err := s.run(args...); err != nil {
			t.Fatalf("%s after a killed one: %v\n%s", args[0], err, out)
		}
		refused = true
		srv = s.start()
	}
	defer srv.stop()
	c := newClient(t, s.addr)
	c.connect(t)
	found, err := c.query(t.Context(), nil, "docs", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != exported && (refused || len(found) != 0) {
		t.Errorf("after a killed %s there are %d documents, want %d or none", args[0], len(found), exported)
	}
	return refused
}

// TestKilledExports kills exports over an earlier export at random times. The folder must have a complete export each
// time, and nothing else may be left after the next one.
func TestKilledExports(t *testing.T) {
	_, copied := makeExport(t)
	s := newSite(t)
	if out, err := s.run("restore", copied, "--data", s.data); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	parent := t.TempDir()
	args := []string{"export", filepath.Join(parent, "seed"), "--data", s.data, "--project", project}
	began := time.Now()
	if out, err := s.run(args...); err != nil {
		t.Fatalf("export: %v\n%s", err, out)
	}
	whole := time.Since(began)
	for range tries(t) {
		killWithin(s.begin(args...), whole)
		into := newSite(t)
		want := fmt.Sprintf("%d documents", exported)
		if out, err := into.run("import", filepath.Join(parent, "seed"), "--data", into.data, "--project", project); err != nil || !strings.Contains(out, want) {
			t.Errorf("import after a killed export: %v\n%s\nwant %s", err, out, want)
		}
	}
	if out, err := s.run(args...); err != nil {
		t.Fatalf("export after killed ones: %v\n%s", err, out)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("after killed exports and a complete one there are %v, %v; want the export alone", entries, err)
	}
}

// TestRefusedImportsLeaveNothing imports exports that are refused, by a command and at a start, into absent, empty and
// used folders. Each must end with one line and leave the folder as it was.
func TestRefusedImportsLeaveNothing(t *testing.T) {
	s := newSite(t)
	srv := s.start()
	c := newClient(t, s.addr)
	c.connect(t)
	if _, err := c.commit(t.Context(), nil, set("docs/1", fields{"v": 1})); err != nil {
		t.Fatal(err)
	}
	srv.stop()
	empty, users := filepath.Join(s.dir, "empty"), filepath.Join(s.dir, "users.json")
	if err := errors.Join(os.Mkdir(empty, 0o700), os.WriteFile(users, []byte("["), 0o600)); err != nil {
		t.Fatal(err)
	}
	absent := filepath.Join(s.dir, "absent")
	for _, args := range [][]string{
		{"import", empty, "--data", absent}, {"import", "--users", users, "--data", absent}, {"import", empty, "--data", empty},
		{"start", "--only", "firestore,auth", "--sign-tokens", "--import", empty, "--data", absent}, {"import", empty, "--data", s.data},
	} {
		out, err := s.run(append(args, "--project", project)...)
		if err == nil || strings.Count(out, "clave: ") != 1 {
			t.Errorf("%v = %v and\n%s\nwant one line", args, err, out)
		}
		if _, err := os.Stat(absent); !errors.Is(err, fs.ErrNotExist) {
			left, err := filepath.Glob(filepath.Join(absent, "*"))
			t.Errorf("after %v the data folder has %v, %v", args, left, err)
		}
		if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
			t.Errorf("after %v the empty folder has %v, %v", args, left, err)
		}
	}
	srv = s.start()
	defer srv.stop()
	c.connect(t)
	if found, err := c.get(t.Context(), nil, nil, "docs/1"); err != nil || found["docs/1"]["v"] != 1 {
		t.Errorf("after a refused import the document is %v, %v", found, err)
	}
}

// TestExportsIntoTheDataFolderAreRefused exports into the data folder, of a running server and without one.
func TestExportsIntoTheDataFolderAreRefused(t *testing.T) {
	s := newSite(t)
	srv := s.start()
	for _, running := range []bool{true, false} {
		if !running {
			srv.stop()
		}
		target := filepath.Join(s.data, "export")
		out, err := s.run("export", target, "--data", s.data, "--project", project)
		if want := fmt.Sprintf("clave: %s is in the data folder; name one outside it\n", target); err == nil || out != want {
			t.Errorf("export into the data folder, server running %t = %v and\n%s\nwant\n%s", running, err, out, want)
		}
		if left, err := filepath.Glob(target + "*"); err != nil || len(left) > 0 {
			t.Errorf("a refused export leaves %v, %v", left, err)
		}
	}
}

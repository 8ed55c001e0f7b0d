package torture

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// image maps a site to the file that holds its file system.
var image = make(map[*site]string)

// onDevice moves the data folder to its own file system if the test runs as root. Otherwise power cuts are kills.
func (s *site) onDevice(mib int) {
	s.t.Helper()
	if os.Geteuid() != 0 {
		s.t.Log("not root: no device is copied, power cuts are kills")
		return
	}
	file, mount := filepath.Join(s.t.TempDir(), "device"), filepath.Join(s.dir, "device")
	if err := makeDevice(file, mount, mib); err != nil {
		s.t.Logf("no file system of its own, power cuts are kills: %v", err)
		return
	}
	s.t.Cleanup(func() { _ = exec.Command("umount", "-l", mount).Run() })
	image[s] = file
	s.data = filepath.Join(mount, "data")
}

// makeDevice creates a file with a file system and mounts it.
func makeDevice(file, mount string, mib int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := f.Truncate(int64(mib) << 20); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", file).CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	return mountDevice(file, mount)
}

// mountDevice mounts the file system in a file.
func mountDevice(file, mount string) error {
	if err := os.MkdirAll(mount, 0o700); err != nil {
		return err
	}
	if out, err := exec.Command("mount", "-o", "loop", file, mount).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	return nil
}

// cutPower suspends the program, copies the device under the data folder, kills the program, and replaces the device by
// the copy. Data that the kernel had not written to the device are lost.
func cutPower(srv *server, _ *ledger) {
	s := srv.site
	file := image[s]
	if file == "" {
		srv.kill()
		return
	}
	if err := srv.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	next := file + ".next"
	if err := copyFile(file, next); err != nil {
		s.t.Fatal(err)
	}
	srv.kill()
	mount := filepath.Dir(s.data)
	if out, err := exec.Command("umount", mount).CombinedOutput(); err != nil {
		s.t.Fatalf("umount: %v: %s", err, out)
	}
	if err := os.Remove(file); err != nil {
		s.t.Fatal(err)
	}
	image[s] = next
	if err := mountDevice(next, mount); err != nil { // replays the journal of the file system
		s.t.Fatal(err)
	}
}

// copyFile copies a file.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Close()
}

// TestAFullDiskIsFreed fills a small disk under load, first with the program's writes and then with a file, and frees
// it again.
func TestAFullDiskIsFreed(t *testing.T) {
	s, l := newSite(t), newLedger()
	fill := s.onSmallDisk("48m")
	srv := s.start()
	w := newWork(newClient(t, s.addr), l)
	var deletes []error
	runRound(t, w, 100, func() {
		fillDisk(t, fill)
		await(t, "a refused write", func() bool {
			_, err := w.commit(t.Context(), nil, set("filled/x", fields{"v": 1}))
			return status.Code(err) == codes.ResourceExhausted
		})
		for i := range 5 {
			_, err := w.commit(t.Context(), nil, &firestorepb.Write{Operation: &firestorepb.Write_Delete{Delete: fmt.Sprintf("%s/pairs/%d-a", root, i)}},
				&firestorepb.Write{Operation: &firestorepb.Write_Delete{Delete: fmt.Sprintf("%s/pairs/%d-b", root, i)}})
			deletes = append(deletes, err)
		}
		s.backupWithoutSpace()
		if err := os.Remove(fill); err != nil {
			t.Error(err)
		}
		await(t, "a write that succeeds when there is space", func() bool {
			_, err := w.commit(t.Context(), nil, set("filled/x", fields{"v": 2}))
			return err == nil
		})
		began := w.done.Load()
		await(t, "the clients' work to go on", func() bool { return w.done.Load() > began+100 })
		srv.kill()
	})
	for _, err := range deletes {
		if err != nil {
			t.Errorf("delete on a full disk: %v", err)
		}
	}
	fillDisk(t, fill)
	full, ready := s.launch()
	if <-ready {
		t.Error("the program starts on a full disk")
	}
	if err := full.wait(); err == nil || strings.Count(full.logged(), "\n") != 1 || !strings.Contains(full.logged(), "is full") {
		t.Errorf("a start on a full disk ends with %v and\n%s\nwant one line", err, full.logged())
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	srv = s.start()
	check(t, w, "after the disk was full")
	srv.stop()
}

// backupWithoutSpace creates a backup on another disk, which is full. The backup must fail with one line that gives the
// reason, and leave no files.
func (s *site) backupWithoutSpace() {
	t := s.t
	mount := filepath.Join(s.dir, "small")
	if err := os.Mkdir(mount, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "torture", mount).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", mount).Run() })
	fillDisk(t, filepath.Join(mount, "fill"))
	dir := filepath.Join(mount, "copy")
	out, err := s.run("backup", dir, "--data", s.data)
	if err == nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, "space") {
		t.Errorf("backup to a full disk: %v\n%s\nwant one line that reports no space", err, out)
	}
	if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
		t.Errorf("a backup to a full disk leaves %v", left)
	}
}

// fillDisk writes a file until the disk is full.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 4<<10); err == nil; {
		_, err = f.Write(block)
	}
	_ = f.Close()
}

// TestFlippedBits flips bits in the data files. The program must start, or refuse to start with one line. All documents
// that it returns must be correct. Reads of damaged data fail with DATA_LOSS, and health reports the damage.
func TestFlippedBits(t *testing.T) {
	s := newSite(t)
	srv := s.start()
	c := newClient(t, s.addr)
	c.connect(t)
	const count = 3000
	for from := 0; from < count; from += 500 {
		var writes []*firestorepb.Write
		for i := from; i < from+500; i++ {
			writes = append(writes, set(fmt.Sprintf("bits/%d", i), fields{"v": int64(i), "square": int64(i * i)}))
		}
		if _, err := c.commit(t.Context(), nil, writes...); err != nil {
			t.Fatal(err)
		}
	}
	srv.stop()
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.CopyFS(whole, os.DirFS(s.data)); err != nil {
		t.Fatal(err)
	}
	lost, refusals := 0, 0
	for try := range 8 {
		if err := os.RemoveAll(s.data); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(s.data, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		name := flipBit(t, s.data, rand.New(rand.NewPCG(uint64(try), 7)))
		srv, ready := s.launch()
		if !<-ready {
			refusals++
			if err := srv.wait(); err == nil || strings.Count(srv.logged(), "\n") > 3 {
				t.Errorf("with a flipped bit in %s the program ends with %v and\n%s", name, err, srv.logged())
			}
			continue
		}
		lost += s.readBits(c, name, count)
		srv.stop()
	}
	t.Logf("%d reads were refused, %d starts", lost, refusals)
	if lost == 0 && refusals == 0 {
		t.Error("no flipped bit was detected")
	}
}

// flipBit flips a bit in one of the tables of a data folder and returns its name.
func flipBit(t *testing.T, data string, rnd *rand.Rand) string {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(data, "store", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables: %v, %v", tables, err)
	}
	name := tables[rnd.IntN(len(tables))]
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[rnd.IntN(len(text))] ^= 1 << rnd.IntN(8)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(name)
}

// readBits reads all documents of TestFlippedBits and returns the number of failed reads.
func (s *site) readBits(c client, name string, count int) (lost int) {
	t := s.t
	t.Helper()
	c.connect(t)
	for i := 0; i < count; i += 20 {
		path := fmt.Sprintf("bits/%d", i)
		found, err := c.get(t.Context(), nil, nil, path)
		switch {
		case status.Code(err) == codes.DataLoss && strings.Contains(err.Error(), name):
			lost++
		case err != nil:
			t.Errorf("a flipped bit in %s: get %s = %v", name, path, err)
		case found[path]["v"] != int64(i) || found[path]["square"] != int64(i*i):
			t.Errorf("a flipped bit in %s: %s is %v", name, path, found[path])
		}
	}
	if lost > 0 {
		res, err := http.Get(s.http + "/__/health")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a flipped bit in %s was detected, and health answers %d, want 503", name, res.StatusCode)
		}
	}
	if _, err := c.commit(t.Context(), nil, set("others/x", fields{"v": 1})); err != nil {
		t.Errorf("a flipped bit in %s: a write = %v", name, err)
	}
	return lost
}

// await calls a function until it is true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	for !done() {
		if ctx.Err() != nil {
			t.Errorf("waited %v for %s", timeLimit, what)
			return
		}
	}
}

package series_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/target"
)

// TestNewerVersions reads a backup whose list has the format of a later version, and writes to the place of one. Both
// errors say so, and nothing of the backup is removed.
func TestNewerVersions(t *testing.T) {
	p := places["folder"](t)
	s, at := open(t), series.New(series.Options{Target: p.Target})
	b, _ := s.must(at)
	list := filepath.Join(p.String(), "backups", b.Name+".json")
	whole, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		SHA256 string          `json:"sha256"`
		Backup json.RawMessage `json:"backup"`
	}
	if err := json.Unmarshal(whole, &stored); err != nil {
		t.Fatal(err)
	}
	stored.Backup = json.RawMessage(strings.Replace(string(stored.Backup), `"format":1`, `"format":3`, 1))
	digest := sha256.Sum256(stored.Backup)
	stored.SHA256 = hex.EncodeToString(digest[:])
	changed, err := json.Marshal(stored)
	if err != nil || string(changed) == string(whole) {
		t.Fatalf("the changed list is %s, %v", changed, err)
	}
	if err := os.WriteFile(list, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "made by a newer version of clave; use that version"
	at = series.New(series.Options{Target: p.Target})
	all, err := at.List(t.Context())
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Damage, want) {
		t.Fatalf("List = %+v, %v", all, err)
	}
	before := len(objects(t, p))
	if err := at.Check(t.Context(), all[0]); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(fault.Reason(err), want) {
		t.Errorf("Check = %v", err)
	}
	if _, err := restored(t, at, all[0]); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(fault.Reason(err), want) {
		t.Errorf("Restore = %v", err)
	}
	if n := len(objects(t, p)); n != before {
		t.Errorf("%d of %d objects are left", n, before)
	}
	if err := os.WriteFile(filepath.Join(p.String(), "series.json"), []byte(`{"format": 2, "data": "a"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.make(at); !fault.Is(err, fault.FailedPrecondition) || !strings.Contains(fault.Reason(err), "was written by a newer version of clave") {
		t.Errorf("a backup to the place of a newer version: %v", err)
	}
}

// TestAFullFolder makes backups to disks that are too small. Nothing is listed; once there is space, the next backup is
// complete.
func TestAFullFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	s := open(t)
	for _, size := range []string{"4k", "16k"} {
		disk := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "backup", disk).CombinedOutput(); err != nil {
			t.Skipf("no small disk can be mounted: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
		at := series.New(series.Options{Target: target.Folder{Dir: disk}})
		if _, _, err := s.make(at); !fault.Is(err, fault.ResourceExhausted) || !strings.Contains(fault.Reason(err), "there is no space for it in "+disk) {
			t.Errorf("a backup to a disk of %s = %v, want RESOURCE_EXHAUSTED", size, err)
		}
		if all, err := at.List(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("on the disk of %s there are %+v, %v", size, all, err)
		}
		if out, err := exec.Command("mount", "-o", "remount,size=64m", disk).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b, _ := s.must(at)
		if n, err := restored(t, at, b); err != nil || n != 200 {
			t.Errorf("with space, the backup on the disk of %s has %d values, %v", size, n, err)
		}
	}
}

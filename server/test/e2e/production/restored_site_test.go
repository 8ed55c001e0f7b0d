package production

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// TestARestoredSiteIsServed deploys a site to a server with backups on a schedule, and restores a backup to a folder
// with which a server is started. It serves the site of that backup with its channel, and another release can be made.
func TestARestoredSiteIsServed(t *testing.T) {
	harness.Alone(t, "a backup is restored into a data folder")
	harness.Parallel(t)
	dir, backups := harness.ProductionFolder(t), filepath.Join(t.TempDir(), "backups")
	d, port := &deployer{t: t}, harness.FreePorts(t, 1)[0]
	serve := func(args ...string) *harness.Production {
		p := harness.Serve(t, dir, false, append([]string{"--trust-proxy", "--admin-api", fmt.Sprintf("127.0.0.1:%d", port)}, args...)...)
		own := *p
		own.URL = fmt.Sprintf("http://127.0.0.1:%d", port)
		d.p = &own
		return p
	}
	release := func(text string) {
		t.Helper()
		version := d.begin(text, true)
		d.do("PATCH", "/v1beta1/"+version, map[string]any{"status": "FINALIZED"})
		d.do("POST", site+"/channels/live/releases?versionName="+version, map[string]any{})
	}
	p := serve("--backup-to", backups, "--backup-every", "1s", "--backup-verify", "0")
	harness.CreateKeyFor(t, dir, "deployer", p.URL)
	d.bearer = "Bearer " + harness.FirebaseCLI{Dir: dir}.Token(t, "deployer.json")
	release("the site of the backup")
	d.do("POST", site+"/channels?channelId=pr-1", map[string]any{})
	// A backup that was being made at the release may lack it, so the one after it is awaited, too.
	before := len(listed(t, backups))
	wait.Until(t, "two backups after the release", func() bool { return len(listed(t, backups)) >= before+2 })
	p.Stop(t)
	p = serve()
	release("the site after the backup")
	if _, page := harness.Read(t, p.Client, p.URL+"/"); page != "the site after the backup" {
		t.Fatalf("the site is %q before the restore", page)
	}
	p.Stop(t)
	if out, err := harness.Command(t, dir, "backups", "restore", "--from", backups, "--data", "restored").CombinedOutput(); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	p = serve("--data", "restored")
	for _, path := range []string{"/", "/copy.html"} {
		if res, page := harness.Read(t, p.Client, p.URL+path); res.StatusCode != http.StatusOK || page != "the site of the backup" {
			t.Errorf("the restored site answers %s with %d %q", path, res.StatusCode, page)
		}
	}
	if name := fmt.Sprint(d.do("GET", site+"/channels/pr-1", nil)["name"]); !strings.HasSuffix(name, "/channels/pr-1") {
		t.Errorf("the channel of the restored site is %s", name)
	}
	release("the site after the restore")
	if _, page := harness.Read(t, p.Client, p.URL+"/"); page != "the site after the restore" {
		t.Errorf("the restored site is %q after a release", page)
	}
	p.Stop(t)
}

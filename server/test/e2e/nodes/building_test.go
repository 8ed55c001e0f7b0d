package nodes

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"clave/server/internal/base/clock"
	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// testBuildingNode starts a node while the table that its replica is built from is locked. The node forwards requests
// meanwhile, but is not healthy, because it could not take over. Then it takes over, and says how long that took: less
// than it has followed.
func testBuildingNode(t *testing.T, url string) {
	leader := newNode(t, url, "")
	leader.await("Clave ready")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	lock, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), "lock table clave_state in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	began := clock.System().Now()
	folder, port := harness.ProjectFolder(t, nil)
	second := &node{folder: folder, port: port, cmd: harness.Command(t, folder, "start", "--project", harness.Project, "--data", folder+"/.clave")}
	second.cmd.Env = append(second.cmd.Environ(), "CLAVE_STORE="+url)
	lines := bufio.NewScanner(harness.StartPiped(t, second.cmd))
	health := func(code int, text string) func() bool {
		return func() bool {
			got, answer := second.request(t, http.MethodGet, "/__/health", "")
			if strings.HasPrefix(answer, "ok") && code != http.StatusOK {
				t.Fatalf("a node without a replica answers %d %q", got, answer)
			}
			return got == code && answer == text
		}
	}
	wait.Until(t, "the node builds its replica", health(http.StatusServiceUnavailable, "building\n"))
	second.wantPut(t, "forwarded")
	if !health(http.StatusServiceUnavailable, "building\n")() {
		t.Error("the node does not build its replica any more")
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the node follows", health(http.StatusOK, "ok follower\n"))
	killed := clock.System().Now()
	leader.kill(t)
	stop := harness.Limited(second.cmd)
	defer stop()
	for lines.Scan() {
		var ms int64
		if n, _ := fmt.Sscanf(lines.Text(), "Clave ready in %d ms after it took the lead", &ms); n == 1 {
			took, followed := time.Duration(ms)*time.Millisecond, killed.Sub(began)
			if most := clock.System().Now().Sub(killed); took > most {
				t.Errorf("%q %v after the former leader was killed, before which it has followed for %v", lines.Text(), most, followed)
			}
			return
		}
	}
	t.Error("the node does not say that it is ready")
}

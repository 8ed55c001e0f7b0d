package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/internal/store/postgres/pgtest"
)

// exporting is a leader and a follower whose data are exported into the folder seed in parent.
type exporting struct {
	t                *testing.T
	leader, follower *member
	parent           string
}

// newExporting starts the nodes and fills them.
func newExporting(t *testing.T, url string) *exporting {
	t.Helper()
	var nodes []*member
	for _, role := range []string{"leader", "follower"} {
		m := &member{site: newSite(t)}
		m.site.args = append(m.site.args, "--store", url)
		m.launch()
		m.await("has the role "+role, func() bool { return m.role() == role })
		nodes = append(nodes, m)
	}
	nodes[0].site.fillExported()
	return &exporting{t, nodes[0], nodes[1], t.TempDir()}
}

// export requests an export at the follower, which forwards the request to the leader.
func (e *exporting) export(ctx context.Context) error {
	body := fmt.Sprintf(`{"database":%q,"export_directory":%q,"export_name":"seed"}`, database, e.parent)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.follower.site.http+"/emulator/v1/projects/"+project+":export", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	return nil
}

// mustExport is export, and then checks that there is nothing beside the export.
func (e *exporting) mustExport() {
	e.t.Helper()
	if err := e.export(e.t.Context()); err != nil {
		e.t.Fatalf("export: %v\n%s", err, e.leader.srv.logged())
	}
	e.leader.await("leaves the export alone", func() bool { // an export whose client was killed may just end
		entries, err := os.ReadDir(e.parent)
		return err == nil && len(entries) == 1
	})
}

// killDuring kills a node at a random time of an export, and starts it again.
func (e *exporting) killDuring(m *member, whole time.Duration) {
	e.t.Helper()
	ctx, stop := context.WithCancel(e.t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- e.export(ctx) }()
	<-time.After(rand.N(whole))
	m.srv.kill()
	stop()
	<-ended // with an error, or complete
	checkExports(e.t, e.parent)
	if m == e.leader {
		e.leader, e.follower = e.follower, e.leader
	}
	e.leader.await("leads", func() bool { return e.leader.role() == "leader" })
	m.launch()
	m.await("follows", func() bool { return m.role() == "follower" })
}

// checkExports imports each folder in parent, which must be a complete export, or one of a killed command, which an
// import must refuse unless it is complete.
func checkExports(t *testing.T, parent string) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		dir, is := filepath.Join(parent, entry.Name()), entry.Name() == "seed"
		if !is {
			dir = filepath.Join(dir, "export")
		}
		into := newSite(t)
		out, err := into.run("import", dir, "--data", into.data, "--project", project)
		complete := err == nil && strings.Contains(out, fmt.Sprintf("%d documents", exported))
		if !complete && (is || err == nil) {
			t.Errorf("import of %s after a kill: %v\n%s\nwant %d documents", dir, err, out, exported)
		}
	}
}

// TestKilledExportsOfNodes kills the leader and a follower during exports, and exports by the command, at random times.
// Each folder that is left must have a complete export, or imports must refuse it, and the next export must remove it.
func TestKilledExportsOfNodes(t *testing.T) {
	url := pgtest.New(t).Database()
	e := newExporting(t, url)
	began := time.Now()
	e.mustExport()
	whole := time.Since(began)
	for range max(1, tries(t)/4) {
		e.killDuring(e.leader, whole)
		e.mustExport()
		e.killDuring(e.follower, whole)
		e.mustExport()
	}
	e.follower.srv.stop()
	e.leader.srv.stop()
	s := e.leader.site
	args := []string{"export", filepath.Join(t.TempDir(), "seed"), "--store", url, "--data", s.data, "--project", project}
	began = time.Now()
	if out, err := s.run(args...); err != nil {
		t.Fatalf("export: %v\n%s", err, out)
	}
	whole = time.Since(began)
	for range max(1, tries(t)/4) {
		killWithin(s.begin(args...), whole)
		checkExports(t, filepath.Dir(args[1]))
	}
	if out, err := s.run(args...); err != nil {
		t.Fatalf("export after killed ones: %v\n%s", err, out)
	}
	checkExports(t, filepath.Dir(args[1]))
}

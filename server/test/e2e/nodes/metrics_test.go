package nodes

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// scraped is a response of the metrics port.
type scraped string

// scrape returns the metrics of a port.
func scrape(t *testing.T, port int) scraped {
	t.Helper()
	code, text := harness.Plain(t, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/metrics", port), "")
	if code != http.StatusOK {
		t.Fatalf("the metrics answer %d %s", code, text)
	}
	return scraped(text)
}

// value returns the value of a series, 0 if there is none.
func (s scraped) value(t *testing.T, series string) float64 {
	t.Helper()
	for line := range strings.Lines(string(s)) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			var v float64
			if _, err := fmt.Sscan(rest, &v); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			return v
		}
	}
	return 0
}

// namesIn returns the names of metrics that the dashboard, the alerts and the documentation mention.
func namesIn(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, file := range []string{"metrics/grafana.json", "metrics/alerts.yml", "metrics.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "doc", file))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`clave_[a-z_]*[a-z]`).FindAllString(string(text), -1)
		if len(found) < 15 {
			t.Errorf("%s names %d metrics only", file, len(found))
		}
		for _, name := range found {
			names[name] = true
		}
	}
	return names
}

// checkNames checks that metrics exist, except those with some prefixes.
func (s scraped) checkNames(t *testing.T, but ...string) {
	t.Helper()
	has := make(map[string]bool)
	for line := range strings.Lines(string(s)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "# TYPE "), " ")
		name, _, _ = strings.Cut(name, "{")
		has[name] = true
	}
	for name := range namesIn(t) {
		if !has[name] && !slices.ContainsFunc(but, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			t.Errorf("the program has no metric %s", name)
		}
	}
}

// TestMetrics makes calls to `clave serve` over several transports and compares its metrics, which must not contain
// anything that a client sent, but the pattern of a collection that it could write.
func TestMetrics(t *testing.T) {
	harness.Alone(t, "each node has metrics of its own, see TestMetricsOfNodes")
	dir := harness.ProductionFolder(t)
	port := harness.FreePorts(t, 1)[0]
	p := harness.Serve(t, dir, false, "--metrics", fmt.Sprint(port), "--backup-to", filepath.Join(t.TempDir(), "backups"))
	post := func(path, token, body string) (int, string) {
		t.Helper()
		return send(t, p.Client, http.MethodPost, p.URL+path, token, body)
	}
	documents := "/v1/projects/" + harness.RealProject + "/databases/(default)/documents"
	code, text := post("/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", "", `{"email": "secret-person@example.org", "password": "secret-password", "returnSecureToken": true}`)
	if code != http.StatusOK {
		t.Fatalf("sign-up: %d %s", code, text)
	}
	token, uid := regexp.MustCompile(`"idToken":\s*"([^"]+)"`).FindStringSubmatch(text)[1], regexp.MustCompile(`"localId":\s*"([^"]+)"`).FindStringSubmatch(text)[1]
	if code, text := post("/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", "", `{"email": "secret-person@example.org", "password": "wrong-password"}`); code != http.StatusBadRequest {
		t.Fatalf("wrong password: %d %s", code, text)
	}
	write := `{"writes": [{"update": {"name": "projects/` + harness.RealProject + `/databases/(default)/documents/%s", "fields": {"secret-field": {"stringValue": "secret-value"}}}}]}`
	if code, text := post(documents+":commit", token, fmt.Sprintf(write, "mine/"+uid)); code != http.StatusOK {
		t.Fatalf("commit: %d %s", code, text)
	}
	if code, text := post(documents+":commit", "", fmt.Sprintf(write, "mine/"+uid)); code != http.StatusForbidden {
		t.Fatalf("denied commit: %d %s", code, text)
	}
	for i := range 20 {
		post(fmt.Sprintf("%s:secretMethod%d", documents, i), token, "{}")
		post(fmt.Sprintf("/identitytoolkit.googleapis.com/v1/accounts:secretMethod%d?key=k", i), "", "{}")
		send(t, p.Client, fmt.Sprintf("SECRET%d", i), p.URL+documents+"/secret/path", token, "{}")
	}
	m := scrape(t, port)
	for series, want := range map[string]float64{
		`clave_calls_total{code="OK",method="Commit",transport="rest"}`:                  1,
		`clave_calls_total{code="PERMISSION_DENIED",method="Commit",transport="rest"}`:   1,
		`clave_calls_total{code="NOT_FOUND",method="other",transport="rest"}`:            40,
		`clave_calls_total{code="NOT_FOUND",method="other",transport="auth"}`:            20,
		`clave_calls_total{code="OK",method="accounts:signUp",transport="auth"}`:         1,
		`clave_calls_open{method="Commit",transport="rest"}`:                             0,
		`clave_call_duration_seconds_count{method="Commit",transport="rest"}`:            2,
		`clave_call_duration_seconds_bucket{method="Commit",transport="rest",le="+Inf"}`: 2,
		`clave_operation_duration_seconds_count{operation="commit"}`:                     2,
		`clave_commits_total`: 1,
		`clave_billed_operations_total{operation="write",pattern="mine"}`:            1,
		`clave_billed_operations_total{operation="write",pattern="(all)"}`:           1,
		`clave_documents_written_total`:                                              1,
		`clave_operations_denied_total`:                                              1,
		`clave_rule_decisions_total{decision="allow",method="create"}`:               1,
		`clave_rule_decisions_total{decision="deny",method="update"}`:                1,
		`clave_sign_in_attempts_total{code="OK",method="sign-up"}`:                   1,
		`clave_sign_in_attempts_total{code="FAILED_PRECONDITION",method="password"}`: 1,
		`clave_sign_ins_total`:                                                       1,
		`clave_healthy`:                                                              1,
	} {
		if got := m.value(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	if t.Failed() {
		t.Logf("%s", m)
	}
	for _, series := range []string{"clave_commit_group_size_count", "clave_store_bytes", "clave_store_free_bytes", "clave_memory_bytes", "process_start_time_seconds"} {
		if m.value(t, series) <= 0 {
			t.Errorf("%s is not above 0", series)
		}
	}
	if found := regexp.MustCompile(`(?i)secret|wrong-|example\.org|` + uid).FindString(string(m)); found != "" {
		t.Errorf("the metrics hold %q", found)
	}
	m.checkNames(t, "clave_node_", "clave_calls_forwarded_")
	attackMetrics(t, p, port)
}

// attackMetrics requests the metrics from the public port, and with a foreign Host header as after DNS rebinding.
func attackMetrics(t *testing.T, p *harness.Production, port int) {
	t.Helper()
	if _, text := send(t, p.Client, http.MethodGet, p.URL+"/metrics", "", ""); strings.Contains(text, "clave_") {
		t.Error("the public port shows the metrics")
	}
	own := fmt.Sprintf("http://127.0.0.1:%d", port)
	for path, want := range map[string]int{"/": http.StatusNotFound, "/debug/pprof/": http.StatusNotFound, "/v1/projects/p/databases/(default)/documents/a/b": http.StatusNotFound} {
		if code, text := send(t, p.Client, http.MethodGet, own+path, "", ""); code != want {
			t.Errorf("%s at the metrics' port answers %d %s", path, code, text)
		}
	}
	if code, _ := send(t, p.Client, http.MethodPost, own+"/metrics", "", ""); code != http.StatusMethodNotAllowed {
		t.Errorf("POST of the metrics answers %d", code)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, own+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "attacker.example.org"
	res, err := p.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden || res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("under another host's name the metrics answer %s with %v", res.Status, res.Header)
	}
}

// send sends a request, with a token if one is given, and returns the answer.
func send(t *testing.T, client *http.Client, method, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// awaitValue scrapes a port until a series has a value, and returns the metrics.
func awaitValue(t *testing.T, port int, series string, want float64) scraped {
	t.Helper()
	limit := clock.System().Now().Add(harness.WaitLimit)
	for {
		m := scrape(t, port)
		got := m.value(t, series)
		if got == want {
			return m
		}
		if clock.System().Now().After(limit) {
			t.Fatalf("%s is %v after %v, want %v", series, got, harness.WaitLimit, want)
		}
		if err := clock.Sleep(t.Context(), clock.System(), 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// wantValues compares series with their values.
func (s scraped) wantValues(t *testing.T, values map[string]float64) {
	t.Helper()
	for series, want := range values {
		if got := s.value(t, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
}

// wantAbove checks that series have values above 0.
func (s scraped) wantAbove(t *testing.T, all ...string) {
	t.Helper()
	for _, series := range all {
		if s.value(t, series) <= 0 {
			t.Errorf("%s is not above 0", series)
		}
	}
}

// TestMetricsOfNodes compares the metrics of a leader and of a follower, each with a listener. The follower forwards
// commits.
func TestMetricsOfNodes(t *testing.T) {
	store := pgtest.New(t).Database()
	leader, follower, at := twoMeasured(t, store, store)
	var listeners []*firestore.QuerySnapshotIterator
	for _, client := range at {
		changes := client.Collection("c").Snapshots(t.Context())
		defer changes.Stop()
		listeners = append(listeners, changes)
	}
	for want := range 3 {
		for i, changes := range listeners {
			snapshot, err := changes.Next()
			if err != nil || snapshot.Size != want {
				t.Fatalf("snapshot %d at node %d: %v %v", want, i, snapshot, err)
			}
		}
		if _, err := at[1].Collection("c").NewDoc().Create(t.Context(), map[string]any{"n": want}); err != nil {
			t.Fatal(err)
		}
	}
	before := scrape(t, follower.metrics)
	for range 2 {
		if code, text := follower.put(t, "forwarded"); code != http.StatusOK && code != http.StatusConflict {
			t.Fatalf("create at the follower: %d %s", code, text)
		}
	}
	if code, text := follower.request(t, http.MethodPatch, "/v1/secret/path", "{}"); code != http.StatusNotFound {
		t.Fatalf("an unknown method: %d %s", code, text)
	}
	checkLeader(t, leader.metrics)
	// The call is counted after the response.
	awaitValue(t, follower.metrics, `clave_calls_forwarded_total{code="NOT_FOUND",method="other",transport="rest"}`, 1)
	// The follower's listener costs one read for a query without results, and one for each of three documents.
	awaitValue(t, follower.metrics, `clave_billed_operations_total{operation="read",pattern="c"}`, 4)
	m := awaitValue(t, follower.metrics, "clave_node_log_lag_rows{node=\""+nameOf(t, follower.node)+"\"}", 0)
	m.wantValues(t, map[string]float64{
		`clave_node_role{role="leader"}`: 0, `clave_node_role{role="follower"}`: 1, `clave_node_epoch`: 1, `clave_healthy`: 1, `clave_listen_streams`: 1,
		`clave_listen_targets`: 1, `clave_calls_open{method="Listen",transport="grpc"}`: 1, `clave_commits_total`: 0,
		`clave_calls_forwarded_total{code="OK",method="Commit",transport="grpc"}`:                     3,
		`clave_calls_forwarded_total{code="OK",method="CreateDocument",transport="rest"}`:             1,
		`clave_calls_forwarded_total{code="ALREADY_EXISTS",method="CreateDocument",transport="rest"}`: 1,
		`clave_billed_operations_total{operation="write",pattern="(all)"}`:                            0,
	})
	m.wantAbove(t, "clave_store_bytes", "clave_store_free_bytes", "clave_memory_bytes", "clave_fanout_delay_seconds_count",
		`clave_calls_total{code="OK",method="BatchGetDocuments",transport="grpc"}`)
	if strings.Contains(string(m), "clave_node_state_lag_rows") || strings.Count(string(m), "clave_node_log_lag_rows{") != 1 {
		t.Errorf("the follower reports what it does not have: %s", m)
	}
	if strings.Contains(string(m), "secret") || before.value(t, "clave_healthy") != 1 {
		t.Errorf("the follower's metrics: %s", m)
	}
	m.checkNames(t, "clave_node_state_", "clave_backup", "clave_history")
}

// nameOf returns the name of a node.
func nameOf(t *testing.T, n *node) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, "node"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// checkLeader compares the metrics of the leader with a listener, after four commits.
func checkLeader(t *testing.T, port int) {
	t.Helper()
	limit := clock.System().Now().Add(harness.WaitLimit)
	m := scrape(t, port)
	for strings.Count(string(m), "clave_node_log_lag_rows{") < 2 && clock.System().Now().Before(limit) {
		m = scrape(t, port) // The follower reports its position several times a second.
	}
	m.wantValues(t, map[string]float64{
		`clave_node_role{role="leader"}`: 1, `clave_node_role{role="follower"}`: 0, `clave_node_epoch`: 1, `clave_healthy`: 1, `clave_listen_streams`: 1,
		`clave_listen_targets`: 1, `clave_calls_open{method="Listen",transport="grpc"}`: 1, `clave_commits_total`: 5,
	})
	if n := m.value(t, "clave_fanout_delay_seconds_count"); n < 2 {
		t.Errorf("%v commits were counted on their way to the listener, want at least 2", n)
	}
	if n := strings.Count(string(m), "clave_node_log_lag_rows{"); n != 2 {
		t.Errorf("the leader reports the lag of %d nodes, want 2", n)
	}
	m.checkNames(t, "clave_calls_forwarded_", "clave_node_reads_", "clave_backup")
}

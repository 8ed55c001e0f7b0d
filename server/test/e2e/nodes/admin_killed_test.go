package nodes

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"clave/server/internal/transport/hosting/versions/versionstest"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/wait"
)

// builtIndexes is the number of indexes that are being built when the leader is killed.
const builtIndexes = 4

// killed kills the leader while it builds indexes that a node that follows was asked for, while a deployment waits for
// them, and while a database is deleted. Another node leads afterwards: it continues the builds and the deletion, and
// the deployment is either whole or has changed nothing.
func (a *administeredNodes) killed() {
	t := a.t
	t.Helper()
	const project = "/v1/projects/" + harness.RealProject
	// The indexes are of another database than those of the deployment, which removes what its files lack.
	const built = "projects/" + harness.RealProject + "/databases/made-here/documents/built"
	var writes []any
	for i := range 500 {
		number := map[string]any{"integerValue": fmt.Sprint(i)}
		writes = append(writes, map[string]any{"update": map[string]any{"name": fmt.Sprintf("%s/d%d", built, i), "fields": map[string]any{"a": number, "b": number}}})
	}
	if code, answer := a.nodes[1].Request(t, http.MethodPost, project+"/databases/made-here/documents:commit", "Bearer "+a.token, map[string]any{"writes": writes}); code != http.StatusOK {
		t.Fatalf("the documents were not written: %d %v", code, answer)
	}
	a.write("killed")
	var operations []string
	for i := range builtIndexes {
		fields := []any{map[string]any{"fieldPath": "a", "order": "ASCENDING"}, map[string]any{"fieldPath": fmt.Sprintf("b%d", i), "order": "DESCENDING"}}
		code, answer := a.call(1+i%2, http.MethodPost, project+"/databases/made-here/collectionGroups/built/indexes", map[string]any{"queryScope": "COLLECTION", "fields": fields})
		name, _ := answer["name"].(string)
		if code != http.StatusOK || name == "" {
			t.Fatalf("an index at a node that follows: %d %v", code, answer)
		}
		operations = append(operations, name)
	}
	site := a.beginsSite("third page")
	left := *a // the nodes that are left
	left.nodes, left.ports = a.nodes[1:], a.ports[1:]
	deployed := make(chan error, 1)
	go func() {
		out, err := left.Deploy(t, left.ports[0])
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		deployed <- err
	}()
	deleted := make(chan struct{})
	go func() {
		defer close(deleted)
		left.attempt(1, http.MethodDelete, project+"/databases/restored")
	}()
	if err := a.nodes[0].Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = a.nodes[0].Cmd.Wait() // by the signal
	for _, name := range operations {
		var answer map[string]any
		wait.Until(t, "the next leader has built the index of "+name, func() bool {
			_, answer = left.call(1, http.MethodGet, "/v1/"+name, nil)
			return answer["done"] == true
		})
		if answer["error"] != nil {
			t.Errorf("the operation %s has ended with %v", name, answer["error"])
		}
	}
	_, answer := left.call(0, http.MethodGet, project+"/databases/made-here/collectionGroups/built/indexes", nil)
	if ready := strings.Count(fmt.Sprint(answer), "state:READY"); ready < builtIndexes {
		t.Errorf("%d of %d indexes are ready: %v", ready, builtIndexes, answer)
	}
	left.wantPages("after the kill", "", "first page")
	left.wantPages("after the kill", a.preview, "second page")
	left.completesSite(site)
	left.wantPages("after the deployment was completed", "", "third page")
	last := "cli"
	if err := <-deployed; err == nil {
		last = "killed"
	} else {
		t.Logf("the deployment: %v", err)
	}
	wait.Until(t, "one release is in force", func() bool {
		rules, _ := left.document(0, http.MethodGet, "(default)", "killed/x", false)
		indexes := left.nodes[0].query(t, "killed", "Bearer "+a.token)
		whole := (rules == http.StatusNotFound) == (indexes == http.StatusOK)
		return whole && (last == "cli" || rules == http.StatusNotFound)
	})
	if out, err := left.Deploy(t, left.ports[1]); err != nil || !strings.Contains(out, "is in force") && !strings.Contains(out, "Nothing to do") {
		t.Errorf("clave deploy after the kill: %v\n%s", err, out)
	}
	wantReadable(t, left.nodes, "killed", "cli")
	wantQuery(t, left.nodes, "killed", http.StatusOK)
	<-deleted
	wait.Until(t, "the database is deleted", func() bool {
		code, _ := left.call(0, http.MethodDelete, project+"/databases/restored", nil)
		return code == http.StatusNotFound
	})
	left.wantDocuments("after the deletion", "restored", "open/one", true, http.StatusNotFound, "does not exist for project")
}

// attempt makes a call at a node, which may fail or be cut, because the leader is killed meanwhile.
func (a *administeredNodes) attempt(node int, method, path string) {
	r, err := http.NewRequestWithContext(a.t.Context(), method, fmt.Sprintf("https://127.0.0.1:%d%s", a.ports[node], path), http.NoBody)
	if err != nil {
		a.t.Error(err)
		return
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	if res, err := a.nodes[node].Client.Do(r); err == nil {
		_ = res.Body.Close()
	}
}

// beginsSite creates a version of a page at a node that follows, and uploads its content. It returns the name.
func (a *administeredNodes) beginsSite(text string) string {
	t := a.t
	t.Helper()
	_, answer := a.call(1, http.MethodPost, "/v1beta1/projects/"+harness.RealProject+"/sites/"+harness.RealProject+"/versions", map[string]any{})
	name, _ := answer["name"].(string)
	content, hash := versionstest.Pack(t, text)
	_, answer = a.call(2, http.MethodPost, "/v1beta1/"+name+":populateFiles", map[string]any{"files": map[string]string{"/index.html": hash}})
	to, _ := answer["uploadUrl"].(string)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to+"/"+hash, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	// Do closes it
	if res, body := harness.Do(t, a.nodes[2].Client, r); res.StatusCode != http.StatusOK {
		t.Fatalf("the upload to %s: %d %s", to, res.StatusCode, body)
	}
	return name
}

// completesSite finalizes and releases a version.
func (a *administeredNodes) completesSite(name string) {
	t := a.t
	t.Helper()
	if code, answer := a.call(0, http.MethodPatch, "/v1beta1/"+name, map[string]any{"status": "FINALIZED"}); code != http.StatusOK {
		t.Errorf("the finalization after the kill: %d %v", code, answer)
	}
	if code, answer := a.call(1, http.MethodPost, "/v1beta1/projects/"+harness.RealProject+"/sites/"+harness.RealProject+"/releases?versionName="+name, map[string]any{}); code != http.StatusOK {
		t.Errorf("the release after the kill: %d %v", code, answer)
	}
}

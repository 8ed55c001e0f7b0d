package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/firestore/apiv1/firestorepb"
)

// kinds is the number of documents of TestKilledIndexChanges.
const kinds = 2000

// withIndexes writes the index file of a site, with the composite index of kind and v or without it.
func (s *site) withIndexes(indexed bool) {
	s.t.Helper()
	text := `{"indexes": []}`
	if indexed {
		text = `{"indexes": [{"collectionGroup": "kinds", "queryScope": "COLLECTION", "fields": [{"fieldPath": "kind", "order": "ASCENDING"}, {"fieldPath": "v", "order": "ASCENDING"}]}]}`
	}
	if err := os.WriteFile(filepath.Join(s.dir, "indexes.json"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// configured adds entries to the site's firebase.json.
func (s *site) configured(key string, value any) {
	s.t.Helper()
	path := filepath.Join(s.dir, "firebase.json")
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	content := make(map[string]any)
	if err := json.Unmarshal(text, &content); err != nil {
		s.t.Fatal(err)
	}
	content[key] = value
	if text, err = json.Marshal(content); err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// setKinds writes all documents of a query by kind. Their kinds differ from round to round.
func (s *site) setKinds(c client, round int) {
	s.t.Helper()
	const batch = 500
	for from := 0; from < kinds; from += batch {
		var writes []*firestorepb.Write
		for i := from; i < from+batch; i++ {
			writes = append(writes, set(fmt.Sprintf("kinds/%d", i), fields{"kind": int64((i + round) % 3), "v": int64(i)}))
		}
		if _, err := c.commit(s.t.Context(), nil, writes...); err != nil {
			s.t.Fatal(err)
		}
	}
}

// checkKinds compares a query by the index with all documents.
func (s *site) checkKinds(c client, when string) {
	t := s.t
	t.Helper()
	if !c.indexed(t, "kinds") {
		t.Errorf("%s: the query does not use the index", when)
	}
	all, err := c.query(t.Context(), nil, "kinds", "", "", 0)
	if err != nil || len(all) != kinds {
		t.Fatalf("%s: there are %d documents, %v", when, len(all), err)
	}
	want := 0
	for _, f := range all {
		if f["kind"] == 1 {
			want++
		}
	}
	found, err := c.byKind(t, 1)
	if err != nil || len(found) != want {
		t.Errorf("%s: the query by the index has %d documents, %v; want %d", when, len(found), err, want)
	}
	for path, f := range found {
		if all[path]["kind"] != 1 || f["v"] != all[path]["v"] {
			t.Errorf("%s: the query by the index has %s with %v, which is %v", when, path, f, all[path])
		}
	}
}

// byKind runs the query of the index.
func (c client) byKind(t *testing.T, kind int64) (map[string]fields, error) {
	t.Helper()
	q := &firestorepb.StructuredQuery{
		From:    []*firestorepb.StructuredQuery_CollectionSelector{{CollectionId: "kinds"}},
		OrderBy: []*firestorepb.StructuredQuery_Order{{Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: "v"}}},
		Where: &firestorepb.StructuredQuery_Filter{FilterType: &firestorepb.StructuredQuery_Filter_FieldFilter{FieldFilter: &firestorepb.StructuredQuery_FieldFilter{
			Field: &firestorepb.StructuredQuery_FieldReference{FieldPath: "kind"}, Op: firestorepb.StructuredQuery_FieldFilter_EQUAL, Value: fields{"": kind}.values()[""],
		}}},
	}
	stream, err := c.rpc.RunQuery(t.Context(), &firestorepb.RunQueryRequest{Parent: root, QueryType: &firestorepb.RunQueryRequest_StructuredQuery{StructuredQuery: q}})
	if err != nil {
		return nil, err
	}
	return collect(stream.Recv, (*firestorepb.RunQueryResponse).GetDocument)
}

// TestKilledIndexChanges kills starts that add or delete an index, at random times. Between them the documents change,
// with and without the index. At the end the index must have exactly the entries of the documents.
func TestKilledIndexChanges(t *testing.T) {
	s := newSite(t)
	s.configured("firestore", map[string]any{"indexes": "indexes.json"})
	s.args = append(s.args, "--indexes", "enforce")
	s.withIndexes(false)
	srv, c := s.start(), newClient(t, s.addr)
	c.connect(t)
	s.setKinds(c, 0)
	srv.stop()
	s.withIndexes(true)
	began := time.Now()
	srv = s.start()
	whole := time.Since(began)
	c.connect(t)
	s.checkKinds(c, "after the first build")
	srv.kill()
	for round := range tries(t) {
		for _, indexed := range []bool{false, true} {
			s.withIndexes(indexed)
			killed, ready := s.launch()
			select {
			case <-ready:
			case <-time.After(rand.N(whole)):
			}
			killed.kill()
		}
		s.withIndexes(round%2 == 0)
		srv = s.start()
		c.connect(t)
		s.setKinds(c, round+1)
		srv.kill()
		s.withIndexes(true)
		srv = s.start()
		c.connect(t)
		s.checkKinds(c, fmt.Sprintf("after %d killed starts", 2*round+2))
		srv.stop()
	}
}

// call sends a privileged request with a JSON body to the program and returns the status and the answer.
func call(method, url string, in, out any) (int, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequest(method, url, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer owner")
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	if out == nil {
		return res.StatusCode, nil
	}
	return res.StatusCode, json.NewDecoder(res.Body).Decode(out)
}

// killedWithin sends a request and kills the program at a random time before the request has taken whole.
func (s *server) killedWithin(whole time.Duration, request func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		request()
	}()
	select {
	case <-done:
	case <-time.After(rand.N(whole)):
	}
	s.kill()
	<-done
}

// TestKilledDeletes kills the program while it deletes all documents of a database. Documents and queries by indexes
// must agree afterwards, and the same request must delete the rest.
func TestKilledDeletes(t *testing.T) {
	s := newSite(t)
	srv, c := s.start(), newClient(t, s.addr)
	c.connect(t)
	remove := func() (int, error) {
		return call(http.MethodDelete, s.http+"/emulator/v1/"+database+"/documents", nil, nil)
	}
	const count = 4000
	var whole time.Duration
	for round := range tries(t) + 1 {
		s.setSquares(c, "squares", count)
		if round == 0 { // to measure the time
			began := time.Now()
			if code, err := remove(); code != http.StatusOK || err != nil {
				t.Fatalf("the delete of all documents = %d, %v", code, err)
			}
			whole = time.Since(began)
			continue
		}
		srv.killedWithin(whole, func() { _, _ = remove() }) // ends with the program
		srv = s.start()
		c.connect(t)
		all, err := c.query(t.Context(), nil, "squares", "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		byIndex, err := c.query(t.Context(), nil, "squares", "v", "", 0)
		if err != nil || len(byIndex) != len(all) {
			t.Errorf("after a killed delete of %d documents there are %d, and %d by an index, %v", count, len(all), len(byIndex), err)
		}
		if code, err := remove(); code != http.StatusOK || err != nil {
			t.Errorf("the delete after a killed one = %d, %v", code, err)
		}
		for _, order := range []string{"", "v"} {
			if left, err := c.query(t.Context(), nil, "squares", order, "", 0); err != nil || len(left) > 0 {
				t.Errorf("after a delete that follows a killed one, a query by %q has %d documents, %v", order, len(left), err)
			}
		}
	}
	srv.stop()
}

// accountOf returns an account to import in a round.
func accountOf(round, i int) map[string]string {
	return map[string]string{
		"localId": fmt.Sprintf("r%du%d", round, i), "email": fmt.Sprintf("r%du%d@example.org", round, i), "phoneNumber": fmt.Sprintf("+1%03d555%04d", 200+round, i),
	}
}

// TestKilledAccountImports kills the program while it imports accounts. Each account must be absent, or complete with
// its address, and the same import must complete the rest.
func TestKilledAccountImports(t *testing.T) {
	s := newSite(t)
	s.args = []string{"start", "--only", "firestore,auth", "--project", project}
	const count = 1000
	var whole time.Duration
	for round := range tries(t) + 1 {
		srv := s.start()
		var users []map[string]string
		for i := range count {
			users = append(users, accountOf(round, i))
		}
		base := s.auth + "/identitytoolkit.googleapis.com/v1/projects/" + project
		add := func() (int, error) {
			return call(http.MethodPost, base+"/accounts:batchCreate", map[string]any{"users": users, "allowOverwrite": true}, nil)
		}
		if round > 0 {
			srv.killedWithin(whole, func() { _, _ = add() }) // ends with the program
			srv = s.start()
			s.checkAccounts(base, round, count, false)
		}
		began := time.Now()
		if code, err := add(); code != http.StatusOK || err != nil {
			t.Fatalf("the import of accounts = %d, %v", code, err)
		}
		whole = max(whole, time.Since(began))
		s.checkAccounts(base, round, count, true)
		srv.stop()
	}
}

// checkAccounts looks the accounts of a round up by id, address and number, which must find the same ones.
func (s *site) checkAccounts(base string, round, count int, all bool) {
	t := s.t
	t.Helper()
	found := make(map[string]int)
	for _, by := range []string{"localId", "email", "phoneNumber"} {
		for from := 0; from < count; from += 100 {
			var names []string
			for i := from; i < from+100; i++ {
				names = append(names, accountOf(round, i)[by])
			}
			var out struct {
				Users []struct{ LocalID, Email, PhoneNumber string }
			}
			if code, err := call(http.MethodPost, base+"/accounts:lookup", map[string]any{by: names}, &out); code != http.StatusOK || err != nil {
				t.Fatalf("look up by %s = %d, %v", by, code, err)
			}
			for _, u := range out.Users {
				if u.Email != u.LocalID+"@example.org" || u.PhoneNumber == "" {
					t.Errorf("the account %q has the address %q and the number %q", u.LocalID, u.Email, u.PhoneNumber)
				}
				found[by]++
			}
		}
	}
	if found["localId"] != found["email"] || found["localId"] != found["phoneNumber"] || all && found["localId"] != count {
		t.Errorf("the accounts that are found: %v; want the same numbers, of %d", found, count)
	}
}

// TestABackupDuringAnIndexBuild copies the data folder while an index is built, after a copy that was killed. A server
// on the copy must answer the index's query completely and build the index.
func TestABackupDuringAnIndexBuild(t *testing.T) {
	s := newSite(t)
	s.args = append(s.args, "--indexes", "auto")
	srv, c := s.start(), newClient(t, s.addr)
	c.connect(t)
	s.setKinds(c, 0)
	if _, err := c.byKind(t, 1); err != nil { // which begins the build
		t.Fatal(err)
	}
	copied := filepath.Join(s.dir, "copy")
	killWithin(s.begin("backup", copied+"-killed", "--data", s.data), 50*time.Millisecond)
	if out, err := s.run("backup", copied, "--data", s.data); err != nil {
		t.Fatalf("backup during an index build: %v\n%s", err, out)
	}
	await(t, "the removal of the killed command's copy", func() bool {
		left, err := filepath.Glob(copied + "*.part-*")
		return err == nil && len(left) == 0
	})
	srv.kill()
	s.data = filepath.Join(s.dir, "restored")
	if out, err := s.run("restore", copied, "--data", s.data); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	srv = s.start()
	c.connect(t)
	const want = (kinds + 1) / 3
	if found, err := c.byKind(t, 1); err != nil || len(found) != want {
		t.Errorf("the restored server's query has %d documents, %v; want %d", len(found), err, want)
	}
	await(t, "the index of the restored server", func() bool { return c.indexed(t, "kinds") })
	s.checkKinds(c, "after a backup during the build")
	srv.stop()
}

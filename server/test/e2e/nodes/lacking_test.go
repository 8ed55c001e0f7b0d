package nodes

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	"clave/server/internal/store/postgres/pgtest"

	"clave/server/test/e2e/harness"
)

// TestIndexesOfQueriesAtFollowers runs a query without an index at a follower. The follower answers it, and the leader
// builds the index and adds it to the file of its firebase.json.
func TestIndexesOfQueriesAtFollowers(t *testing.T) {
	url := pgtest.New(t).Database()
	folder, port := harness.ProjectFolder(t, map[string]string{"firestore.indexes.json": "{}"})
	harness.AddSection(t, folder, `"firestore": {"indexes": "firestore.indexes.json"}`)
	leader := (&node{folder: folder, dir: filepath.Join(folder, ".clave"), port: port}).again(t, url)
	leader.await("Clave ready")
	at := harness.ClientAt(t, leader.addr())
	for n := range 3 {
		if _, _, err := at.Collection("concerts").Add(t.Context(), map[string]any{"city": "Lima", "price": n}); err != nil {
			t.Fatal(err)
		}
	}
	follower := newMeasured(t, url)
	follower.await("Follower: ")
	c := harness.ClientAt(t, follower.addr())
	leader.wantPut(t, "one")
	follower.awaitLocal(t, c)
	q := c.Collection("concerts").Where("city", "==", "Lima").OrderBy("price", firestore.Desc)
	ctx, cancel := context.WithTimeout(t.Context(), harness.WaitLimit)
	defer cancel()
	query := func() { // repeats the query while the follower loads the changed indexes
		t.Helper()
		docs, err := q.Documents(ctx).GetAll()
		for status.Code(err) == codes.Unavailable && ctx.Err() == nil {
			docs, err = q.Documents(ctx).GetAll()
		}
		if err != nil || len(docs) != 3 || docs[0].Data()["price"] != int64(2) {
			t.Fatalf("the query at the follower: %d documents, %v", len(docs), err)
		}
	}
	query()
	for {
		text, err := os.ReadFile(filepath.Join(folder, "firestore.indexes.json"))
		if err == nil && strings.Contains(string(text), `"price"`) && strings.Contains(string(text), "DESCENDING") {
			break
		}
		if clock.Sleep(ctx, clock.System(), 20*time.Millisecond) != nil {
			t.Fatalf("the leader has not added the index: %s (%v)", text, err)
		}
	}
	query()
}

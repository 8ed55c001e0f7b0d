package sdk

import (
	"context"
	"fmt"
	"testing"

	"cloud.google.com/go/firestore"

	"clave/server/test/e2e/harness"
)

// TestManyStreamsOfOneConnection opens more live queries on one connection than a connection of HTTP/2 usually may, and
// then commits on it. A client whose connection had a limit would wait without an error: Node's gRPC library uses one
// connection for all of a program's clients of an emulator.
func TestManyStreamsOfOneConnection(t *testing.T) {
	t.Run("start", func(t *testing.T) {
		a := harness.Start(t, map[string]string{"firebase.json": `{"firestore": {}}`})
		manyStreams(t, harness.ClientAt(t, a.Firestore))
	})
	t.Run("serve", func(t *testing.T) {
		p := harness.Serve(t, harness.ProductionFolder(t), true, "--no-sign-up")
		_, client := p.Admin(t, harness.CreateKey(t, p.Dir, "many-streams"))
		manyStreams(t, client)
	})
}

// manyStreams opens 1,100 live queries of a client, one document each, and writes one of the documents.
func manyStreams(t *testing.T, client *firestore.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.WaitLimit)
	defer cancel()
	const n = 1100
	streams := make([]*firestore.DocumentSnapshotIterator, n)
	for i := range streams {
		streams[i] = client.Doc(fmt.Sprintf("many/d%d", i)).Snapshots(ctx)
		defer streams[i].Stop()
		if d, err := streams[i].Next(); err != nil || d.Exists() {
			t.Fatalf("the first snapshot of live query %d: %v, %v", i, d, err)
		}
	}
	if _, err := client.Doc("many/d7").Set(ctx, map[string]any{"n": 1}); err != nil {
		t.Fatalf("a write beside %d live queries: %v", n, err)
	}
	if d, err := streams[7].Next(); err != nil || !d.Exists() {
		t.Errorf("the live query of the document: %v, %v; want the document", d, err)
	}
}

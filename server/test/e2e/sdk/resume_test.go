package sdk

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/test/e2e/harness"
)

// brittle is a link to a server that can be cut and restored. It counts the bytes that the server sends.
type brittle struct {
	listener net.Listener
	to       string
	bytes    atomic.Int64
	running  sync.WaitGroup
	mu       struct {
		sync.Mutex
		// cut is set while connections are refused; conns are the open connections.
		cut   bool
		conns []net.Conn
	}
}

// newBrittle returns a link to a server, which is closed when the test ends.
func newBrittle(t *testing.T, to string) *brittle {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &brittle{listener: l, to: to}
	b.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b.running.Go(func() { b.pass(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		b.cut(true)
		b.running.Wait()
	})
	return b
}

// pass copies data between a client and the server until the link is cut.
func (b *brittle) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", b.to)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	b.mu.Lock()
	if b.mu.cut {
		b.mu.Unlock()
		return
	}
	b.mu.conns = append(b.mu.conns, client, server)
	b.mu.Unlock()
	up := make(chan struct{})
	go func() {
		defer close(up)
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(io.MultiWriter(client, b), server)
	_ = client.Close()
	<-up
}

// Write implements io.Writer and counts the bytes of the server.
func (b *brittle) Write(p []byte) (int, error) {
	b.bytes.Add(int64(len(p)))
	return len(p), nil
}

// cut cuts or restores the link.
func (b *brittle) cut(off bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.cut = off
	for _, c := range b.mu.conns {
		_ = c.Close()
	}
	b.mu.conns = nil
}

// TestGoListenerResumes checks that a listener of the Go SDK, after a loss of its connection, receives the changes and
// deletions since then and no document again.
func TestGoListenerResumes(t *testing.T) {
	const documents, size = 500, 2000
	a := harness.Start(t, nil)
	link := newBrittle(t, a.Firestore)
	t.Setenv("FIRESTORE_EMULATOR_HOST", a.Firestore)
	writer, err := firestore.NewClient(t.Context(), harness.Project)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	t.Setenv("FIRESTORE_EMULATOR_HOST", link.listener.Addr().String())
	reader, err := firestore.NewClient(t.Context(), harness.Project)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()

	batch := writer.Batch() //nolint:staticcheck // The test requires a single commit.
	docs := writer.Collection("resumed")
	for i := range documents {
		batch.Set(docs.Doc(fmt.Sprintf("d%03d", i)), map[string]any{"n": i, "text": strings.Repeat("x", size)})
	}
	if _, err := batch.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		query   firestore.Query
		left    int
		changes []string
	}{
		{"collection", reader.Collection("resumed").Query, documents - 1, []string{"modified d003", "removed d004"}},
		{"filter and order", reader.Collection("resumed").Where("n", ">=", 0).OrderBy("n", firestore.Asc), documents - 1, []string{"modified d003", "removed d004"}},
		{"limit", reader.Collection("resumed").OrderBy("n", firestore.Asc).Limit(100), 100, []string{"added d100", "modified d003", "removed d004"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := docs.Doc("d004").Set(t.Context(), map[string]any{"n": 4}); err != nil {
				t.Fatal(err)
			}
			snapshots := c.query.Snapshots(t.Context())
			defer snapshots.Stop()
			if first, err := snapshots.Next(); err != nil || first.Size != c.left && first.Size != documents {
				t.Fatalf("first snapshot: %v, %v", first, err)
			}
			link.cut(true)
			if _, err := docs.Doc("d003").Update(t.Context(), []firestore.Update{{Path: "seen", Value: time.Now()}}); err != nil {
				t.Fatal(err)
			}
			if _, err := docs.Doc("d004").Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
			link.bytes.Store(0)
			link.cut(false)
			next, err := snapshots.Next()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			kinds := map[firestore.DocumentChangeKind]string{
				firestore.DocumentAdded: "added", firestore.DocumentRemoved: "removed", firestore.DocumentModified: "modified",
			}
			for _, change := range next.Changes {
				got = append(got, kinds[change.Kind]+" "+change.Doc.Ref.ID)
			}
			slices.Sort(got)
			if next.Size != c.left || !slices.Equal(got, c.changes) {
				t.Errorf("after the cut: %d documents, %v; want %d and %v", next.Size, got, c.left, c.changes)
			}
			if bytes := link.bytes.Load(); bytes > 4*size+2000 {
				t.Errorf("resuming %d documents of %d bytes took %d bytes", c.left, size, bytes)
			}
		})
	}
}

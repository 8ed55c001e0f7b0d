package readindex_test

import (
	"context"
	"testing"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/cluster/readindex"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store/postgres"
	"clave/server/internal/store/postgres/pgtest"
	"clave/server/internal/store/postgres/readlease"
)

// TestARecallDoesNotWaitForItsWrite writes at a leader while another node has a lease. The response that recalls the
// lease must not wait for the write, which waits for the confirmation of that response.
func TestARecallDoesNotWaitForItsWrite(t *testing.T) {
	store, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.New(t).Database(), Node: "node", Derived: derive.IsEntry, Derive: derive.Entries})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Lead(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: store, Clock: store.Clock()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	db := resource.Database{Project: "p", ID: resource.DefaultDatabase}
	writes := 0
	write := func() error {
		writes++
		d := document.Write{Name: resource.Document{DB: db, Path: "c/d"}, Fields: value.Map{"n": value.Int(writes)}}
		_, err := e.Commit(context.WithoutCancel(t.Context()), db, request.Commit{Writes: []document.Write{d}}, engine.Unrestricted())
		return err
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	i, err := readindex.NewIssuer(readindex.IssuerOptions{Log: store, Stack: e, Rules: func() string { return "r" }, Leases: store.Leases()})
	if err != nil {
		t.Fatal(err)
	}
	request := func(h *readlease.Holder) readindex.Index {
		t.Helper()
		seq, _ := store.Progress()
		index, err := i.Issue(t.Context(), readindex.Request{
			Wait: true, Lease: true, After: seq, Databases: []string{db.Project + "/" + db.ID}, Holder: h, Received: clock.System().Now(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return index
	}
	// On a slow machine a lease may end before it is recalled.
	for range 20 {
		h := new(readlease.Holder)
		index := request(h)
		if index.Lease == 0 || index.Versions[db.Project+"/"+db.ID] == 0 {
			continue
		}
		written := make(chan error, 1)
		go func() { written <- write() }()
		recall := request(h)
		for recall.Lease > 0 { // it was replaced before the write began
			recall = request(h)
		}
		recalled := recall.Versions == nil && recall.Seq == index.Seq
		select {
		case err := <-written:
			recalled = false
			written <- err
		default:
		}
		request(h)
		if err := <-written; err != nil {
			t.Fatal(err)
		}
		if recalled {
			return
		}
	}
	t.Errorf("no lease was recalled within %v", 20*readlease.Longest+time.Second)
}

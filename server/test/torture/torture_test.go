package torture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/anishathalye/porcupine"
	"google.golang.org/api/option"
)

// longRun reports whether make torture runs the tests.
func longRun() bool { return os.Getenv("CLAVE_TORTURE_ROUNDS") != "" }

// rounds returns the number of rounds: CLAVE_TORTURE_ROUNDS, or one for each end.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("CLAVE_TORTURE_ROUNDS")
	if text == "" {
		return len(ends)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("CLAVE_TORTURE_ROUNDS=%q, want a number from 1", text)
	}
	return n
}

// end is a way in which the program ends under load. It returns once the program has ended.
type end struct {
	name string
	do   func(srv *server, l *ledger)
}

// ends lists the ways in which a round ends the program.
var ends = []end{
	{"kill", func(srv *server, _ *ledger) { srv.kill() }},
	{"SIGTERM", func(srv *server, _ *ledger) { srv.stop() }},
	{"kill during start", func(srv *server, _ *ledger) {
		srv.kill()
		for range 5 {
			next, ready := srv.site.launch()
			select {
			case <-ready:
			case <-time.After(rand.N(40 * time.Millisecond)):
			}
			next.kill()
		}
	}},
	{"kill during backup", killDuringBackup},
	{"power cut", cutPower},
}

// killDuringBackup kills the program while it makes a backup. The next command on the data folder, a backup to another
// place, must remove the files of the killed one and contain all acknowledged commits.
func killDuringBackup(srv *server, l *ledger) {
	s := srv.site
	parent := s.t.TempDir()
	cmd := s.begin("backup", filepath.Join(parent, "killed"), "--data", s.data)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(rand.N(30 * time.Millisecond)):
		srv.kill()
		<-ended
	}
	srv.kill()
	dir := filepath.Join(s.t.TempDir(), "whole")
	if out, err := s.run("backup", dir, "--data", s.data); err != nil {
		s.t.Fatalf("backup after a killed one: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(parent, "*.part-*")); len(left) > 0 {
		s.t.Errorf("the next backup to another place leaves %v of the killed one", left)
	}
	back := newSite(s.t)
	if out, err := back.run("restore", dir, "--data", back.data); err != nil {
		s.t.Fatalf("restore: %v\n%s", err, out)
	}
	restored := back.start()
	defer restored.stop()
	checkLedger(s.t, newClient(s.t, back.addr), l, "in a restored backup")
}

// listener listens to a collection across all ends of the program and keeps its documents.
type listener struct {
	mu struct {
		sync.Mutex
		now map[string]int64
	}
}

// listen starts a listener with the Go SDK; wait returns once it has ended.
func listen(t *testing.T, ctx context.Context, addr, collection string) (l *listener, wait func()) {
	t.Helper()
	sdk, err := firestore.NewClient(ctx, project, option.WithGRPCConn(dial(t, addr)))
	if err != nil {
		t.Fatal(err)
	}
	l = &listener{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			l.follow(ctx, sdk, collection)
		}
	}()
	return l, func() { <-done }
}

// follow reads snapshots until the SDK ends the listener.
func (l *listener) follow(ctx context.Context, sdk *firestore.Client, collection string) {
	it := sdk.Collection(collection).Snapshots(ctx)
	defer it.Stop()
	for {
		snap, err := it.Next()
		if err != nil {
			return
		}
		now := make(map[string]int64)
		docs, err := snap.Documents.GetAll()
		if err != nil {
			return
		}
		for _, d := range docs {
			now[collection+"/"+d.Ref.ID], _ = d.Data()["v"].(int64)
		}
		l.mu.Lock()
		l.mu.now = now
		l.mu.Unlock()
	}
}

// await waits until the listener has exactly these documents.
func (l *listener) await(t *testing.T, want map[string]int64) {
	t.Helper()
	limit := time.Now().Add(timeLimit)
	for {
		l.mu.Lock()
		now := l.mu.now
		l.mu.Unlock()
		if now != nil && maps.Equal(now, want) {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the listener has %v, want %v", now, want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestRounds ends the program under load in all ways in turn, and checks the data afterwards.
func TestRounds(t *testing.T) {
	s, l := newSite(t), newLedger()
	s.onDevice(64)
	ctx, cancel := context.WithCancel(t.Context())
	following, wait := listen(t, ctx, s.addr, "live")
	defer func() {
		cancel()
		wait()
	}()
	c := newClient(t, s.addr)
	for round := range rounds(t) {
		e := ends[round%len(ends)]
		srv := s.start()
		w := newWork(c, l)
		runRound(t, w, 100+rand.Int64N(300), func() { e.do(srv, l) })
		srv = s.start()
		check(t, w, fmt.Sprintf("round %d (%s)", round+1, e.name))
		want := make(map[string]int64)
		found, err := w.query(t.Context(), nil, "live", "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for path, f := range found {
			want[path] = f["v"]
		}
		following.await(t, want)
		srv.stop()
		if t.Failed() {
			t.Fatalf("stopping after round %d (%s)", round+1, e.name)
		}
		t.Logf("round %d (%s): %d commits, %d documents", round+1, e.name, w.done.Load(), len(l.mu.entries))
	}
}

// runRound runs clients until a number of commits are acknowledged, ends the program under load, and waits for the
// clients.
func runRound(t *testing.T, w *work, commits int64, end func()) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	w.connect(t)
	if err := w.prepare(limit); err != nil {
		t.Fatalf("the round can't begin: %v", err)
	}
	ctx, stop := context.WithCancel(limit)
	var wg sync.WaitGroup
	wg.Go(func() { w.run(ctx) })
	for w.done.Load() < commits && limit.Err() == nil {
		<-time.After(time.Millisecond)
	}
	end()
	stop()
	wg.Wait()
	if errors.Is(limit.Err(), context.DeadlineExceeded) {
		t.Fatalf("%d commits in %v, want %d", w.done.Load(), timeLimit, commits)
	}
}

// check runs all checks after a round on the restarted program.
func check(t *testing.T, w *work, when string) {
	t.Helper()
	checkLedger(t, w.client, w.ledger, when)
	for _, wrong := range w.failures() {
		t.Errorf("%s: %s", when, wrong)
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	rnd := rand.New(rand.NewPCG(1, 2))
	before := len(w.failures())
	for range 20 {
		w.past(ctx, rnd)
	}
	w.total(ctx, rnd)
	w.pairs(ctx, rnd)
	for _, wrong := range w.failures()[before:] {
		t.Errorf("%s, restarted: %s", when, wrong)
	}
	for name, result := range checkHistories(t, ctx, w) {
		switch result {
		case porcupine.Illegal:
			t.Errorf("%s: the history of %s is not linearizable", when, name)
		case porcupine.Unknown:
			t.Logf("%s: the history of %s took too long to check", when, name)
		}
	}
	for _, collection := range []string{"entries", "pairs", "live", "bank", "past"} {
		byName, err := w.query(ctx, nil, collection, "", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		byIndex, err := w.query(ctx, nil, collection, "v", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(byName, byIndex, func(a, b fields) bool { return maps.Equal(a, b) }) {
			t.Errorf("%s: %s has %d documents by name and %d by index, or they differ", when, collection, len(byName), len(byIndex))
		}
	}
	taken, err := w.query(ctx, nil, "seats", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[int64]int)
	for _, f := range taken {
		count[f["group"]]++
	}
	for group, n := range count {
		if n > seats {
			t.Errorf("%s: group %d has %d of %d seats", when, group, n, seats)
		}
	}
}

// checkHistories ends the histories with a read of their documents, and checks them.
func checkHistories(t *testing.T, ctx context.Context, w *work) map[string]porcupine.CheckResult {
	t.Helper()
	for _, end := range []struct {
		h          *history
		collection string
		n          int
	}{{w.one, "one", 1}, {w.four, "four", documents}} {
		op := operation{}
		called := end.h.now()
		o, read := w.attempt(ctx, op, end.collection, end.n)
		for limit := time.Now().Add(timeLimit); o != acknowledged; o, read = w.attempt(ctx, op, end.collection, end.n) {
			if time.Now().After(limit) {
				t.Fatalf("the last read of %s fails for %v", end.collection, timeLimit)
			}
			<-time.After(20 * time.Millisecond)
		}
		end.h.add(op, called, o, read)
	}
	return map[string]porcupine.CheckResult{"one document": w.one.check(), "four documents": w.four.check()}
}

// checkLedger compares the documents with the ledger.
func checkLedger(t *testing.T, c client, l *ledger, when string) {
	t.Helper()
	for _, wrong := range compareLedger(t, c, l) {
		t.Errorf("%s: %s", when, wrong)
	}
}

// compareLedger returns the differences between the documents and the ledger.
func compareLedger(t *testing.T, c client, l *ledger) []string {
	t.Helper()
	c.connect(t)
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	var entries, names map[string]fields
	if err := bridged(func() (err error) {
		if entries, err = c.query(ctx, nil, "entries", "", "", 0); err == nil {
			names, err = c.query(ctx, nil, "names", "", "", 0)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return l.compare(entries, names)
}

// TestTheChecksDetectLostCommits replaces the folder by an earlier copy between two starts. The ledger must report
// missing commits, and the histories must not be linearizable.
func TestTheChecksDetectLostCommits(t *testing.T) {
	s, l := newSite(t), newLedger()
	w := newWork(newClient(t, s.addr), l)
	srv := s.start()
	early := filepath.Join(t.TempDir(), "early")
	runRound(t, w, 50, func() {
		if out, err := s.run("backup", early, "--data", s.data); err != nil {
			t.Fatalf("backup: %v\n%s", err, out)
		}
		for began := w.done.Load(); w.done.Load() < began+100 && t.Context().Err() == nil; {
			<-time.After(time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
		defer cancel()
		for _, h := range []struct {
			*history
			collection string
			n          int
		}{{w.one, "one", 1}, {w.four, "four", documents}} {
			op := operation{value: l.number(), writes: [documents]bool{true, h.n > 1, h.n > 1, h.n > 1}}
			called := h.now()
			o, read := w.attempt(ctx, op, h.collection, h.n)
			h.add(op, called, o, read)
		}
		srv.kill()
	})
	if err := os.RemoveAll(s.data); err != nil {
		t.Fatal(err)
	}
	if out, err := s.run("restore", early, "--data", s.data); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	srv = s.start()
	defer srv.stop()
	if wrong := compareLedger(t, w.client, l); len(wrong) == 0 {
		t.Error("the ledger detects no loss")
	}
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	for name, result := range checkHistories(t, ctx, w) {
		if result != porcupine.Illegal {
			t.Errorf("the history of %s is %v, want illegal", name, result)
		}
	}
}

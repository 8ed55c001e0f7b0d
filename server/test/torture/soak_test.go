package torture

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"firebase.google.com/go/v4/auth"

	"clave/server/internal/base/clock"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/program"
)

// The sizes of the soak test. Each client makes a request in each soakPause.
const (
	soakClients  = 6
	soakPause    = 200 * time.Millisecond
	soakRooms    = 2000
	soakMemory   = 256 // MiB
	soakLifetime = time.Minute
)

// The limits of lateness. The alerts of a late log and of old backups have the same, or later ones.
const (
	// mostLogAge is the maximum age of a commit that is not shipped.
	mostLogAge = time.Minute
	// mostExpired is the maximum time for which an expired document stays: a minute between two looks, and the deletion.
	mostExpired = 2 * time.Minute
)

// TestKeepSoak serves mixed load for CLAVE_TORTURE_SOAK, such as 1h, with a history, backups, trial restores, the
// shipped log and a TTL policy. The resident set must stay below the memory limit, no backup, trial restore, segment of
// the log or deletion may be late or fail, and a listener must see each document appear and expire once. In the end the
// data and the backups are verified.
func TestKeepSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("CLAVE_TORTURE_SOAK"))
	if err != nil {
		t.Skip("CLAVE_TORTURE_SOAK is no duration (make torture sets it)")
	}
	dir, backups := harness.ProductionFolder(t), filepath.Join(t.TempDir(), "backups")
	harness.WriteFile(t, filepath.Join(dir, "firestore.indexes.json"), `{"indexes": [], "fieldOverrides": [
		{"collectionGroup": "sessions", "fieldPath": "expires", "ttl": true, "indexes": []}]}`)
	harness.WriteFile(t, filepath.Join(dir, "firebase.json"), `{"firestore": {"rules": "firestore.rules", "indexes": "firestore.indexes.json"}}`)
	key := harness.CreateKey(t, dir, "backend")
	s := &soak{t: t, every: max(length/12, 30*time.Second), backups: backups, sessions: make(map[string]*session)}
	s.metrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", program.FreePorts(t, 1)[0])
	s.server = harness.Serve(t, dir, true, "--history", "7d", "--memory-limit", fmt.Sprintf("%dMiB", soakMemory), "--metrics", strings.TrimSuffix(strings.TrimPrefix(s.metrics, "http://"), "/metrics"),
		"--backup-to", backups, "--backup-every", s.every.String(), "--backup-verify", s.every.String(), "--backup-keep", "7d")
	s.accounts, s.documents = s.server.Admin(t, key)
	ctx, stop := context.WithCancel(t.Context())
	listening, hangUp := context.WithCancel(t.Context())
	var running, listener sync.WaitGroup
	listener.Go(func() { s.listen(listening) })
	for i := range soakClients {
		running.Go(func() { s.client(ctx, i) })
	}
	began := clock.System().Now()
	for clock.System().Now().Sub(began) < length && !t.Failed() {
		_ = clock.Sleep(ctx, clock.System(), max(length/120, time.Second)) // the time between two samples
		s.sample(clock.System().Now().Sub(began))
	}
	stop()
	running.Wait()
	s.awaitExpired()
	hangUp()
	listener.Wait()
	s.report()
	s.server.Stop(t)
	for _, args := range [][]string{{"verify", filepath.Join(dir, ".clave")}, {"backups", "verify", "--from", backups}, {"verify", "--from", backups}} {
		out, err := harness.Command(t, dir, args...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		t.Logf("%v: %s", args, out)
	}
}

// soak is a running soak test.
type soak struct {
	t         *testing.T
	server    *harness.Production
	accounts  *auth.Client
	documents *firestore.Client
	metrics   string
	backups   string
	every     time.Duration
	mu        sync.Mutex
	// sessions are the documents with a time of expiry, by their ids.
	sessions map[string]*session
	calls    map[string]int
	// resident are the sampled sizes in MiB, and the others the greatest sampled values.
	resident                                []int
	logAge, backupAge, provedAge, expiredBy time.Duration
	shipped                                 float64
}

// session is a document with a time of expiry.
type session struct {
	expires time.Time
	// added and removed count what the listener has seen.
	added, removed int
}

// client makes requests until ctx ends.
func (s *soak) client(ctx context.Context, number int) {
	for i := 0; ctx.Err() == nil; i++ {
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeLimit)
		name, err := s.request(call, fmt.Sprintf("%d-%d", number, i))
		cancel()
		if err != nil {
			s.t.Errorf("%s: %v", name, err)
			return
		}
		s.mu.Lock()
		if s.calls == nil {
			s.calls = make(map[string]int)
		}
		s.calls[name]++
		s.mu.Unlock()
		_ = clock.Sleep(ctx, clock.System(), rand.N(2*soakPause)) // ends with ctx
	}
}

// request makes a random request and returns its name.
func (s *soak) request(ctx context.Context, id string) (name string, err error) {
	room := s.documents.Doc(fmt.Sprintf("rooms/%d", rand.IntN(soakRooms)))
	switch n := rand.IntN(100); {
	case n < 30:
		_, err = room.Set(ctx, map[string]any{"n": rand.IntN(100), "text": strings.Repeat(id+" ", 20), "at": firestore.ServerTimestamp})
		return "set", err
	case n < 50:
		at := clock.System().Now().Add(rand.N(soakLifetime))
		s.mu.Lock()
		s.sessions[id] = &session{expires: at}
		s.mu.Unlock()
		_, err = s.documents.Doc("sessions/"+id).Create(ctx, map[string]any{"expires": at, "user": id})
		return "create a document that expires", err
	case n < 65:
		_, err = s.documents.GetAll(ctx, []*firestore.DocumentRef{room})
		return "get", err
	case n < 80:
		_, err = s.documents.Collection("rooms").Where("n", "==", rand.IntN(100)).Limit(20).Documents(ctx).GetAll()
		return "query", err
	case n < 90:
		err = s.documents.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			if _, err := tx.GetAll([]*firestore.DocumentRef{room}); err != nil {
				return err
			}
			return tx.Set(room, map[string]any{"n": rand.IntN(100), "by": "a transaction"})
		})
		return "transaction", err
	case n < 95:
		past := s.documents.Collection("rooms").Where("n", "==", 1)
		_, err = past.WithReadOptions(firestore.ReadTime(clock.System().Now().Add(-rand.N(time.Second)))).Documents(ctx).GetAll()
		return "query of the past", err
	case n < 99:
		_, err = room.Delete(ctx)
		return "delete", err
	default:
		_, err = s.accounts.CreateUser(ctx, (&auth.UserToCreate{}).UID(id))
		return "create an account", err
	}
}

// listen counts how often the documents that expire appear and disappear, until ctx ends.
func (s *soak) listen(ctx context.Context) {
	it := s.documents.Collection("sessions").Snapshots(ctx)
	defer it.Stop()
	for {
		snap, err := it.Next()
		if err != nil {
			if ctx.Err() == nil {
				s.t.Errorf("the listener: %v", err)
			}
			return
		}
		s.mu.Lock()
		for _, c := range snap.Changes {
			switch one := s.sessions[c.Doc.Ref.ID]; {
			case one == nil:
				s.t.Errorf("the listener sees %s, which nobody has created", c.Doc.Ref.ID)
			case c.Kind == firestore.DocumentAdded:
				one.added++
			case c.Kind == firestore.DocumentRemoved:
				one.removed++
				if now := clock.System().Now(); now.Before(one.expires) {
					s.t.Errorf("%s is deleted %v before its time", c.Doc.Ref.ID, one.expires.Sub(now))
				}
			}
		}
		s.mu.Unlock()
	}
}

// unexpired returns the number of documents that the listener has not seen expire, and the age of the oldest one that
// should have.
func (s *soak) unexpired() (left int, late time.Duration) {
	now := clock.System().Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		if one.removed == 0 {
			left++
			late = max(late, now.Sub(one.expires))
		}
	}
	return left, late
}

// awaitExpired waits until all documents with a time of expiry are deleted.
func (s *soak) awaitExpired() {
	for {
		left, late := s.unexpired()
		s.expiredBy = max(s.expiredBy, late)
		if left == 0 || s.t.Failed() {
			return
		}
		if late > mostExpired {
			s.t.Errorf("%d documents are not deleted, the oldest %v after its time", left, late)
			return
		}
		_ = clock.Sleep(s.t.Context(), clock.System(), 100*time.Millisecond) // it is bounded by the lateness
	}
}

// metricsOf returns the metrics at an address; those with labels are added up.
func metricsOf(t *testing.T, url string) map[string]float64 {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // a read
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]float64)
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			name, _, _ = strings.Cut(name, "{")
			all[name] += n
		}
	}
	return all
}

// sample reads the metrics and the size of the program after a time, and fails the test for what is late.
func (s *soak) sample(after time.Duration) {
	s.t.Helper()
	resident, m := harness.MemoryOf(s.t, s.server.Cmd, "VmRSS"), metricsOf(s.t, s.metrics)
	now := float64(clock.System().Now().UnixNano()) / 1e9
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	age := func(metric string) time.Duration {
		if m[metric] == 0 {
			return after // Nothing was made yet.
		}
		return seconds(now - m[metric])
	}
	left, expired := s.unexpired()
	logAge, backupAge, provedAge := seconds(m["clave_backup_log_age_seconds"]), age("clave_backup_timestamp_seconds"), age("clave_backup_verified_timestamp_seconds")
	s.resident = append(s.resident, resident)
	s.logAge, s.backupAge, s.provedAge, s.expiredBy = max(s.logAge, logAge), max(s.backupAge, backupAge), max(s.provedAge, provedAge), max(s.expiredBy, expired)
	s.shipped = m["clave_backup_log_bytes_total"]
	late := func(what string, is, most time.Duration) {
		if is > most {
			s.t.Errorf("after %v %s is %v, more than %v", after, what, is, most)
		}
	}
	late("the age of the newest backup", backupAge, s.every+mostLogAge)
	late("the age of the newest trial restore", provedAge, 2*s.every+mostLogAge)
	late("the age of what is not shipped", logAge, mostLogAge)
	late("the time by which an expired document is late", expired, mostExpired)
	for _, metric := range []string{"clave_backup_failures_total", "clave_backup_log_gaps_total", "clave_history_shrunk_total"} {
		if m[metric] != 0 {
			s.t.Errorf("after %v %s is %v", after, metric, m[metric])
		}
	}
	if resident > soakMemory {
		s.t.Errorf("after %v the program has %d MiB, more than its limit of %d", after, resident, soakMemory)
	}
	s.t.Logf("after %v: %d MiB, %.0f bytes of memory; %.0f commits; the log %v late, backup %v, trial restore %v; %d sessions, %v late", after.Round(time.Second), resident, m["clave_memory_bytes"],
		m["clave_commits_total"], logAge, backupAge.Round(time.Second), provedAge.Round(time.Second), left, expired.Round(time.Second))
}

// report checks what the listener has seen and logs the figures.
func (s *soak) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, one := range s.sessions {
		if one.added != 1 || one.removed != 1 {
			s.t.Errorf("the listener has seen %s appear %d times and expire %d times", id, one.added, one.removed)
		}
	}
	s.t.Logf("requests: %v; %d documents expired, at most %v late", s.calls, len(s.sessions), s.expiredBy)
	third := s.resident[:max(len(s.resident)/3, 1)]
	s.t.Logf("resident: at most %d MiB, %d in the first third, %d at the end", slices.Max(s.resident), slices.Max(third), s.resident[len(s.resident)-1])
	s.t.Logf("the greatest ages: of what is not shipped %v, of the newest backup %v, of the newest trial restore %v; shipped %.1f MB", s.logAge, s.backupAge, s.provedAge, s.shipped/1e6)
}

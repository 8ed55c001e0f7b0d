package backups

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/engine/derive"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/store"
	"clave/server/internal/store/backup/series"
	"clave/server/internal/store/backup/shipping"
	"clave/server/internal/store/backup/target"
	"clave/server/internal/store/changelog"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/wait"
)

// The database and the accounts of TestRandomSeconds, and the numbers of values in its documents.
var (
	modelDB    = resource.Database{Project: "p", ID: resource.DefaultDatabase}
	modelScope = account.Scope{Project: "p"}
)

const (
	modelKinds  = 4
	modelRooms  = 30
	modelUsers  = 12
	modelNumber = 20
)

// modelIndexes are composite indexes of a collection, and of a collection group.
var modelIndexes = index.Definitions{Indexes: []index.Definition{
	{CollectionGroup: "rooms", Fields: []index.Field{{Path: "kind"}, {Path: "n", Mode: index.Descending}}},
	{CollectionGroup: "chairs", Group: true, Fields: []index.Field{{Path: "kind"}, {Path: "n"}}},
}}

// modelState is what the database and the accounts are from a time on: fields by paths, and accounts by ids.
type modelState struct {
	at        time.Time
	documents map[string]value.Map
	users     map[string]account.User
}

// mortal is a folder of backups to which a killed process writes nothing more. A write that is held while it is killed
// is carried out later.
type mortal struct {
	target.Folder
	dead atomic.Bool
	// hold makes Put wait, and held receives what carries out the write of one that does.
	hold atomic.Bool
	held chan func() error
	// noLog is set if segments of the log can't be written.
	noLog bool
}

// Put implements target.Target.
func (m *mortal) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (string, error) {
	if m.dead.Load() {
		return "", errors.New("the process was killed")
	}
	if m.noLog && strings.HasPrefix(name, "log/") {
		return "", errors.New("the place takes no log")
	}
	if m.hold.CompareAndSwap(true, false) {
		m.held <- func() error {
			_, err := m.Folder.Put(context.WithoutCancel(ctx), name, content, size)
			return err
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	return m.Folder.Put(ctx, name, content, size)
}

// modelSite is a data folder with documents and accounts, whose log is shipped while the clock advances.
type modelSite struct {
	t      *testing.T
	random *rand.Rand
	clock  *clocktest.Manual
	place  *mortal
	series *series.Series
	data   string
	log    *changelog.Log
	store  Source
	// nodes is set if the data are on PostgreSQL.
	nodes   *modelNodes
	engine  *engine.Engine
	users   *account.Store
	shipper *shipping.Shipper
	// end ends the shipping, and ended receives its result.
	end   context.CancelFunc
	ended chan error
	model []modelState
}

// newModelSite returns a site with a place for backups, whose clock shows a time.
func newModelSite(t *testing.T, seed uint64, now time.Time) *modelSite {
	t.Helper()
	s := &modelSite{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), clock: clocktest.NewManual(now),
		place: &mortal{Folder: target.Folder{Dir: filepath.Join(t.TempDir(), "backups")}},
	}
	s.model = []modelState{{at: now, documents: map[string]value.Map{}, users: map[string]account.User{}}}
	return s
}

// begin makes the first backup once there is a document: a database without documents has no indexes.
func (s *modelSite) begin() {
	s.t.Helper()
	for len(s.model[len(s.model)-1].documents) == 0 {
		s.commit()
	}
	s.backup()
}

// start opens the data folder and ships its log.
func (s *modelSite) start() {
	s.t.Helper()
	s.place = &mortal{Folder: s.place.Folder}
	s.series = series.New(series.Options{Target: s.place, Open: openStore})
	s.log = changelog.New(changelog.Options{Dir: s.data, Clock: s.clock})
	st, err := pebble.Open(filepath.Join(s.data, "store"), pebble.Options{Recorder: s.log, Scanned: derive.IsEntry, Region: keys.Region})
	if err != nil {
		s.t.Fatal(err)
	}
	s.store = st
	s.log.Resume(s.t.Context(), s.store)
	s.serve(s.clock)
}

// serve opens the engine on the store, and ships the log.
func (s *modelSite) serve(c clock.Clock) {
	s.t.Helper()
	s.engine, s.users = openModel(s.t, s.store, c), account.New(s.store)
	if err := s.engine.SetIndexes(s.t.Context(), modelDB, modelIndexes); err != nil {
		s.t.Fatal(err)
	}
	s.shipper = shipping.New(shipping.Options{Series: s.series, Log: s.log, Store: s.store, ID: "a", Clock: s.clock, Logger: slog.New(slog.DiscardHandler)})
	ctx, end := context.WithCancel(s.t.Context())
	s.end, s.ended = end, make(chan error, 1)
	go func(sh *shipping.Shipper, ended chan error) { ended <- sh.Run(ctx) }(s.shipper, s.ended)
}

// openModel opens the engine of a store. It refuses queries without an index.
func openModel(t *testing.T, s store.Store, c clock.Clock) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), engine.Options{Store: s, Clock: c, IndexMode: engine.IndexesEnforce})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// stop ends the process in an orderly way.
func (s *modelSite) stop() {
	s.t.Helper()
	s.end()
	if err := errors.Join(<-s.ended, s.engine.Close(), s.store.Close(), s.log.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// kill continues with a copy of the data folder as it is, of which a part is not shipped.
func (s *modelSite) kill() {
	s.t.Helper()
	s.settle()
	s.commit()
	s.settle()
	s.place.dead.Store(true)
	data := s.t.TempDir()
	if err := os.CopyFS(data, os.DirFS(s.data)); err != nil {
		s.t.Fatal(err)
	}
	s.stop()
	s.data = data
}

// settle waits until the shipper waits.
func (s *modelSite) settle() {
	s.t.Helper()
	wait.Until(s.t, "the shipper to wait", func() bool { return s.clock.Timers() == 1 })
}

// state adds a copy of the model's last state, as of now, and returns it.
func (s *modelSite) state() *modelState {
	last := s.model[len(s.model)-1]
	s.model = append(s.model, modelState{at: s.clock.Now(), documents: maps.Clone(last.documents), users: maps.Clone(last.users)})
	return &s.model[len(s.model)-1]
}

// commit advances the clock by whole milliseconds, and commits changes of documents, or of an account.
func (s *modelSite) commit() {
	s.t.Helper()
	s.clock.Advance(time.Duration(1+s.random.IntN(900)) * time.Millisecond)
	m := s.state()
	if s.nodes != nil {
		defer func() { m.at = s.nodes.past() }()
	}
	if s.random.IntN(4) == 0 {
		s.changeUser(m)
		return
	}
	var writes []document.Write
	for range 1 + s.random.IntN(4) {
		path := fmt.Sprintf("rooms/r%02d", s.random.IntN(modelRooms))
		if s.random.IntN(2) == 0 {
			path += fmt.Sprintf("/chairs/c%d", s.random.IntN(3))
		}
		w := document.Write{Name: resource.Document{DB: modelDB, Path: path}}
		if s.random.IntN(4) == 0 {
			w.Op = document.Delete
			delete(m.documents, path)
		} else {
			w.Fields = value.Map{
				"kind": value.Int(s.random.IntN(modelKinds)), "n": value.Int(s.random.IntN(modelNumber)),
				"text": value.String(strings.Repeat("text ", s.random.IntN(40))),
			}
			m.documents[path] = w.Fields
		}
		writes = append(writes, w)
	}
	if _, err := s.engine.Commit(s.t.Context(), modelDB, request.Commit{Writes: writes}, engine.Unrestricted()); err != nil {
		s.t.Fatal(err)
	}
}

// changeUser creates, changes or deletes an account.
func (s *modelSite) changeUser(m *modelState) {
	s.t.Helper()
	uid := fmt.Sprintf("user-%02d", s.random.IntN(modelUsers))
	err := s.users.Change(s.t.Context(), modelScope, []string{uid}, func(c *account.Change) error {
		if _, ok := m.users[uid]; ok && s.random.IntN(3) == 0 {
			c.Delete(uid)
			delete(m.users, uid)
			return nil
		}
		name := fmt.Sprint("name ", s.random.Int())
		u := account.User{UID: uid, Email: fmt.Sprintf("%s-%d@example.org", uid, s.random.IntN(5)), DisplayName: &name, Disabled: s.random.IntN(2) == 0, Created: s.clock.Now().UnixMilli()}
		if s.random.IntN(2) == 0 {
			u.Phone = fmt.Sprintf("+1555%s%d", strings.TrimPrefix(uid, "user-"), s.random.IntN(5))
		}
		m.users[uid] = u
		c.Put(&u)
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// backup makes a backup.
func (s *modelSite) backup() {
	s.t.Helper()
	s.clock.Advance(time.Second)
	lock, err := s.series.Lock(s.t.Context())
	if err == nil {
		err = s.shipper.Prepare(s.t.Context())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	r := series.Request{Source: s.store, Data: s.data, ID: "a", Secret: "s", Log: s.shipper, Clock: s.clock}
	_, _, err = s.series.Make(s.t.Context(), lock, r)
	if err := errors.Join(err, lock.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// at returns the state of the model at a time.
func (s *modelSite) at(t time.Time) modelState {
	i, _ := slices.BinarySearchFunc(s.model, t, func(m modelState, t time.Time) int {
		if m.at.After(t) {
			return 1
		}
		return -1
	})
	return s.model[i-1]
}

// TestRandomSeconds restores the state at random times of a database that is a model's: documents of a collection and
// of subcollections with composite indexes, and accounts. Between the commits, backups are made, and the process ends
// and is killed. Each restored state has the documents, the results of queries by each index, and the accounts of the
// model. There are ten times with the last one, and 200 if CLAVE_TORTURE_ROUNDS is set.
func TestRandomSeconds(t *testing.T) {
	commits, times := 80, 9
	if os.Getenv("CLAVE_TORTURE_ROUNDS") != "" {
		commits, times = 3000, 199
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newModelSite(t, seed, time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))
	s.data = t.TempDir()
	s.start()
	s.begin()
	begin := s.clock.Now()
	period := max(40, commits/20)
	for i := range commits {
		s.commit()
		switch i % period {
		case period / 4:
			s.stop()
			s.start()
		case period / 2:
			s.kill()
			s.start()
		case period * 3 / 4:
			s.backup()
		}
	}
	s.clock.Advance(time.Millisecond) // The last commit may have the first microsecond after its time.
	s.stop()
	end := s.clock.Now()
	for range times {
		at := begin.Add(time.Duration(s.random.Int64N(int64(end.Sub(begin))))).Truncate(time.Millisecond)
		s.want(at.Add(500 * time.Microsecond)) // Commits of one millisecond have consecutive microseconds.
		if t.Failed() {
			return
		}
	}
	s.want(end)
	t.Logf("%d states within %v are those of the model: at the end %d documents and %d accounts", times+1, end.Sub(begin), len(s.at(end).documents), len(s.at(end).users))
}

// want restores the state at a time, and compares it with the model's.
func (s *modelSite) want(at time.Time) {
	s.t.Helper()
	data := filepath.Join(s.t.TempDir(), "restored")
	defer func() { _ = os.RemoveAll(data) }()
	from, err := s.series.Before(s.t.Context(), at)
	if err == nil {
		_, err = RestoreAt(s.t.Context(), s.series, from, at, data, pebble.Options{})
	}
	if err != nil {
		s.t.Fatalf("the state at %v: %v", at, err)
	}
	st, err := pebble.Open(filepath.Join(data, "store"), pebble.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	e := openModel(s.t, st, s.clock)
	defer func() { _ = e.Close() }()
	m := s.at(at)
	s.wantDocuments(e, m)
	s.wantUsers(account.New(st), m)
	if s.t.Failed() {
		s.t.Logf("this is the state at %v, restored from %s", at, from.Name)
	}
}

// wantDocuments compares the documents, and the results of queries, with the model's. The queries read each index
// completely.
func (s *modelSite) wantDocuments(e *engine.Engine, m modelState) {
	s.t.Helper()
	var rooms, chairs []string
	for path := range m.documents {
		if strings.Contains(path, "/chairs/") {
			chairs = append(chairs, path)
		} else {
			rooms = append(rooms, path)
		}
	}
	number := func(path, field string) int {
		v, _ := m.documents[path][field].(value.Int)
		return int(v)
	}
	byName := func(paths []string) []string { return slices.Sorted(slices.Values(paths)) }
	byNumber := func(paths []string, kind, sign int) (of []string) {
		for _, path := range paths {
			if kind < 0 || number(path, "kind") == kind {
				of = append(of, path)
			}
		}
		slices.SortFunc(of, func(a, b string) int {
			return sign * cmp.Or(cmp.Compare(number(a, "n"), number(b, "n")), strings.Compare(a, b))
		})
		return of
	}
	room, chair := query.From{Collection: "rooms"}, query.From{Collection: "chairs", AllDescendants: true}
	s.wantResults(e, m, query.Query{From: []query.From{room}}, byName(rooms))
	s.wantResults(e, m, query.Query{From: []query.From{chair}}, byName(chairs))
	up, down := []query.Order{{Path: value.FieldPath{"n"}}}, []query.Order{{Path: value.FieldPath{"n"}, Desc: true}}
	s.wantResults(e, m, query.Query{From: []query.From{room}, OrderBy: up}, byNumber(rooms, -1, 1))
	for kind := range modelKinds {
		where := query.Field{Path: value.FieldPath{"kind"}, Op: query.Equal, Value: value.Int(kind)}
		s.wantResults(e, m, query.Query{From: []query.From{room}, Where: where, OrderBy: down}, byNumber(rooms, kind, -1))
		s.wantResults(e, m, query.Query{From: []query.From{chair}, Where: where, OrderBy: up}, byNumber(chairs, kind, 1))
	}
}

// wantResults compares the documents that a query returns, in their order, with those of the model at paths.
func (s *modelSite) wantResults(e *engine.Engine, m modelState, q query.Query, want []string) {
	s.t.Helper()
	q.DB, q.Limit = modelDB, query.NoLimit
	normal, err := q.Normalize()
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := e.Read(s.t.Context(), modelDB, request.At{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	var is []string
	_, err = r.Query(s.t.Context(), normal, func(d *document.Document) error {
		is = append(is, d.Name.Path)
		if of, ok := m.documents[d.Name.Path]; ok && !value.Equal(d.Fields, of) {
			s.t.Errorf("%s is %v, want %v", d.Name.Path, d.Fields, of)
		}
		return nil
	})
	if err != nil || !slices.Equal(is, want) {
		s.t.Errorf("the query %+v returns %q, %v; want %q", q, is, err, want)
	}
}

// wantUsers compares the accounts, and those that are found by their addresses and numbers, with the model's.
func (s *modelSite) wantUsers(users *account.Store, m modelState) {
	s.t.Helper()
	same := func(how string, is *account.User, err error, want account.User) {
		a, errA := json.Marshal(is)
		b, errB := json.Marshal(want)
		if err := errors.Join(err, errA, errB); err != nil || string(a) != string(b) {
			s.t.Errorf("by %s the account is %s, %v; want %s", how, a, err, b)
		}
	}
	n := 0
	err := users.List(s.t.Context(), modelScope, "", func(u *account.User) bool {
		n++
		same("its id", u, nil, m.users[u.UID])
		return true
	})
	if err != nil || n != len(m.users) {
		s.t.Errorf("there are %d accounts, %v; want %d", n, err, len(m.users))
	}
	for _, want := range m.users {
		u, err := users.ByEmail(modelScope, want.Email)
		same("its address", u, err, want)
		if want.Phone != "" {
			u, err = users.ByPhone(modelScope, want.Phone)
			same("its number", u, err, want)
		}
	}
	for i := range modelUsers {
		for j := range 5 {
			address := fmt.Sprintf("user-%02d-%d@example.org", i, j)
			if u, err := users.ByEmail(modelScope, address); err != nil || u != nil && m.users[u.UID].Email != address {
				s.t.Errorf("by the address %s there is %+v, %v", address, u, err)
			}
		}
	}
}

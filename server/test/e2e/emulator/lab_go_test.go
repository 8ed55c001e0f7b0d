package emulator

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	firebase "firebase.google.com/go/v4"
	"firebase.google.com/go/v4/auth"
	"google.golang.org/api/iterator"
	"google.golang.org/genproto/googleapis/type/latlng"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/test/e2e/harness"
)

// goLab is a project of the lab with the clients of the Go SDKs.
type goLab struct {
	*lab
	t       *testing.T
	project string
	store   *firestore.Client
	users   *auth.Client
}

// byGo runs the tests of the Go SDKs. Each uses a project of its own, except those of Auth's tokens, which clients get
// in the server's.
func (l *lab) byGo() {
	l.Helper()
	l.Run("Go", func(t *testing.T) {
		for name, test := range map[string]func(*goLab){
			"delays": (*goLab).delays, "repeats": (*goLab).repeats, "clock": (*goLab).locksAndTTL,
			"dropped": (*goLab).dropped, "seeds": (*goLab).seeds, "sessions": (*goLab).sessions,
		} {
			t.Run(name, func(t *testing.T) { test(l.open(t, fmt.Sprintf("demo-go-%s-%x", name, rand.Uint32()))) })
		}
		t.Run("projects", l.manyByGo)
	})
}

// open connects clients to a project.
func (l *lab) open(t *testing.T, project string) *goLab {
	t.Helper()
	store, err := firestore.NewClient(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	app, err := firebase.NewApp(t.Context(), &firebase.Config{ProjectID: project})
	if err != nil {
		t.Fatal(err)
	}
	users, err := app.Auth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &goLab{lab: l, t: t, project: project, store: store, users: users}
}

// control calls a control route of the project.
func (g *goLab) control(method, verb, body string) {
	g.t.Helper()
	if code, text := harness.Plain(g.t, method, "http://"+g.firestore+"/emulator/v1/projects/"+g.project+verb, body); code != http.StatusOK {
		g.t.Fatalf("%s %s: %d %s", method, verb, code, text)
	}
}

// set writes a document.
func (g *goLab) set(path string, fields map[string]any) {
	g.t.Helper()
	if _, err := g.store.Doc(path).Set(g.t.Context(), fields); err != nil {
		g.t.Fatal(err)
	}
}

// sizes waits until a live query of a collection has a number of documents.
func (g *goLab) sizes(collection string) (await func(size int)) {
	g.t.Helper()
	snapshots := g.store.Collection(collection).Snapshots(g.t.Context())
	g.t.Cleanup(snapshots.Stop)
	return func(size int) {
		g.t.Helper()
		for {
			got, err := snapshots.Next()
			if err != nil {
				g.t.Fatal(err)
			}
			if got.Size == size {
				return
			}
		}
	}
}

// delays makes reads slow, by a fixed time and by times that the seed chooses.
func (g *goLab) delays() {
	g.set("open/a", map[string]any{})
	g.control(http.MethodPut, ":faults", `{"faults": [{"calls": "reads", "delay": 40, "times": 1}, {"calls": "reads", "delay": 10, "spread": 100, "seed": 3}]}`)
	for _, want := range []time.Duration{40 * time.Millisecond, 101 * time.Millisecond, 81 * time.Millisecond} {
		began := time.Now()
		if _, err := g.store.Doc("open/a").Get(g.t.Context()); err != nil || time.Since(began) < want {
			g.t.Errorf("a read with a delay of %v: %v after %v", want, err, time.Since(began))
		}
	}
}

// repeats makes a share of the reads fail: the same ones with the same seed.
func (g *goLab) repeats() {
	g.set("open/a", map[string]any{})
	sequence := func(seed int) (out []codes.Code) {
		g.control(http.MethodPut, ":faults", fmt.Sprintf(`{"faults": [{"calls": "reads", "percent": 50, "error": "ABORTED", "seed": %d}]}`, seed))
		for range 10 {
			_, err := g.store.Doc("open/a").Get(g.t.Context())
			out = append(out, status.Code(err))
		}
		return out
	}
	one := sequence(1)
	if !slices.Equal(one, sequence(1)) || slices.Equal(one, sequence(2)) || !slices.Contains(one, codes.OK) || !slices.Contains(one, codes.Aborted) {
		g.t.Errorf("reads with seed 1: %v", one)
	}
}

// locksAndTTL advances the clock past the time for which a transaction may be idle, and past that of a document.
func (g *goLab) locksAndTTL() {
	g.set("open/a", map[string]any{"n": 1})
	attempts := 0
	err := g.store.RunTransaction(g.t.Context(), func(_ context.Context, tx *firestore.Transaction) error {
		if _, err := tx.Get(g.store.Doc("open/a")); err != nil {
			return err
		}
		if attempts++; attempts == 1 {
			g.control(http.MethodPost, ":advance", `{"by": "271s"}`)
		}
		return tx.Update(g.store.Doc("open/a"), []firestore.Update{{Path: "n", Value: firestore.Increment(1)}})
	})
	if err != nil || attempts != 2 {
		g.t.Errorf("a transaction that was idle: %v after %d attempts, want 2", err, attempts)
	}
	await := g.sizes("expiring")
	g.set("expiring/a", map[string]any{"until": time.Now().Add(time.Hour)})
	await(1)
	g.control(http.MethodPost, ":advance", `{"by": "2h"}`)
	await(0)
}

// dropped restores a snapshot by its name and drops the project while a live query is open.
func (g *goLab) dropped() {
	if _, err := g.users.CreateUser(g.t.Context(), (&auth.UserToCreate{}).UID("ann")); err != nil {
		g.t.Fatal(err)
	}
	await := g.sizes("open")
	g.set("open/a", map[string]any{})
	g.control(http.MethodPost, ":snapshot", `{"name": "before"}`)
	g.set("open/b", map[string]any{})
	await(2)
	g.control(http.MethodPost, ":restore", `{"name": "before"}`)
	await(1)
	g.control(http.MethodDelete, "", "{}")
	await(0)
	if _, err := g.users.GetUser(g.t.Context(), "ann"); !auth.IsUserNotFound(err) {
		g.t.Errorf("the account of a project that was dropped: %v", err)
	}
}

// seeds applies a seed by its command and reads its values.
func (g *goLab) seeds() {
	if out, err := harness.Command(g.t, g.dir, "seed", "apply", "seed.yaml", "--project", g.project).CombinedOutput(); err != nil {
		g.t.Fatalf("clave seed apply: %v\n%s", err, out)
	}
	d, err := g.store.Doc("typed/a").Get(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	at, _ := d.Data()["at"].(time.Time)
	place, _ := d.Data()["place"].(*latlng.LatLng)
	boss, _ := d.Data()["boss"].(*firestore.DocumentRef)
	if !at.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) || place.GetLatitude() != 41.5 || boss == nil || boss.ID != "node" || d.Data()["big"] != int64(7) {
		g.t.Errorf("the seed's document: %v", d.Data())
	}
	if user, err := g.users.GetUserByEmail(g.t.Context(), "ann-node@example.org"); err != nil || user.CustomClaims["role"] != "admin" {
		g.t.Errorf("the seed's account: %v, %v", user, err)
	}
}

// sessions signs in while the clock stands still in the past: tokens, session cookies and codes have expired for the
// SDK, which compares them with the machine's clock, and for the server when its clock is advanced.
func (g *goLab) sessions() {
	g = g.open(g.t, labProject)
	defer g.control(http.MethodDelete, ":clock", "{}")
	token := func(method string) string {
		g.t.Helper()
		res, err := http.Post("http://"+g.auth+"/identitytoolkit.googleapis.com/v1/accounts:"+method+"?key=any", "application/json",
			strings.NewReader(`{"email": "eve@example.org", "password": "secret-of-eve", "returnSecureToken": true}`))
		if err != nil {
			g.t.Fatal(err)
		}
		defer res.Body.Close()
		var answer struct{ IDToken string }
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.IDToken == "" {
			g.t.Fatalf("%s: %s, %v", method, res.Status, err)
		}
		return answer.IDToken
	}
	g.control(http.MethodPut, ":clock", `{"at": "2020-02-29T12:00:00Z", "pinned": true}`)
	old := token("signUp")
	if _, err := g.users.VerifyIDToken(g.t.Context(), old); !auth.IsIDTokenExpired(err) {
		g.t.Errorf("a token of 2020: %v", err)
	}
	cookie, err := g.users.SessionCookie(g.t.Context(), old, time.Hour)
	if err != nil {
		g.t.Fatal(err)
	}
	if _, err := g.users.VerifySessionCookie(g.t.Context(), cookie); !auth.IsSessionCookieExpired(err) {
		g.t.Errorf("a session cookie of 2020: %v", err)
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(cookie, ".")[1])
	if want := fmt.Sprint(time.Date(2020, 2, 29, 13, 0, 0, 0, time.UTC).Unix()); err != nil || !strings.Contains(string(payload), want) {
		g.t.Errorf("a session cookie of an hour has %s, %v; want %s", payload, err, want)
	}
	g.control(http.MethodPost, ":advance", `{"by": "2h"}`)
	if _, err := g.users.SessionCookie(g.t.Context(), old, time.Hour); err == nil || !strings.Contains(err.Error(), "INVALID_ID_TOKEN") {
		g.t.Errorf("a session cookie for a token of two hours ago: %v", err)
	}
	g.control(http.MethodDelete, ":clock", "{}")
	if _, err := g.users.VerifyIDToken(g.t.Context(), token("signInWithPassword")); err != nil {
		g.t.Errorf("a token after the reset: %v", err)
	}
}

// manyByGo uses projects with clients of their own, each with one document.
func (l *lab) manyByGo(t *testing.T) {
	for n := range 20 {
		g := l.open(t, fmt.Sprintf("demo-go-many-%d", n))
		g.set("open/a", map[string]any{})
		all := g.store.Collection("open").Documents(t.Context())
		for _, want := range []error{nil, iterator.Done} {
			if _, err := all.Next(); !errors.Is(err, want) {
				t.Errorf("project %d: %v, want %v", n, err, want)
			}
		}
		g.control(http.MethodDelete, "", "{}")
	}
}

package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"

	"clave/server/internal/auth/account"
	"clave/server/internal/auth/account/passhash"
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/auth/service"
	"clave/server/internal/auth/token"
	"clave/server/internal/store/pebble"
)

// authServer is the Auth part of a server, over HTTP and with a store on disk.
type authServer struct {
	url      string
	accounts *account.Store
	client   *http.Client
}

// openAuth starts Auth. cost is the memory cost of password hashes; Firebase's is 14.
func openAuth(b testing.TB, cost int, signed bool) *authServer {
	b.Helper()
	store, err := pebble.Open(b.TempDir(), pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	s := &authServer{accounts: account.New(store)}
	o := token.Options{Unsigned: !signed, Owner: true}
	if signed {
		if o.Keys, err = token.OpenKeys(token.KeyOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	service := service.New(service.Options{Accounts: s.accounts, Tokens: token.New(o), Project: "bench", Emulator: true, HashMemCost: cost, HashWorkers: runtime.GOMAXPROCS(0)})
	server := httptest.NewServer(rpcidentity.New(rpcidentity.Options{Service: service}))
	b.Cleanup(server.Close)
	s.url = server.URL
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
	b.Cleanup(s.client.CloseIdleConnections)
	return s
}

// call calls a method and decodes the answer.
func (s *authServer) call(path string, body any) (map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	res, err := s.client.Post(s.url+path+"?key=k", "application/json", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d %s", path, res.StatusCode, got)
	}
	var answer map[string]any
	return answer, json.Unmarshal(got, &answer)
}

// The paths of the measured methods.
const (
	toolkit = "/identitytoolkit.googleapis.com/v1/accounts:"
	refresh = "/securetoken.googleapis.com/v1/token"
)

// BenchmarkAuth measures the most frequent calls with 1, 16 and 64 concurrent clients.
func BenchmarkAuth(b *testing.B) {
	for _, keys := range []struct {
		name   string
		signed bool
	}{{"unsigned", false}, {"signed", true}} {
		for _, hash := range []struct {
			name string
			cost int
		}{{"cheap", 4}, {"real", 14}} {
			s := openAuth(b, hash.cost, keys.signed)
			user := map[string]any{"email": "a@example.com", "password": "secret1", "returnSecureToken": true}
			made, err := s.call(toolkit+"signUp", user)
			if err != nil {
				b.Fatal(err)
			}
			work := map[string]func() error{"op=sign-in/hash=" + hash.name: func() error { _, err := s.call(toolkit+"signInWithPassword", user); return err }}
			if hash.cost == 4 {
				work["op=lookup"] = func() error {
					_, err := s.call(toolkit+"lookup", map[string]any{"idToken": made["idToken"]})
					return err
				}
				work["op=refresh"] = func() error {
					_, err := s.call(refresh, map[string]any{"grant_type": "refresh_token", "refresh_token": made["refreshToken"]})
					return err
				}
			}
			for name, do := range work {
				for _, c := range []int{1, 16, 64} {
					b.Run(fmt.Sprintf("%s/%s/c=%d", keys.name, name, c), func(b *testing.B) { together(b, c, do) })
				}
			}
		}
	}
}

// together runs an operation with c concurrent clients.
func together(b *testing.B, c int, do func() error) {
	b.SetParallelism(max(c/runtime.GOMAXPROCS(0), 1))
	if c == 1 {
		for b.Loop() {
			if err := do(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		return
	}
	var failed atomic.Pointer[error]
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(); err != nil {
				failed.Store(&err)
			}
		}
	})
	if err := failed.Load(); err != nil {
		b.Fatal(*err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkAuthStart measures the time from the start of Auth to its first answer, with an empty store.
func BenchmarkAuthStart(b *testing.B) {
	for b.Loop() {
		s := openAuth(b, 4, false)
		if _, err := s.call(toolkit+"signUp", map[string]any{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAuthMemory measures the heap with 100 000 accounts.
func BenchmarkAuthMemory(b *testing.B) {
	const many, batch = 100_000, 1000
	for b.Loop() {
		s := openAuth(b, 4, false)
		for i := 0; i < many; i += batch {
			names := make([]string, batch)
			for j := range names {
				names[j] = fmt.Sprintf("user%06d", i+j)
			}
			err := s.accounts.Change(context.Background(), account.Scope{Project: "bench"}, names, func(c *account.Change) error {
				for _, uid := range names {
					c.Put(&account.User{UID: uid, Email: uid + "@example.com", Password: &passhash.Hash{Alg: "SCRYPT", Sum: make([]byte, 64), Salt: make([]byte, 12), Rounds: 8, MemCost: 14}})
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MiB")
	}
}

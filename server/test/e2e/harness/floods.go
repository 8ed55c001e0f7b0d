package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// Mib is a mebibyte.
const Mib = 1 << 20

// MemoryOf returns one of the sizes in a process's status, such as VmRSS, in MiB.
func MemoryOf(t *testing.T, cmd *exec.Cmd, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Skip("no sizes of processes: ", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kib >> 10
		}
	}
	t.Fatalf("no %s in a process's status", name)
	return 0
}

// unfinished is a request body that sends its bytes and then blocks until it is closed.
type unfinished struct {
	part io.Reader
	// sent is called after all bytes were read.
	sent  func()
	ended chan struct{}
	once  sync.Once
}

// Read implements io.Reader.
func (u *unfinished) Read(p []byte) (int, error) {
	if n, _ := u.part.Read(p); n > 0 {
		return n, nil
	}
	u.sent()
	<-u.ended
	return 0, io.ErrUnexpectedEOF
}

// Close implements io.Closer.
func (u *unfinished) Close() error {
	u.once.Do(func() { close(u.ended) })
	return nil
}

// zeros is an endless row of zeros.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// flood is a kind of large request that is begun and never finished.
type flood struct {
	name string
	// url, headers and the first bytes of the body. The body continues with zeros. declared is its Content-Length, unless
	// it is 0.
	url      string
	headers  map[string]string
	first    []byte
	declared int64
	client   *http.Client
}

// begin starts n requests, each of which sends size bytes. It returns when each has sent them or was ended, with the
// number of requests that the server ended.
func (f flood) begin(t *testing.T, n int, size int64) (refused int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*WaitLimit)
	defer cancel()
	var settled, requests sync.WaitGroup
	var ended atomic.Int64
	var bodies []*unfinished
	for range n {
		settled.Add(1)
		once := sync.OnceFunc(settled.Done)
		body := &unfinished{part: io.MultiReader(bytes.NewReader(f.first), io.LimitReader(zeros{}, size)), sent: once, ended: make(chan struct{})}
		bodies = append(bodies, body)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = f.declared
		if f.declared == 0 {
			r.ContentLength = -1
		}
		for name, value := range f.headers {
			r.Header.Set(name, value)
		}
		requests.Go(func() {
			defer once()
			res, err := f.client.Do(r)
			if err == nil {
				_ = res.Body.Close()
			}
			ended.Add(1)
		})
	}
	settled.Wait()
	refused = ended.Load()
	for _, body := range bodies {
		_ = body.Close()
	}
	cancel()
	requests.Wait()
	if ctx.Err() == context.DeadlineExceeded {
		t.Errorf("%s: the requests were neither read nor ended within %v", f.name, 2*WaitLimit)
	}
	return refused
}

// grpcStart is the beginning of a gRPC message of 16 MiB.
var grpcStart = []byte{0, 1, 0, 0, 0}

// floods returns the kinds of large requests to an origin.
func floods(project, origin string, roots *tls.Config) []flood {
	one := func() *http.Client { return &http.Client{Transport: &http.Transport{TLSClientConfig: roots.Clone()}} }
	h2 := &http.Transport{TLSClientConfig: roots.Clone(), Protocols: &http.Protocols{}}
	h2.Protocols.SetHTTP2(true)
	h2.Protocols.SetUnencryptedHTTP2(true)
	both := &http.Transport{TLSClientConfig: roots.Clone(), Protocols: &http.Protocols{}}
	both.Protocols.SetHTTP1(true)
	both.Protocols.SetHTTP2(true)
	documents := origin + "/v1/projects/" + project + "/databases/(default)/documents"
	all := []flood{
		{"REST", documents + ":commit", nil, []byte(`{"writes": [`), 11 * Mib, one()},
		{"REST packed", documents + ":commit", map[string]string{"Content-Encoding": "gzip"}, []byte{0x1f, 0x8b, 8}, 11 * Mib, one()},
		{"REST query", documents + ":runQuery", nil, []byte(`{"structuredQuery": {`), 60 << 10, one()},
		{"WebChannel's handshake", origin + "/google.firestore.v1.Firestore/Listen/channel?RID=1&VER=8&database=projects/" + project + "/databases/(default)", nil,
			[]byte("count=1&ofs=0&req0___data__="), 30 * Mib, one()},
		{"gRPC Commit", origin + "/google.firestore.v1.Firestore/Commit", map[string]string{"Content-Type": "application/grpc", "Te": "trailers"}, grpcStart, 0, &http.Client{Transport: h2}},
		{"gRPC Write", origin + "/google.firestore.v1.Firestore/Write", map[string]string{"Content-Type": "application/grpc", "Te": "trailers"}, grpcStart, 0, &http.Client{Transport: h2}},
	}
	if roots != nil { // HTTP/2 and HTTP/1.1 share a port under TLS only
		all = append(all, flood{"gRPC by a connection of a browser", origin + "/google.firestore.v1.Firestore/Commit", map[string]string{"Content-Type": "application/grpc", "Te": "trailers"},
			grpcStart, 0, &http.Client{Transport: both}})
	}
	return all
}

// The limits in MiB of the resident set of a server that receives floods: 140 requests of 4 MiB are 560, and more while
// they are read; 170 to 220 are usual. One flood has 2,000 connections, whose TLS takes some 50 KiB each in addition;
// the peak depends on how many handshakes are under way at once, and was up to 301. It was 487 while a follower did not
// count what it forwards.
const (
	MostUnfinished    = 320
	MostUnfinishedTLS = 440
)

// WantUnfinishedBounded starts 140 large requests over each transport and finishes none. The resident set of a server
// must stay bounded, and the origin must answer a small request meanwhile.
func WantUnfinishedBounded(t *testing.T, cmd *exec.Cmd, project, origin string, settings *tls.Config, most int) {
	t.Helper()
	const (
		requests  = 140
		each      = 4 * Mib
		manySmall = 2000 // of 60 KiB
	)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: settings.Clone()}, Timeout: WaitLimit}
	for _, f := range floods(project, origin, settings) {
		began := clock.System().Now()
		requests, each := requests, int64(each)
		if f.declared > 0 && f.declared < each {
			requests, each = manySmall, f.declared-int64(len(f.first))-1
		}
		refused := f.begin(t, requests, each)
		peak := MemoryOf(t, cmd, "VmHWM")
		t.Logf("%-24s %3d of %d ended by the server in %v; %d MiB at most until now, %d now", f.name, refused, requests, clock.System().Now().Sub(began).Round(time.Millisecond), peak, MemoryOf(t, cmd, "VmRSS"))
		if peak > most {
			t.Errorf("%s: the resident set reached %d MiB, want at most %d", f.name, peak, most)
		}
		res, err := client.Get(origin + "/v1/projects/" + project + "/databases/(default)/documents/open/a")
		if err != nil {
			t.Errorf("%s: a small request afterwards: %v", f.name, err)
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: a small request afterwards: %s, want 404", f.name, res.Status)
		}
	}
}

// Shrink waits up to 30 s until a program's resident set has at most the given number of MiB, and returns its size.
func Shrink(t *testing.T, cmd *exec.Cmd, most int) int {
	t.Helper()
	again := time.NewTicker(500 * time.Millisecond) // no event reports a change of the memory
	defer again.Stop()
	size := MemoryOf(t, cmd, "VmRSS")
	for i := 0; i < 60 && size > most; i++ {
		<-again.C
		size = MemoryOf(t, cmd, "VmRSS")
	}
	return size
}

package attack

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"clave/server/test/kit/wait"

	"clave/server/test/e2e/harness"
)

// The protocols that clients offer (ALPN): those of a browser, and gRPC's.
var (
	asBrowser = []string{"h2", "http/1.1"}
	asCaller  = []string{"h2"}
)

// attackedPort is an address that is attacked over HTTP/2, as a browser or as a gRPC client.
type attackedPort struct {
	name    string
	server  *harness.Production
	tls     *tls.Config
	offered []string
	// calls is set if the connections are gRPC's.
	calls bool
}

// attackedPorts runs servers for attacks over HTTP/2 and returns the kinds of connections to them.
func attackedPorts(t *testing.T) []attackedPort {
	t.Helper()
	harness.Alone(t, "the memory of one server is measured")
	folder := func() string {
		dir := harness.ProductionFolder(t)
		harness.WriteFile(t, dir+"/firestore.rules", harness.SlowRules)
		harness.WriteFile(t, dir+"/site/large.bin", strings.Repeat("0123456789abcdef", harness.Mib))
		return dir
	}
	secure := harness.Serve(t, folder(), true, "--no-sign-up", "--memory-limit", "512MiB", "--anonymous-writes", "100000")
	plain := harness.Serve(t, folder(), false, "--no-sign-up", "--memory-limit", "512MiB", "--anonymous-writes", "100000", "--trust-proxy")
	roots := &tls.Config{RootCAs: secure.Roots}
	return []attackedPort{
		{"a browser", secure, roots, asBrowser, false}, {"gRPC", secure, roots, asCaller, true}, {"gRPC behind a proxy", plain, nil, nil, true},
	}
}

// dial opens a connection.
func (w attackedPort) dial(t *testing.T, pairs ...uint32) *frames {
	t.Helper()
	_, address, _ := strings.Cut(w.server.URL, "//")
	return dialFrames(t, address, w.tls, w.offered, pairs...)
}

// headers encodes the headers of a request of a path.
func (w attackedPort) headers(method, path string, more ...string) []byte {
	scheme, address, _ := strings.Cut(w.server.URL, "://")
	return fields(append([]string{":method", method, ":scheme", scheme, ":authority", address, ":path", path}, more...)...)
}

// call encodes the headers of a gRPC call.
func (w attackedPort) call(method string) []byte {
	return w.headers(http.MethodPost, "/google.firestore.v1.Firestore/"+method, "content-type", "application/grpc", "te", "trailers", "google-cloud-resource-prefix", harness.AttackedDatabase)
}

// serves fails the test unless the server answers a small request and has used at most a number of MiB.
func (w attackedPort) serves(t *testing.T, attack string, most int) {
	t.Helper()
	client := *w.server.Client
	client.Timeout = harness.WaitLimit
	res, err := client.Get(w.server.URL + "/v1/" + harness.AttackedDatabase + "/documents/open/none")
	if err != nil {
		t.Errorf("%s, %s: a small request: %v", w.name, attack, err)
		return
	}
	_ = res.Body.Close()
	peak := harness.MemoryOf(t, w.server.Cmd, "VmHWM")
	t.Logf("%s, %s: %d MiB at most", w.name, attack, peak)
	if res.StatusCode != http.StatusNotFound || peak > most {
		t.Errorf("%s, %s: a small request: %s, at most %d MiB; want 404 and at most %d MiB", w.name, attack, res.Status, peak, most)
	}
}

// mostAttacked is the limit in MiB of the resident set of an attacked server with 512 MiB. Up to 302 are usual; each
// defect that the attacks found exceeded 512.
const mostAttacked = 460

// TestAttacksByUnreadResponses requests a large document and a page hundreds of times and reads nothing: the windows of
// the client are 0.
func TestAttacksByUnreadResponses(t *testing.T) {
	harness.Parallel(t)
	if testing.Short() {
		t.Skip("hundreds of MiB are requested")
	}
	const conns, streams = 6, 200
	name := harness.AttackedDatabase + "/documents/large/a"
	get := append([]byte{0, 0, 0, 0, byte(len(name) + 2), 0x0a, byte(len(name))}, name...) // a GetDocumentRequest
	for _, w := range attackedPorts(t) {
		document := harness.Object{"fields": harness.Object{"text": harness.Object{"stringValue": strings.Repeat("x", 900_000)}}}
		if code, text := w.server.Request(t, http.MethodPatch, "/v1/"+name, "", document); code != http.StatusOK {
			t.Fatalf("write: %d %v", code, text)
		}
		for _, attack := range []struct {
			name    string
			calls   bool
			head    []byte
			message []byte
		}{
			{"a document by gRPC", true, w.call("GetDocument"), get},
			{"a document by REST", false, w.headers(http.MethodGet, "/v1/"+name), nil},
			{"a file", false, w.headers(http.MethodGet, "/large.bin"), nil},
		} {
			if w.calls && !attack.calls {
				continue
			}
			var all []*frames
			for range conns {
				f := w.dial(t, settingStreamWindow, 0)
				for i := range uint32(streams) {
					if attack.message == nil {
						_ = f.send(frameHeaders, flagEndHeaders|flagEndStream, 2*i+1, attack.head)
						continue
					}
					_ = f.send(frameHeaders, flagEndHeaders, 2*i+1, attack.head)
					_ = f.send(frameData, flagEndStream, 2*i+1, attack.message)
				}
				if err := f.w.Flush(); err != nil {
					t.Logf("%s, %s: the server ended a connection: %v", w.name, attack.name, err)
				}
				all = append(all, f)
			}
			for _, f := range all {
				wait.Until(t, "the server has not answered all requests", func() bool { return f.answered.Load() >= streams || f.closes(0) })
			}
			w.serves(t, attack.name, mostAttacked)
			for _, f := range all {
				_ = f.Close()
			}
		}
	}
}

// frameFlood is a flood of frames of HTTP/2.
type frameFlood struct {
	name   string
	frames int
	// begin sends the frames before the flood, and each one frame of it; head has the headers of a valid request.
	begin func(f *frames, head []byte)
	each  func(f *frames, i uint32, head []byte) error
	// browser and caller report whether the server must close the connection of a browser, or of gRPC.
	browser, caller bool
}

// frameFloods are the floods.
func frameFloods() []frameFlood {
	open := func(f *frames, head []byte) { _ = f.send(frameHeaders, flagEndHeaders, 1, head) }
	unfinished := func(f *frames, head []byte) { _ = f.send(frameHeaders, 0, 1, head) }
	return []frameFlood{
		{"requests that are reset", 20_000, nil, func(f *frames, i uint32, head []byte) error {
			_ = f.send(frameHeaders, flagEndHeaders|flagEndStream, 2*i+1, head)
			return f.send(frameReset, 0, 2*i+1, number(8))
		}, false, false},
		{"unread requests", 20_000, func(f *frames, _ []byte) { f.settings(settingStreamWindow, 0) }, func(f *frames, i uint32, head []byte) error {
			return f.send(frameHeaders, flagEndHeaders|flagEndStream, 2*i+1, head)
		}, false, false},
		{"headers without an end", 20_000, unfinished, func(f *frames, _ uint32, _ []byte) error {
			return f.send(frameContinuation, 0, 1, fields("x", strings.Repeat("a", 1000)))
		}, true, true},
		{"empty parts of headers", 100_000, unfinished, func(f *frames, _ uint32, _ []byte) error { return f.send(frameContinuation, 0, 1, nil) }, false, false},
		{"headers that unpack to more", 500, func(f *frames, head []byte) {
			_ = f.send(frameHeaders, flagEndHeaders|flagEndStream, 1, appendText(appendText(append(head[:len(head):len(head)], 0x40), "x"), strings.Repeat("a", 3900)))
		}, func(f *frames, i uint32, head []byte) error { // 0xbe refers to the field above
			return f.send(frameHeaders, flagEndHeaders|flagEndStream, 2*i+3, append(head[:len(head):len(head)], strings.Repeat("\xbe", 14_000)...))
		}, false, false},
		{"settings", 200_000, nil, func(f *frames, i uint32, _ []byte) error { f.settings(settingStreamWindow, i); return nil }, false, false},
		// The answers exceed what the system buffers, 4 MiB: the server counts those that wait.
		{"pings", 1_000_000, nil, func(f *frames, _ uint32, _ []byte) error { return f.send(framePing, 0, 0, make([]byte, 8)) }, true, true},
		{"window updates of 0", 20_000, nil, func(f *frames, _ uint32, _ []byte) error { return f.send(frameWindow, 0, 0, number(0)) }, true, true},
		{"window updates of 1", 200_000, nil, func(f *frames, _ uint32, _ []byte) error { return f.send(frameWindow, 0, 0, number(1)) }, false, false},
		{"empty data", 200_000, open, func(f *frames, _ uint32, _ []byte) error { return f.send(frameData, 0, 1, nil) }, false, false},
		{"priorities", 200_000, nil, func(f *frames, i uint32, _ []byte) error {
			return f.send(framePriority, 0, 2*i+1, []byte{0, 0, 0, 0, 16})
		}, false, false},
		{"unknown frames", 200_000, nil, func(f *frames, _ uint32, _ []byte) error { return f.send(0xfa, 0, 0, make([]byte, 64)) }, false, false},
	}
}

// flood sends the frames of a flood and reads nothing until they are sent or the server has closed the connection.
func (f *frames) flood(flood frameFlood, head []byte) {
	f.unread.Lock()
	defer f.unread.Unlock()
	if flood.begin != nil {
		flood.begin(f, head)
	}
	var err error
	for i := uint32(0); int(i) < flood.frames && err == nil; i++ {
		err = flood.each(f, i, head)
	}
	_ = f.w.Flush() // It fails if the server has closed the connection.
}

// TestAttacksByFrames sends floods of frames of HTTP/2 on connections of each kind.
func TestAttacksByFrames(t *testing.T) {
	harness.Parallel(t)
	if testing.Short() {
		t.Skip("millions of frames are sent")
	}
	for _, w := range attackedPorts(t) {
		head := w.headers(http.MethodGet, "/index.html")
		if w.calls {
			head = w.call("Listen")
		}
		for _, flood := range frameFloods() {
			f := w.dial(t)
			if err := f.SetWriteDeadline(time.Now().Add(harness.WaitLimit)); err != nil {
				t.Fatal(err)
			}
			f.flood(flood, head)
			if closes := flood.browser && !w.calls || flood.caller && w.calls; closes && !f.closes(harness.WaitLimit) {
				t.Errorf("%s, %s: the connection is open", w.name, flood.name)
			}
			w.serves(t, flood.name, mostAttacked)
			_ = f.Close()
		}
	}
}

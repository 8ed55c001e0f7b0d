package bench_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// channelListeners is the number of listening browsers, each with its own connections.
const channelListeners = 1000

// TestChannelFanOut logs how long a commit takes to reach 1,000 listeners over WebChannel, each with its own
// connections as in browsers, compared with a bare HTTP server that writes the same bytes to the same number of open
// responses.
func TestChannelFanOut(t *testing.T) {
	if os.Getenv("CLAVE_BENCH_LISTEN") == "" {
		t.Skip("CLAVE_BENCH_LISTEN is not set")
	}
	const rounds, turns = 25, 4
	ours := startClave(t)
	w := &writer{conn: dial(t, ours.address), t: t}
	clave := gatherChannels(t, ours, (*channel).listen)
	change := func(i int) error { return w.set("listened", "d0", 0, int64(i)) }
	clave.round(t, func() error { return change(-1) }, channelListeners, nil)
	bytes := clave.received.String()
	bare := startBareHTTP(t)
	other := gatherChannels(t, bare, (*channel).listenBare)
	publish := func() error {
		return fetch(t.Context(), http.DefaultClient, http.MethodPost, bare.origin(nil), "", bytes)
	}
	var delays, beside []time.Duration
	var ticks, ticksBeside int
	for turn := range turns {
		before := ours.ticks(t)
		for i := range rounds {
			delays = clave.round(t, func() error { return change(turn*rounds + i) }, channelListeners, delays)
		}
		ticks += ours.ticks(t) - before
		before = bare.ticks(t)
		for range rounds {
			beside = other.round(t, publish, channelListeners, beside)
		}
		ticksBeside += bare.ticks(t) - before
	}
	for _, side := range []struct {
		name   string
		delays []time.Duration
		ticks  int
	}{{"Clave", delays, ticks}, {"bare", beside, ticksBeside}} {
		p50, p99 := quantiles(side.delays)
		t.Logf("%-5s %d commits of %d bytes: p50 %.1f ms, p99 %.1f ms, %.1f µs server CPU a listener",
			side.name, rounds*turns, len(bytes), ms(p50), ms(p99), float64(side.ticks)*tick/float64(len(side.delays)))
	}
}

// channelCrowd is a crowd whose listeners are channels.
type channelCrowd struct {
	crowd
	// received holds the data that the first listener has received since its first snapshot.
	received strings.Builder
}

// gatherChannels opens channels and waits until all of them have their first snapshot. They end with the test.
func gatherChannels(t *testing.T, s *server, open func(*channel) error) *channelCrowd {
	t.Helper()
	return gatherSomeChannels(t, s, channelListeners, open, func() *http.Transport { return new(http.Transport) })
}

// gatherSomeChannels opens n channels, each with its own transport.
func gatherSomeChannels(t *testing.T, s *server, n int, open func(*channel) error, transport func() *http.Transport) *channelCrowd {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := &channelCrowd{crowd: crowd{n: n, arrivals: make([]time.Time, n), whole: make(chan struct{}, 1)}}
	t.Cleanup(func() {
		cancel()
		c.ended.Wait()
	})
	opened := make(chan error, n)
	for i := range n {
		own := transport()
		own.DisableCompression = true
		one := &channel{ctx: ctx, client: &http.Client{Transport: own}, rid: 1000, address: s.origin(nil) + channelPath("Listen", benchDatabase)}
		c.ended.Go(func() {
			defer one.client.CloseIdleConnections()
			if err := open(one); err != nil {
				opened <- err
				return
			}
			c.receive(one, opened, i == 0)
		})
	}
	for i := range n {
		select {
		case err := <-opened:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d channels have a snapshot after a minute", i, n)
		}
	}
	return c
}

// snapshotPattern matches a target change without a type and a target: a consistent snapshot.
var snapshotPattern = regexp.MustCompile(`"targetChange":\s*\{\s*"(?:resumeToken|readTime)"`)

// receive reads one channel to its end. The first also records the received data.
func (c *channelCrowd) receive(one *channel, opened chan<- error, notes bool) {
	changed, begun := false, false
	for {
		text, err := one.chunk()
		if err != nil {
			return
		}
		for _, m := range arrayPattern.FindAllStringSubmatch(text, -1) {
			one.at, _ = strconv.Atoi(m[1])
		}
		changed = changed || strings.Contains(text, `"documentChange"`)
		if begun && notes && c.wanted.Load() > 0 {
			fmt.Fprintf(&c.received, "%d\n%s", len(text), text) // the texts of this test are ASCII
		}
		switch {
		case !snapshotPattern.MatchString(text):
		case !begun:
			begun, changed = true, false
			opened <- nil
		case changed:
			changed = false
			c.arrive()
		}
	}
}

// listen opens a session with a target.
func (c *channel) listen() error {
	return c.begin(fmt.Sprintf(`{"database":%q,"addTarget":{"targetId":2,"query":{"parent":%q,"structuredQuery":{"from":[{"collectionId":"listened"}]}}}}`,
		benchDatabase, benchDatabase+"/documents"))
}

// listenBare does nothing: the bare server has no sessions.
func (c *channel) listenBare() error { return nil }

// startBareHTTP starts a server that writes the body of a POST to all open responses.
func startBareHTTP(t *testing.T) *server {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestServeBareHTTP$")
	cmd.Env = append(os.Environ(), "CLAVE_BENCH_BARE_HTTP="+address)
	return start(t, cmd, address)
}

// TestServeBareHTTP is the process of startBareHTTP.
func TestServeBareHTTP(t *testing.T) {
	address := os.Getenv("CLAVE_BENCH_BARE_HTTP")
	if address == "" {
		t.Skip("CLAVE_BENCH_BARE_HTTP is not set")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: &bareHTTP{}, ReadHeaderTimeout: time.Minute}
	if err := s.Serve(l); err != nil {
		t.Fatal(err)
	}
}

// bareHTTP is the handler of TestServeBareHTTP.
type bareHTTP struct {
	// open holds a *chan []byte for each response.
	open sync.Map
}

// ServeHTTP writes the body of a POST to all open responses, and keeps the response to a GET open.
func (b *bareHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b.open.Range(func(key, _ any) bool {
			*key.(*chan []byte) <- body
			return true
		})
		return
	}
	const first = `[[1,[{"targetChange":{"readTime":""}}]]]`
	changes := make(chan []byte, 10)
	b.open.Store(&changes, nil)
	defer b.open.Delete(&changes)
	next := fmt.Appendf(nil, "%d\n%s", len(first), first)
	for {
		if _, err := w.Write(next); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case next = <-changes:
		}
	}
}

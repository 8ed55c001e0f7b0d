package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clave/server/test/kit/program"
)

// The environment variables of the receiver of events: its address, and the file in which it records events.
const (
	receiverAddr = "CLAVE_TORTURE_RECEIVER"
	receiverLog  = "CLAVE_TORTURE_RECEIVED"
)

// receiveEvents records the document and number of each event in a file before it accepts the event. It returns the
// exit code.
func receiveEvents(addr, file string) int {
	log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err = http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var data struct {
			Value struct {
				Fields struct{ N struct{ IntegerValue string } }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&data); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if rand.N(50) == 0 {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		if _, err := fmt.Fprintf(log, "%s %s\n", r.Header.Get("Ce-Document"), data.Value.Fields.N.IntegerValue); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// eventSite creates a folder for a `clave serve` that delivers events to a receiver.
func eventSite(t *testing.T, receiver string) *site {
	t.Helper()
	s := newSite(t)
	for name, text := range map[string]string{
		"firebase.json":   `{"firestore": {"rules": "firestore.rules"}}`,
		"firestore.rules": "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents/torture/{id} { allow write; } }",
		"events.json":     `{"triggers": [{"name": "torture", "event": "written", "document": "torture/{id}", "content": "application/json", "url": "http://` + receiver + `/"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	s.args = []string{"serve", "--project", "torture", "--public-url", s.http, "--port", port, "--anonymous-writes", "0", "--events", "events.json"}
	return s
}

// eventWriter writes a document repeatedly, with increasing numbers.
type eventWriter struct {
	site     *site
	document string
	// acknowledged holds the numbers whose commits the program has acknowledged.
	acknowledged []int
}

// run writes until ctx ends.
func (w *eventWriter) run(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := 1; ctx.Err() == nil; n++ {
		body := fmt.Sprintf(`{"writes": [{"update": {"name": "projects/torture/databases/(default)/documents/torture/%s", "fields": {"n": {"integerValue": "%d"}}}}]}`, w.document, n)
		res, err := client.Post(w.site.http+"/v1/projects/torture/databases/(default)/documents:commit", "application/json", strings.NewReader(body))
		if err != nil { // killed: the outcome of the commit is unknown
			<-time.After(10 * time.Millisecond)
			continue
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK && err == nil {
			w.acknowledged = append(w.acknowledged, n)
		} else if res.StatusCode != http.StatusOK {
			w.site.t.Errorf("commit: %s %s", res.Status, text)
			return
		}
	}
}

// received returns the recorded numbers by document, in the order of their arrival.
func received(t *testing.T, file string) map[string][]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]int)
	for line := range bytes.Lines(text) {
		document, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatalf("the receiver recorded %q", line)
		}
		all[document] = append(all[document], n)
	}
	return all
}

// missing returns the number of acknowledged commits whose events have not arrived.
func missing(writers []*eventWriter, got map[string][]int) int {
	left := 0
	for _, w := range writers {
		have := make(map[int]bool)
		for _, n := range got["torture/"+w.document] {
			have[n] = true
		}
		for _, n := range w.acknowledged {
			if !have[n] {
				left++
			}
		}
	}
	return left
}

// checkOrder checks that each document's events arrived in order, except repeated ones.
func checkOrder(t *testing.T, got map[string][]int) (repeats int) {
	t.Helper()
	for document, numbers := range got {
		seen := make(map[int]bool)
		last := 0
		for _, n := range numbers {
			switch {
			case seen[n]:
				repeats++
			case n < last:
				t.Errorf("%s: the event of %d came first after that of %d", document, n, last)
			}
			seen[n] = true
			last = max(last, n)
		}
	}
	return repeats
}

// eventTime returns how long the program and the receiver are killed at random: a minute in a long run.
func eventTime() time.Duration {
	if longRun() {
		return time.Minute
	}
	return 8 * time.Second
}

// TestEventsUnderKills writes to a serving program that delivers events, and kills both the program and the receiver at
// random.
func TestEventsUnderKills(t *testing.T) {
	addr, file := fmt.Sprintf("127.0.0.1:%d", program.FreePorts(t, 1)[0]), filepath.Join(t.TempDir(), "received")
	s := eventSite(t, addr)
	srv, receiver := s.start(), startReceiver(t, addr, file)
	writing, stop := context.WithTimeout(t.Context(), eventTime())
	defer stop()
	var writers []*eventWriter
	var load, killers sync.WaitGroup
	for i := range 12 {
		w := &eventWriter{site: s, document: fmt.Sprintf("d%d", i)}
		writers = append(writers, w)
		load.Go(func() { w.run(writing) })
	}
	var kills atomic.Int64
	kill := func(again func()) {
		for pause(writing, 200*time.Millisecond, time.Second) {
			again()
			kills.Add(1)
		}
	}
	killers.Go(func() {
		kill(func() {
			_ = receiver.Process.Kill()
			_ = receiver.Wait() // killed
			pause(writing, 0, 300*time.Millisecond)
			receiver = startReceiver(t, addr, file)
		})
	})
	kill(func() {
		srv.kill()
		pause(writing, 0, 100*time.Millisecond)
		srv = s.start()
	})
	load.Wait()
	killers.Wait()
	got := awaitEvents(t, file, writers)
	if n := missing(writers, got); n > 0 {
		out, _ := s.run("events", "status", "--data", s.data)
		t.Errorf("%d events of acknowledged commits have not arrived, and none did for %v\n%s\n%s", n, timeLimit, out, srv.logged())
	}
	repeats, commits := checkOrder(t, got), 0
	for _, w := range writers {
		commits += len(w.acknowledged)
	}
	t.Logf("%d commits of %d documents, %d kills, %d events arrived more than once", commits, len(writers), kills.Load(), repeats)
	if commits == 0 {
		t.Error("nothing was committed")
	}
	if out, err := s.run("events", "status", "--data", s.data); err != nil || !strings.Contains(out, "torture") || strings.Contains(out, "LOST") {
		t.Errorf("clave events status: %v\n%s", err, out)
	}
	srv.stop()
	_ = receiver.Process.Kill()
	_ = receiver.Wait()
}

// awaitEvents waits until the events of all acknowledged commits have arrived, as long as some arrive. It returns the
// received numbers by document. The receiver refuses one event in fifty, and each refusal delays the later events of
// its document, so the backlog of a long run takes minutes.
func awaitEvents(t *testing.T, file string, writers []*eventWriter) map[string][]int {
	t.Helper()
	least, limit := math.MaxInt, time.Now()
	for {
		got := received(t, file)
		n := missing(writers, got)
		if n < least {
			least, limit = n, time.Now().Add(timeLimit)
		}
		if n == 0 || time.Now().After(limit) {
			return got
		}
		<-time.After(250 * time.Millisecond)
	}
}

// startReceiver starts the receiver of events as a separate process.
func startReceiver(t *testing.T, addr, file string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), receiverAddr+"="+addr, receiverLog+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// pause waits for a random time and reports whether ctx has not ended.
func pause(ctx context.Context, least, most time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(least + rand.N(most-least)):
		return true
	}
}

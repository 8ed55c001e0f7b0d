package link

import (
	"errors"
	"maps"
	"net"
	"sync"
	"testing"
)

// Balancer forwards each connection to the next target that accepts it, without inspecting the data.
type Balancer struct {
	*Link
	targets []string
	mu      struct {
		sync.Mutex
		next int
		used map[string]int
	}
}

// NewBalancer returns a balancer at a port of this machine, which runs until the test ends. Port 0 means any free port.
func NewBalancer(t testing.TB, port int, targets ...string) *Balancer {
	t.Helper()
	b, err := OpenBalancer(port, targets...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// OpenBalancer returns a balancer at a port of this machine, which runs until Close. Port 0 means any free port.
func OpenBalancer(port int, targets ...string) (*Balancer, error) {
	b := &Balancer{targets: targets}
	b.mu.used = make(map[string]int)
	l, err := openLink(port, b.choose)
	b.Link = l
	return b, err
}

// choose connects to the next target that accepts a connection.
func (b *Balancer) choose() (net.Conn, error) {
	failed := errors.New("no target")
	for range b.targets {
		b.mu.Lock()
		target := b.targets[b.mu.next%len(b.targets)]
		b.mu.next++
		b.mu.Unlock()
		conn, err := net.DialTimeout("tcp", target, dialTimeout)
		if err == nil {
			b.mu.Lock()
			b.mu.used[target]++
			b.mu.Unlock()
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// Used returns the number of connections to each target.
func (b *Balancer) Used() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.mu.used)
}

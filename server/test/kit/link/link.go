// Package link forwards TCP connections for tests: over links that can be cut and slowed, and to several targets in
// turn.
package link

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"clave/server/internal/base/clock"
)

// dialTimeout is the time limit for connecting to a target.
const dialTimeout = time.Second

// Way is a direction of a link.
type Way int

// The directions, which may be combined.
const (
	ToTarget Way = 1 << iota
	FromTarget
	Both = ToTarget | FromTarget
)

// Link forwards connections to a target. A cut link behaves like a network that loses all packets: connections stay
// open, and data arrive once the link is healed, because TCP retransmits them. New connections are accepted, but not
// forwarded.
type Link struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	done     chan struct{}
	running  sync.WaitGroup
	replaced [][2][]byte
	mu       struct {
		sync.Mutex
		cut   Way
		delay time.Duration
		// stranded is the number of the last connection that passes no more data.
		stranded int
		// changed is closed and replaced at each change of the above.
		changed chan struct{}
		conns   map[net.Conn]struct{}
		// accepted counts the connections so far.
		accepted int
	}
}

// New returns a link to a target, which runs until the test ends.
func New(t testing.TB, target string) *Link {
	t.Helper()
	l, err := openLink(0, func() (net.Conn, error) { return net.DialTimeout("tcp", target, dialTimeout) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// openLink creates a link that accepts connections at a port of this machine; 0 means any free port.
func openLink(port int, dial func() (net.Conn, error)) (*Link, error) {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	l := &Link{listener: ln, dial: dial, done: make(chan struct{})}
	l.mu.changed = make(chan struct{})
	l.mu.conns = make(map[net.Conn]struct{})
	l.running.Go(l.accept)
	return l, nil
}

// Addr returns the address on which the link listens.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Replace replaces a text in the responses of a target by another of the same length. It must be called before the link
// is used. The target must not pause within the text: a beginning of the text at the end of a response is held back.
func (l *Link) Replace(text, by string) {
	l.replaced = append(l.replaced, [2][]byte{[]byte(text), []byte(by)})
}

// Cut drops all data in a direction, or in both, until Heal.
func (l *Link) Cut(way Way) { l.set(way, 0) }

// Slow delays the data in either direction, some kilobytes at a time, until Heal.
func (l *Link) Slow(delay time.Duration) { l.set(0, delay) }

// Heal ends Cut and Slow.
func (l *Link) Heal() { l.set(0, 0) }

// Strand ends no connection, but the present ones pass no more data, like those through a firewall that has been
// replaced. New ones work.
func (l *Link) Strand() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.stranded = l.mu.accepted
	close(l.mu.changed)
	l.mu.changed = make(chan struct{})
}

// Conns returns the number of connections so far.
func (l *Link) Conns() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.accepted
}

// Reset resets all connections, like a machine that was restarted.
func (l *Link) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.mu.conns {
		_ = conn.(*net.TCPConn).SetLinger(0) // the connection may be closed already
		_ = conn.Close()
	}
}

// set changes the state of the link.
func (l *Link) set(cut Way, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.cut, l.mu.delay = cut, delay
	close(l.mu.changed)
	l.mu.changed = make(chan struct{})
}

// Close closes the link and waits for its goroutines.
func (l *Link) Close() {
	_ = l.listener.Close() // once
	close(l.done)
	l.Reset()
	l.running.Wait()
}

// accept forwards connections until the link is closed.
func (l *Link) accept() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return // the link is closed
		}
		if l.keep(conn) {
			l.mu.Lock()
			l.mu.accepted++
			number := l.mu.accepted
			l.mu.Unlock()
			l.running.Go(func() { l.pass(conn, number) })
		}
	}
}

// keep records a connection, unless the link is closed.
func (l *Link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.done:
		_ = conn.Close()
		return false
	default:
		l.mu.conns[conn] = struct{}{}
		return true
	}
}

// end closes a connection.
func (l *Link) end(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.mu.conns, conn)
	_ = conn.Close()
}

// pass forwards a connection, by its number, until both sides have closed it.
func (l *Link) pass(client net.Conn, number int) {
	defer l.end(client)
	if !l.open(Both, number) {
		return
	}
	target, err := l.dial()
	if err != nil || !l.keep(target) {
		return
	}
	defer l.end(target)
	var both sync.WaitGroup
	both.Go(func() { l.copy(target, client, ToTarget, number) })
	both.Go(func() { l.copy(client, target, FromTarget, number) })
	both.Wait()
}

// open waits until a direction is not cut and a delay is over. It returns false if the link is closed. A stranded
// connection waits for that.
func (l *Link) open(way Way, number int) bool {
	for {
		l.mu.Lock()
		cut, delay, changed := l.mu.cut, l.mu.delay, l.mu.changed
		if number <= l.mu.stranded {
			cut = Both
		}
		l.mu.Unlock()
		if cut&way == 0 && delay == 0 {
			return true
		}
		over, stop := clock.System().After(delay)
		if cut&way != 0 {
			over = nil
		}
		select {
		case <-over:
			stop()
			return true
		case <-changed:
		case <-l.done:
			stop()
			return false
		}
		stop()
	}
}

// copy copies one direction of a connection until its end and then closes the other side for writing.
func (l *Link) copy(to, from net.Conn, way Way, number int) {
	defer func() { _ = to.(*net.TCPConn).CloseWrite() }() // unless it has ended
	buffer := make([]byte, 32<<10)
	held := 0 // bytes at the beginning of the buffer that wait for the bytes after them
	for {
		n, err := from.Read(buffer[held:])
		n += held
		if !l.open(way, number) {
			return
		}
		held = 0
		if way == FromTarget && err == nil {
			held = l.replace(buffer[:n])
		}
		if _, failed := to.Write(buffer[:n-held]); failed != nil || err != nil {
			if failed != nil {
				l.end(from) // it is no longer read
			}
			return
		}
		copy(buffer, buffer[n-held:n])
	}
}

// replace replaces texts in place, and returns how many bytes at the end may be the beginning of one.
func (l *Link) replace(p []byte) (held int) {
	for _, r := range l.replaced {
		text, by := r[0], r[1]
		for at := 0; ; {
			i := bytes.Index(p[at:], text)
			if i < 0 {
				break
			}
			at += i + copy(p[at+i:], by)
		}
		for n := min(len(text)-1, len(p)); n > held; n-- {
			if bytes.HasSuffix(p, text[:n]) {
				held = n
			}
		}
	}
	return held
}

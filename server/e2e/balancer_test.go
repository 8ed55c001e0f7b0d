package e2e

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"clave/server/storage/pgstore/pgtest"
)

// balancer passes each TCP connection to the next of its targets that takes it, without reading what it passes.
type balancer struct {
	listener net.Listener
	targets  []string
	mu       struct {
		sync.Mutex
		next int
		// used counts the connections to each target.
		used map[string]int
	}
}

// newBalancer runs a balancer at a port, any when 0, until the test ends.
func newBalancer(t *testing.T, port int, targets ...string) *balancer {
	t.Helper()
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: ln, targets: targets}
	b.mu.used = make(map[string]int)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return // the test has ended
			}
			go b.pass(conn)
		}
	}()
	t.Cleanup(func() { _ = ln.Close() })
	return b
}

// addr returns where the balancer listens.
func (b *balancer) addr() string { return b.listener.Addr().String() }

// dial connects to the next target that answers.
func (b *balancer) dial() (net.Conn, error) {
	failed := errors.New("no target")
	for range b.targets {
		b.mu.Lock()
		target := b.targets[b.mu.next%len(b.targets)]
		b.mu.next++
		b.mu.Unlock()
		conn, err := net.DialTimeout("tcp", target, time.Second)
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

// wantAllUsed checks that connections went to every target.
func (b *balancer) wantAllUsed(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.mu.used) != len(b.targets) {
		t.Errorf("connections by target: %v, want some to each of %v", b.mu.used, b.targets)
	}
}

// pass copies both ways until either side ends.
func (b *balancer) pass(client net.Conn) {
	defer client.Close()
	server, err := b.dial()
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // however it ends
			_ = way[0].(*net.TCPConn).CloseWrite()
		})
	}
	both.Wait()
}

// nodesVariable has every test that runs `clave serve` run it as three nodes behind a balancer.
const nodesVariable = "CLAVE_NODES"

// shareStore has the commands of a test keep their data in a database of its own, if nodes are requested.
func shareStore(t *testing.T) {
	t.Helper()
	if os.Getenv(nodesVariable) != "" {
		t.Setenv("CLAVE_STORE", pgtest.New(t).Database())
	}
}

// serveNodes runs three nodes of `clave serve` in a folder behind a balancer at a port, until the test ends.
func (p *production) serveNodes(t *testing.T, port int, flags ...string) {
	t.Helper()
	ports := freePorts(t, 3)
	targets := make([]string, len(ports))
	for i, own := range ports {
		targets[i] = fmt.Sprintf("127.0.0.1:%d", own)
		more := append([]string{"--port", fmt.Sprint(own), "--data", filepath.Join(p.dir, fmt.Sprintf(".clave-%d", i))}, flags...)
		cmd := serveCommand(t, p.dir, []string{"CLAVE_STORE=" + os.Getenv("CLAVE_STORE")}, more...)
		cmd.Stderr = os.Stderr
		await := awaitLine(t, cmd)
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		})
		if i == 0 {
			p.cmd = cmd
			await("Clave ready")
		} else {
			await("Standby: ")
		}
	}
	newBalancer(t, port, targets...)
}

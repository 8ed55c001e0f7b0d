package control

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/authz"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/httpx/loopback"
	"clave/server/internal/rules"
)

// slowest is the time limit for a watcher to read a message.
const slowest = 10 * time.Second

// MaxWatchers is the maximum number of websockets. A message is as large as the rules and the documents in it, and is
// in memory until its client has read it.
const MaxWatchers = 64

// Slots bounds the websockets of one network and of all clients.
type Slots interface {
	// Take takes a slot for a client of an address. It returns nil if there is none. The caller calls release when the
	// websocket has ended. end ends the websocket. It is called, at most once and by another goroutine, if another client
	// needs the slot.
	Take(address netip.Addr, end func()) (release func())
}

// Monitor returns a handler that sends the decisions of the rules over websockets at /requests, in the form that the
// Emulator UI reads: first an array of the latest ones, then one object for each new one. Each websocket takes one of
// the slots.
func Monitor(rulesets *authz.Rulesets, slots Slots, c clock.Clock) http.Handler {
	m := &ruleMonitor{monitor: rulesets.Monitor(), slots: slots, clock: c}
	m.upgrader.CheckOrigin = fromHere
	return m
}

// ruleMonitor serves the websockets of the request monitor.
type ruleMonitor struct {
	monitor  *authz.Monitor
	clock    clock.Clock
	upgrader websocket.Upgrader
	slots    Slots
}

// fromHere reports whether a request comes from a page of this machine, or from no page. Any page in a browser can
// reach a port of the machine, and must not read the monitor; that the request's own host is the page's proves nothing,
// because the page's owner may have changed its address.
func fromHere(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback.Is(u.Hostname())
}

// ServeHTTP keeps a websocket until the client closes it or the request's context ends.
func (m *ruleMonitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/requests" {
		http.NotFound(w, r)
		return
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	release := m.slots.Take(clientaddr.Address(r, 0), end)
	if release == nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many clients watch the requests.", http.StatusServiceUnavailable)
		return
	}
	defer release()
	conn, err := m.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	m.serve(ctx, conn)
}

// serve sends the decisions over a websocket until its client closes it or ctx ends.
func (m *ruleMonitor) serve(ctx context.Context, conn *websocket.Conn) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends a write to a client that does not read
	past, watcher := m.monitor.Watch()
	defer watcher.Close()
	closed := make(chan struct{}) // closed by the reader below, when the client has disconnected
	go func() {
		defer close(closed)
		for {
			if _, _, err := conn.NextReader(); err != nil {
				return
			}
		}
	}()
	defer func() {
		_ = conn.Close() // ends the reader
		<-closed
	}()
	if m.sendAll(conn, past) != nil {
		return
	}
	for {
		select {
		case <-closed:
			return
		case <-ctx.Done():
			return
		case <-watcher.Wake():
			for e := watcher.Next(); e != nil; e = watcher.Next() {
				if m.send(conn, e.JSON()) != nil {
					return
				}
			}
		}
	}
}

// sendAll writes one message with an array. Only one of its elements is in memory at a time.
func (m *ruleMonitor) sendAll(conn *websocket.Conn, all []*rules.Evaluation) error {
	if err := conn.SetWriteDeadline(m.clock.Now().Add(slowest)); err != nil {
		return err
	}
	message, err := conn.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	before := "["
	for _, e := range all {
		_, err = io.WriteString(message, before)
		if err == nil {
			_, err = message.Write(e.JSON())
		}
		if err != nil {
			return err
		}
		before = ","
	}
	end := strings.TrimSuffix(before, ",") + "]"
	if _, err := io.WriteString(message, end); err != nil {
		return err
	}
	return message.Close()
}

// send writes one message.
func (m *ruleMonitor) send(conn *websocket.Conn, message []byte) error {
	if err := conn.SetWriteDeadline(m.clock.Now().Add(slowest)); err != nil {
		return err
	}
	return conn.WriteMessage(websocket.TextMessage, message)
}

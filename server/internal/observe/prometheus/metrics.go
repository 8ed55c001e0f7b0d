// Package prometheus exports a server's counts and state to Prometheus. Package meter does the counting, for the
// console too. Labels come from fixed lists, and no metric contains a document's path, an address, an e-mail or a
// secret. Only the patterns of collections, such as users/*/orders, are those of the data: the ten with the most reads.
package prometheus

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/usage"
)

// Path is the path of the metrics.
const Path = "/metrics"

// State is the state of a server.
type State struct {
	// Healthy is set if the server is healthy.
	Healthy bool
	// Streams and Targets are the numbers of open streams of live queries and of their targets.
	Streams, Targets int
	// StoreBytes is the size of the data on the disk, StoreFree the free space there, and LogBytes the part of the
	// store's log that is not in tables yet.
	StoreBytes, StoreFree, LogBytes uint64
	// Memory is the memory that the program has from the system, and Requests the memory of requests that are being
	// received.
	Memory   uint64
	Requests int64
	// Node is this node of a cluster; nil without a cluster.
	Node *Node
	// Backups are those that the server makes; nil if it makes none.
	Backups *Backups
	// Usage is what Firestore would bill for the calls of the server, all together and of the patterns of collections with
	// the most reads; nil if it is not counted.
	Usage *Usage
	// History is the past that the server keeps; nil at a node that does not lead.
	History *History
}

// Usage is what Firestore would bill.
type Usage struct {
	// All is the sum, and Top are the patterns with the most reads.
	All usage.Counts
	Top []usage.PatternCounts
}

// History is the past that a server keeps.
type History struct {
	// Bytes is the size of the history, MaxBytes its maximum, and Window the configured time.
	Bytes, MaxBytes int64
	Window          time.Duration
	// Shrunk counts how often the history was made shorter than the window.
	Shrunk int64
}

// Backups is the state of the backups that a server makes.
type Backups struct {
	// Count is the number of backups, and Bytes the size of the newest one.
	Count int
	Bytes int64
	// Last is the time of the newest backup, Proved that of the last trial restore that succeeded, and Second the second
	// of the log whose state it has restored; zero if there is none.
	Last, Proved, Second time.Time
	// Failures and Unproved count the backups and the trial restores that have failed since the start.
	Failures, Unproved uint64
	// Log is the log that is shipped between backups; nil if it is not shipped.
	Log *ShippedLog
}

// ShippedLog is the state of the log that a server ships between backups.
type ShippedLog struct {
	// Age is that of the oldest commit that is not shipped, or of a gap; zero if there is none.
	Age time.Duration
	// Until is the time up to which this process has shipped everything; zero if it has shipped nothing.
	Until time.Time
	// Bytes counts the shipped bytes, Failures the attempts that failed, and Gaps the gaps since the start.
	Bytes, Failures, Gaps uint64
}

// Node describes the position of a node of a cluster.
type Node struct {
	// Role is leader or follower.
	Role string
	// Leased and Indexed count the reads of a follower that were current by a lease, and those that requested a read
	// index.
	Leased, Indexed int64
	// Epoch counts the leaders so far, the present one included; zero if a follower has found none.
	Epoch int64
	// StateLag is the number of rows of the log that are not yet in the state, with which new nodes begin. Only a
	// leader has it.
	StateLag int64
	// Members are the nodes that have reported to a leader, or only this node, which follows.
	Members []Member
}

// Member is a node of a cluster.
type Member struct {
	Name string
	// LogLag is the number of rows of the log that it lacks, and Age the age of its report, or of its last contact.
	LogLag int64
	Age    time.Duration
}

// Options configure New.
type Options struct {
	// Meter has the counts; nil if nothing is counted.
	Meter *meter.Meter
	// State returns the server's state. It may be called concurrently.
	State func(context.Context) State
	// Version is the program's.
	Version string
	// Local refuses requests with other host names than this machine's, such as those of pages whose name resolves to
	// this machine (DNS rebinding).
	Local bool
}

// New returns the handler of the metrics' port.
func New(o Options) (http.Handler, error) {
	program := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := program.Register(c); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		server := prometheus.NewRegistry()
		server.MustRegister(&collector{o, o.State(r.Context())})
		promhttp.HandlerFor(prometheus.Gatherers{program, server}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	})
	if !o.Local {
		return mux, nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "the metrics are for this machine", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	}), nil
}

// local reports whether a Host header is an IP address or localhost.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

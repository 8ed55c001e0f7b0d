package app

import (
	"context"
	"log/slog"
	"runtime"
	"runtime/metrics"

	"clave/server/internal/app/backups"
	"clave/server/internal/app/config"
	"clave/server/internal/app/status"
	"clave/server/internal/cluster/node"
	"clave/server/internal/limit/receive"
	"clave/server/internal/model/resource"
	"clave/server/internal/observe/meter"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/observe/usage"
	"clave/server/internal/store/postgres"
)

// observed returns the state of the server for the console and the metrics.
type observed struct {
	budget *receive.Budget
	// billed counts what Firestore would bill; nil counts nothing.
	billed *usage.Meter
	log    *slog.Logger
	// state is nil until it is open.
	state *state
}

// topPatterns is the number of patterns of collections whose reads are shown.
const topPatterns = 10

// gauges returns the state of the server.
func (o *observed) gauges() meter.Gauges {
	g := meter.Gauges{Goroutines: runtime.NumGoroutine()}
	g.Memory, g.Heap = memoryTaken()
	if s := o.state; s != nil {
		g.Listeners = s.Hub.Streams()
		g.Disk, g.DiskFree = s.usage()
		g.History = s.Engine.HistoryState().Bytes
	}
	return g
}

// logged is a store whose latest writes are only in a log.
type logged interface{ LogSize() uint64 }

// sampled returns the state of the server, including the lag of the readers of its log.
func (o *observed) sampled(ctx context.Context) meter.Gauges {
	g := o.gauges()
	if o.state == nil {
		return g
	}
	if store, ok := o.state.store.(logged); ok {
		g.Log = store.LogSize()
	}
	shared, ok := o.state.store.(*postgres.Store)
	if !ok {
		return g
	}
	led := o.leads(ctx, shared)
	g.Lag = &led.StateLag
	for _, member := range led.Members {
		g.Nodes = append(g.Nodes, meter.NodeLag{Name: member.Name, Lag: member.LogLag})
	}
	return g
}

// memoryTaken returns the bytes that the program has from the system, and those of live objects.
func memoryTaken() (all, heap uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64(), samples[2].Value.Uint64()
}

// usage returns the used and the free bytes on this machine's disk, or zero if the data are elsewhere.
func (s *state) usage() (used, free uint64) {
	if store, ok := s.store.(interface{ Usage() (used, free uint64) }); ok {
		return store.Usage()
	}
	return 0, 0
}

// followerState returns the state of a node that does not lead.
func (o *observed) followerState(n *node.Node) prometheus.State {
	leader, _ := n.Members.Leader()
	out := n.Reads.State(n.Name())
	out.Requests, out.Node.Epoch = o.budget.Used(), leader.Epoch
	out.Memory, _ = memoryTaken()
	out.Usage = o.usage()
	return out
}

// usage returns what Firestore would bill for the calls that this node has answered itself; nil if it is not counted.
func (o *observed) usage() *prometheus.Usage {
	if o.billed == nil {
		return nil
	}
	r := o.billed.Report("")
	return &prometheus.Usage{All: r.Total.Counts, Top: r.Top(topPatterns)}
}

// serverState returns the state of the server.
func (o *observed) serverState(ctx context.Context) prometheus.State {
	g := o.gauges()
	out := prometheus.State{Streams: g.Listeners, StoreBytes: g.Disk, StoreFree: g.DiskFree, Memory: g.Memory, Requests: o.budget.Used()}
	s := o.state
	out.Healthy, out.Targets = s.health() == nil, s.Hub.Targets()
	if log, ok := s.store.(logged); ok {
		out.LogBytes = log.LogSize()
	}
	if shared, ok := s.store.(*postgres.Store); ok {
		out.Node = o.leads(ctx, shared)
	}
	out.Backups = backups.State(s.backups)
	out.Usage = o.usage()
	h := s.Engine.HistoryState()
	out.History = &prometheus.History{Bytes: h.Bytes, MaxBytes: h.MaxBytes, Window: h.Window, Shrunk: h.Shrunk}
	return out
}

// describe returns the state of this server for clave status.
func describe(c *config.Config, o *Options, s *state) status.Status {
	h := s.Engine.HistoryState()
	db := resource.Database{Project: c.Project, ID: resource.DefaultDatabase}
	out := status.Status{
		Version: o.Version, Project: c.Project, Now: o.Clock.Now(),
		History: status.History{Since: s.Engine.Earliest(db).Time(), Window: h.Window, Bytes: h.Bytes, MaxBytes: h.MaxBytes, Shrunk: h.Shrunk},
	}
	out.Used, out.Free = s.usage()
	if err := s.health(); err != nil {
		out.Problem = err.Error()
	}
	if s.backups != nil {
		scheduled := s.backups.Schedule.Status()
		out.Backups = &scheduled
	}
	return out
}

// leads returns the state of this leader and of the other nodes.
func (o *observed) leads(ctx context.Context, s *postgres.Store) *prometheus.Node {
	st, err := s.Standing(ctx)
	if err != nil {
		o.log.Warn("the metrics lack the nodes of the cluster", "error", err)
	}
	n := &prometheus.Node{Role: "leader", Epoch: st.Epoch, StateLag: max(0, st.Log-st.State)}
	for _, node := range st.Nodes {
		n.Members = append(n.Members, prometheus.Member{Name: node.Name, LogLag: max(0, st.Log-node.Seq), Age: node.Age})
	}
	return n
}

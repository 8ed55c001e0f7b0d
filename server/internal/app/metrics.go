package app

import (
	"context"
	"net/netip"

	"clave/server/internal/cluster/node"
	"clave/server/internal/observe/prometheus"
	"clave/server/internal/store/postgres"
	"clave/server/internal/transport/port"
)

// MetricsPath is the path of the metrics on their port.
const MetricsPath = prometheus.Path

// followerState returns the state of a node that does not lead.
func (a *App) followerState(n *node.Node) prometheus.State {
	leader, _ := n.Members.Leader()
	out := n.Reads.State(n.Name())
	out.Requests, out.Node.Epoch = a.budget.Used(), leader.Epoch
	out.Memory, _ = memoryTaken()
	return out
}

// metricsHandlers returns the handlers of the metrics port. state returns the server's state.
func (a *App) metricsHandlers(state func(context.Context) prometheus.State) (port.Handlers, error) {
	at, err := netip.ParseAddrPort(a.addresses.Metrics)
	local := err == nil && at.Addr().IsLoopback()
	handler, err := prometheus.New(prometheus.Options{Meter: a.counts, State: state, Version: a.o.Version, Local: local})
	return port.Handlers{Site: handler}, err
}

// serverState returns the state of the server.
func (a *App) serverState(ctx context.Context) prometheus.State {
	g := a.gauges()
	out := prometheus.State{Streams: g.Listeners, StoreBytes: g.Disk, StoreFree: g.DiskFree, Memory: g.Memory, Requests: a.budget.Used()}
	s := a.served
	out.Healthy, out.Targets = s.health() == nil, s.Hub.Targets()
	if log, ok := s.store.(logged); ok {
		out.LogBytes = log.LogSize()
	}
	if shared, ok := s.store.(*postgres.Store); ok {
		out.Node = a.leads(ctx, shared)
	}
	return out
}

// leads returns the state of this leader and of the other nodes.
func (a *App) leads(ctx context.Context, s *postgres.Store) *prometheus.Node {
	st, err := s.Standing(ctx)
	if err != nil {
		a.o.Log.Warn("the metrics lack the nodes of the cluster", "error", err)
	}
	n := &prometheus.Node{Role: "leader", Epoch: st.Epoch, StateLag: max(0, st.Log-st.State)}
	for _, node := range st.Nodes {
		n.Members = append(n.Members, prometheus.Member{Name: node.Name, LogLag: max(0, st.Log-node.Seq), Age: node.Age})
	}
	return n
}

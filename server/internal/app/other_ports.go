package app

import (
	"context"
	"fmt"
	"net/http"

	"clave/server/internal/observe/prometheus"
	"clave/server/internal/transport/port"
)

// openOtherPorts opens the other ports of a node that does not lead: those of its metrics and of the redirection to
// https, which every node has, the console's, and those of the parts that run at the leader only, which respond with
// the leader's address.
func (a *App) openOtherPorts(ctx context.Context, n *nodes, p ports) error {
	if p.metrics != nil {
		handlers, err := a.metricsHandlers(func(context.Context) prometheus.State { return a.followerState(n) })
		if err != nil {
			return err
		}
		n.open(a.metricsOptions(p.metrics, handlers))
	}
	if p.plain != nil {
		n.open(a.plainOptions(p.plain, func() error { return n.leaderHealth(ctx, "hosting") }))
	}
	if p.console != nil {
		a.openConsole(n, p)
	}
	if p.hub != nil {
		n.open(a.portOptions("hub", p.hub, port.Handlers{Hub: n.onlyAtLeader("The emulator hub")}))
	}
	if p.websocket != nil {
		n.open(a.requestsOptions(p.websocket, port.Handlers{Site: n.onlyAtLeader("The monitor of requests")}))
	}
	return nil
}

// onlyAtLeader returns a handler for a part that runs at the leader only. It responds with the leader's address.
func (n *nodes) onlyAtLeader(what string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text := what + " runs at the node that leads. No node leads at the moment."
		if leader, _ := n.members.Leader(); leader.Node != "" && leader.Node != n.name {
			text = fmt.Sprintf("%s runs at the node that leads: %s (clients reach it at %s). This is %s, which follows.", what, leader.Node, leader.Address, n.name)
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Retry-After", "1")
		http.Error(w, text, http.StatusServiceUnavailable)
	})
}

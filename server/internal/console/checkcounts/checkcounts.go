// Package checkcounts asks the nodes that share a store for what they have counted of App Check.
package checkcounts

import (
	"context"
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/cluster/node"
	"clave/server/internal/cluster/nodeservice"
	"clave/server/internal/observe/meter"
	"clave/server/internal/store"
	"clave/server/internal/store/postgres"
)

// ServiceName is the name of the service by which each node returns its counts.
const ServiceName = "app check counts"

// maxRequest is the maximum size of a request in bytes.
const maxRequest = 1 << 10

// Handler returns the handler of the service at a node, with the node's counts. on is set if the node has App Check.
func Handler(name string, counts *meter.Meter, on bool) http.Handler {
	return leaderservice.Handler(maxRequest, func(context.Context, struct{}) (out meter.Checks, err error) {
		if !on {
			return out, fault.E(fault.FailedPrecondition, "the node %s was started without --app-check", name)
		}
		return counts.Checks(), nil
	})
}

// Others returns a function that asks the other nodes for their counts; nil for a server that shares no store. n is nil
// for such a server.
func Others(n *node.Node, of store.Store) func(context.Context) ([]nodeservice.Answer[meter.Checks], error) {
	shared, ok := of.(*postgres.Store)
	if n == nil || !ok {
		return nil
	}
	return func(ctx context.Context) ([]nodeservice.Answer[meter.Checks], error) {
		nodes, err := n.Others(ctx, shared)
		if err != nil {
			return nil, err
		}
		return nodeservice.Ask[struct{}, meter.Checks](ctx, n.Forwarder.Client(), nodes, ServiceName, struct{}{})
	}
}

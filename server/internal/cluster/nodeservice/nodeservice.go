// Package nodeservice asks all nodes that share a store. Each node answers itself, whether it leads or not: requests
// and responses are JSON over the inner listeners, and a node that does not answer is part of the result. A service is
// a leaderservice.Handler among the handlers of node.Node.Everywhere.
package nodeservice

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"clave/server/internal/cluster/forward"
	"clave/server/internal/cluster/leaderservice"
)

// timeLimit is the time that a node has to answer.
const timeLimit = 2 * time.Second

// Node is a node that is asked, with the address at which other nodes reach it.
type Node struct{ Name, Inner string }

// Answer is what a node has answered.
type Answer[Out any] struct {
	Node string
	Out  Out
	// Err is the service's error, or Unavailable if the node has not answered in time or has no such service, as one of
	// an earlier version.
	Err error
}

// Ask sends a request as JSON to a service of several nodes at the same time, and returns their answers in the order of
// the nodes.
func Ask[In, Out any](ctx context.Context, client *forward.Client, nodes []Node, service string, in In) ([]Answer[Out], error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, timeLimit)
	defer stop()
	out := make([]Answer[Out], len(nodes))
	var asked sync.WaitGroup
	for i, node := range nodes {
		a := &out[i]
		a.Node = node.Name
		asked.Go(func() {
			status, answer, err := client.CallNode(ctx, node.Inner, service, body)
			a.Err = leaderservice.Decode(node.Name, status, answer, err, &a.Out)
		})
	}
	asked.Wait()
	return out, nil
}

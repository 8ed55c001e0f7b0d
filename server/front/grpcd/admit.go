package grpcd

import (
	"context"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/tap"

	"clave/server/fault"
	"clave/server/front/budget"
	"clave/server/wire"
)

// mostRefused is the number of refused calls after which a connection is closed: gRPC keeps some memory of each until
// its deadline.
const mostRefused = 1000

// admit takes a slot for a call whose headers have arrived. Its message may arrive at any time or never.
func (d *common) admit(ctx context.Context, call *tap.Info) (context.Context, error) {
	from := address(metadata.NewIncomingContext(ctx, call.Header), d.o.ProxyHops)
	within, end := context.WithCancel(ctx)
	slot := d.o.Calls.Take(from, end)
	if slot == nil {
		end()
		if r := budget.ResponsesOf(ctx, clientOf(ctx)); r.Refuse() > mostRefused {
			r.Cut()
		}
		return nil, wire.Status(fault.E(fault.Unavailable, "The server has too many calls. Try again.")).Err()
	}
	context.AfterFunc(within, slot.Release)
	return within, nil
}

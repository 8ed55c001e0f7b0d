package app

import (
	"context"
	"net/netip"

	"clave/server/internal/observe/prometheus"
	"clave/server/internal/transport/port"
)

// MetricsPath is the path of the metrics on their port.
const MetricsPath = prometheus.Path

// metricsHandlers returns the handlers of the metrics port. state returns the server's state.
func (a *App) metricsHandlers(state func(context.Context) prometheus.State) (port.Handlers, error) {
	at, err := netip.ParseAddrPort(a.addresses.Metrics)
	local := err == nil && at.Addr().IsLoopback()
	handler, err := prometheus.New(prometheus.Options{Meter: a.counts, State: state, Version: a.o.Version, Local: local})
	return port.Handlers{Site: handler}, err
}

package config

import (
	"net"
	"strconv"
	"strings"

	"clave/server/internal/base/fault"
)

// checkMetrics completes the address of the metrics, and refuses one that is invalid or public. A port without a host
// is reachable only from this machine.
func (c *Config) checkMetrics() error {
	if c.Metrics == "" {
		return nil
	}
	if !strings.Contains(c.Metrics, ":") {
		c.Metrics = ":" + c.Metrics
	}
	host, port, err := net.SplitHostPort(c.Metrics)
	n, numeric := strconv.Atoi(port)
	if err != nil || numeric != nil || n < 0 || n > 65535 {
		return fault.E(fault.InvalidArgument, "--metrics %s: expected a port, or a host and a port, such as 127.0.0.1:9464", c.Metrics)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	c.Metrics = net.JoinHostPort(host, port)
	if c.Production() && n != 0 && (n == c.Ports.Hosting || n == c.HTTPPort) {
		return fault.E(fault.InvalidArgument, "--metrics %s: this is the public port. Give the metrics a separate one", c.Metrics)
	}
	return nil
}

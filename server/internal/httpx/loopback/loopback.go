// Package loopback recognizes hosts that are reachable only from this machine.
package loopback

import "net"

// Is reports whether a host, without a port, is a loopback address or localhost.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

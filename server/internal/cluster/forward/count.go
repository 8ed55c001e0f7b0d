package forward

import (
	"net/http"
	"strings"

	"clave/server/internal/model/wire"
	"clave/server/internal/observe/meter"
)

// count counts a request that was forwarded, by what the leader has reported of it. Requests of WebChannel are not
// calls: the leader counts the streams behind them.
func (n *Node) count(r *http.Request, status int, reported string) {
	c, ok := meter.ParseCounted(reported)
	if !ok {
		c = meter.Counted{Transport: transportOf(r.URL.Path), Method: meter.Other}
		if status >= http.StatusBadRequest {
			c.Code = wire.CodeOfHTTP(status)
		}
	}
	n.o.Meter.Forwarded(c)
}

// transportOf returns the transport of a request by its path.
func transportOf(path string) string {
	switch {
	case strings.HasPrefix(path, service):
		return "webchannel"
	case ofDocuments(path):
		return "rest"
	default:
		return "auth"
	}
}

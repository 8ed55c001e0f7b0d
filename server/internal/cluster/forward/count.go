package forward

import (
	"net/http"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/observe/meter"
)

// statuses are the codes of HTTP statuses of responses for which the leader has reported no call.
var statuses = map[int]fault.Code{
	http.StatusBadRequest: fault.InvalidArgument, http.StatusUnauthorized: fault.Unauthenticated, http.StatusForbidden: fault.PermissionDenied,
	http.StatusNotFound: fault.NotFound, http.StatusConflict: fault.Aborted, http.StatusTooManyRequests: fault.ResourceExhausted,
	closedRequest: fault.Canceled, http.StatusInternalServerError: fault.Internal, http.StatusServiceUnavailable: fault.Unavailable,
}

// count counts a request that was forwarded, by what the leader has reported of it. Requests of WebChannel are not
// calls: the leader counts the streams behind them.
func (n *Node) count(r *http.Request, status int, reported string) {
	c, ok := meter.ParseCounted(reported)
	if !ok {
		c = meter.Counted{Transport: transportOf(r.URL.Path), Method: meter.Other}
		if status >= http.StatusBadRequest {
			c.Code, ok = statuses[status]
			if !ok {
				c.Code = fault.Unknown
			}
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

package front

import (
	"errors"
	"net/http"
	"strings"
)

// HealthPath is the path of the health check. Firebase's hosting keeps /__/ for itself, so no
// site has a page there.
const HealthPath = "/__/health"

// ErrNoLeader is what a check of health returns for a node that reaches none that serves.
var ErrNoLeader = errors.New("no leader")

// health answers 200 while check finds nothing wrong, otherwise 503. The log has the reason; the response does not name it.
func health(check func() error, role string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		text := strings.TrimSpace("ok "+role) + "\n"
		switch err := check(); {
		case errors.Is(err, ErrNoLeader):
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "no leader\n"
		case err != nil:
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "The storage has failed, is full or is damaged. The log has the cause, and what to do.\n"
		}
		_, _ = w.Write([]byte(text)) // a disconnected client needs no answer
	})
}

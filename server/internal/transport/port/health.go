package port

import (
	"errors"
	"net/http"
	"strings"
)

// HealthPath is the path of the health check. Firebase Hosting reserves /__/, so no site has a page there.
const HealthPath = "/__/health"

// ErrNoLeader is the error of a health check at a node that reaches no leader, and ErrBuilding that at a node whose
// replica is not open yet.
var (
	ErrNoLeader = errors.New("no leader")
	ErrBuilding = errors.New("building")
)

// health returns 200 if check succeeds, and otherwise 503. Only the log has the reason.
func health(check func() error, role string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		text := strings.TrimSpace("ok "+role) + "\n"
		switch err := check(); {
		case errors.Is(err, ErrNoLeader):
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "no leader\n"
		case errors.Is(err, ErrBuilding):
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "building\n"
		case err != nil:
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "The storage has failed, is full or is damaged. The log has the cause, and what to do.\n"
		}
		_, _ = w.Write([]byte(text)) // it fails only if the client has disconnected
	})
}

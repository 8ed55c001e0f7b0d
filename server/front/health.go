package front

import (
	"errors"
	"net/http"
)

// HealthPath is the path of the health check. Firebase's hosting keeps /__/ for itself, so no
// site has a page there.
const HealthPath = "/__/health"

// ErrStandby is what a check of health returns for a node that waits while another one serves.
var ErrStandby = errors.New("standby")

// health answers 200 while check finds nothing wrong, otherwise 503. The log has the reason; the response does not name it.
func health(check func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		text := "ok\n"
		switch err := check(); {
		case errors.Is(err, ErrStandby):
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "standby\n"
		case err != nil:
			w.WriteHeader(http.StatusServiceUnavailable)
			text = "The storage has failed, is full or is damaged. The log says which, and what to do.\n"
		}
		_, _ = w.Write([]byte(text)) // a client that has gone needs no answer
	})
}

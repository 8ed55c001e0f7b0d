package app

import (
	"log/slog"
	"net/http"
	"sync"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
)

// textNoStorage is the error for clients of Cloud Storage.
const textNoStorage = "Clave has no Cloud Storage. This port stands where its emulator would, so that nothing reaches the real one. " +
	"Run the Firebase CLI's storage emulator and set FIREBASE_STORAGE_EMULATOR_HOST to it, or leave these tests out."

// noStorage refuses every request for Cloud Storage, and logs the first, since the web SDK does not show the text of
// the response. The status is one that the SDK does not retry for minutes, as it does after 501, and that tests do not
// mistake for a denial or a missing file.
func noStorage(log *slog.Logger) http.Handler {
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { log.Warn(textNoStorage, "method", r.Method, "path", r.URL.Path) })
		httpjson.WriteError(w, http.StatusBadRequest, fault.Unimplemented.String(), textNoStorage)
	})
}

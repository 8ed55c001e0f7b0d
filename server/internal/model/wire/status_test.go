package wire_test

import (
	"net/http"
	"testing"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
)

// TestCodeOfHTTP requires that the status of each code has a code with this status, and that others have none.
func TestCodeOfHTTP(t *testing.T) {
	for code := fault.Canceled; code <= fault.Unauthenticated; code++ {
		status := wire.HTTP(code)
		if got := wire.CodeOfHTTP(status); wire.HTTP(got) != status {
			t.Errorf("CodeOfHTTP(%d) = %v, whose status is %d", status, got, wire.HTTP(got))
		}
	}
	for _, status := range []int{http.StatusFound, http.StatusTeapot, http.StatusBadGateway} {
		if got := wire.CodeOfHTTP(status); got != fault.Unknown {
			t.Errorf("CodeOfHTTP(%d) = %v, want UNKNOWN", status, got)
		}
	}
}

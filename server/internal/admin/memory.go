package admin

import (
	"net/http"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/limit/parse"
)

// maxValues is the maximum number of values of JSON in a body. The largest body that clients need names the 20,000
// files of a version.
const maxValues = 100_000

// The memory in bytes that each byte of a body takes while it is parsed, and that each value takes in addition; and
// that a byte of a message of gRPC takes, of which two may be a value.
const (
	memoryPerByte   = 2
	memoryPerValue  = 512
	memoryOfMessage = 256
)

// admit waits until a body or a message of n bytes may be parsed that takes the given memory. The share must be
// released when the request has been answered.
func (s *Server) admit(r *http.Request, n int, memory int64) (*parse.Share, error) {
	if n < parse.Large {
		return nil, nil
	}
	return s.o.Parsing.Admit(r.Context(), clientaddr.Address(r, 0), memory)
}

// admitBody is admit for a body of JSON. It returns InvalidArgument for one with too many values.
func (s *Server) admitBody(r *http.Request, body []byte) (*parse.Share, error) {
	if err := checkValues(body); err != nil {
		return nil, err
	}
	// The texts of files in a body are parsed too, so what looks like a value in them counts here.
	return s.admit(r, len(body), memoryPerByte*int64(len(body))+memoryPerValue*parse.Values(body))
}

// checkValues returns InvalidArgument for a body with too many values.
func checkValues(body []byte) error {
	if n := parse.Elements(body); n > maxValues {
		return fault.E(fault.InvalidArgument, "Invalid JSON payload received. It has %d values, more than %d.", n, maxValues)
	}
	return nil
}

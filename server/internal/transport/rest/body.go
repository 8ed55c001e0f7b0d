package rest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/clientaddr"
	"clave/server/internal/limit/parse"
	"clave/server/internal/model/wire"
)

// maxBody is the maximum size of a body in bytes.
const maxBody = 11_534_336

// body reads a request's body, unpacks it and waits until a large one may be parsed. The share must be released when
// the request has been answered.
func (d *handler) body(r *http.Request) (body []byte, share *parse.Share, err error) {
	packed, err := isPacked(r.Header.Get("Content-Encoding"))
	if err != nil {
		return nil, nil, err
	}
	if body, err = readBody(r); err != nil {
		return nil, nil, err
	}
	if packed {
		return d.packedBody(r, body)
	}
	share, err = d.admit(r, len(body), wire.JSONMemory(body))
	return body, share, err
}

// packedBody unpacks a body. Its size is unknown before, so it waits until no other body is parsed.
func (d *handler) packedBody(r *http.Request, packed []byte) (body []byte, share *parse.Share, err error) {
	size, err := unpackedSize(packed)
	if err != nil {
		return nil, nil, err
	}
	s, err := d.admit(r, max(size, len(packed)), d.o.Parsing.Most())
	if err != nil {
		return nil, nil, err
	}
	if body, err = unpack(packed, size); err != nil {
		s.Release()
		return nil, nil, err
	}
	s.Shrink(wire.JSONMemory(body))
	return body, s, nil
}

// admit waits until a body of n bytes may be parsed that takes the given memory. Small bodies have no share.
func (d *handler) admit(r *http.Request, n int, memory int64) (*parse.Share, error) {
	if n < parse.Large {
		return nil, nil
	}
	return d.o.Parsing.Admit(r.Context(), clientaddr.Address(r, d.o.ProxyHops), memory)
}

// readBody reads a request's body as it was sent, which must not be too large.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil, err // the budget had no space for it
	case err != nil:
		return nil, fault.Wrap(err, fault.Canceled, "The request's body was not sent to its end.")
	}
	if len(body) > maxBody {
		return nil, errTooLarge()
	}
	return body, nil
}

// isPacked reports whether a content encoding is gzip. It refuses all other encodings.
func isPacked(encoding string) (bool, error) {
	switch strings.ToLower(encoding) {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	default:
		return false, fault.E(fault.InvalidArgument, "Content encoding \"%s\" is not supported.", encoding)
	}
}

// unpackedSize returns the size that a packed body states, in its last four bytes (RFC 1952). It must not be too large.
func unpackedSize(packed []byte) (int, error) {
	const tail = 4
	if len(packed) < tail {
		return 0, errPacked(io.ErrUnexpectedEOF)
	}
	size := binary.LittleEndian.Uint32(packed[len(packed)-tail:])
	if size > maxBody {
		return 0, errTooLarge()
	}
	return int(size), nil
}

// unpack unpacks a body up to the size that it states.
func unpack(packed []byte, size int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, errPacked(err)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(z, body); err != nil {
		return nil, errPacked(err)
	}
	// The end follows, at which the checksums are compared.
	if n, err := io.ReadFull(z, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errPacked(err)
	}
	return body, nil
}

// errPacked is the error of a body that can't be unpacked.
func errPacked(err error) error {
	return fault.Wrap(err, fault.InvalidArgument, "The request's body does not have the stated content encoding.")
}

// errTooLarge refuses a body.
func errTooLarge() error {
	return fault.E(fault.InvalidArgument, "Request payload size exceeds the limit: %d bytes.", maxBody)
}

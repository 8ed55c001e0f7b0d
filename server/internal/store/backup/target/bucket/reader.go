package bucket

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// reader reads an object. If the connection ends, it continues at the same place.
type reader struct {
	b    *Bucket
	ctx  context.Context
	name string
	body io.ReadCloser
	// tag is that of the object, and offset and size are in bytes.
	tag          string
	offset, size int64
	// failed is the number of connections in a row that ended without a byte.
	failed int
}

// open requests the object from the offset on.
func (r *reader) open() error {
	o := minio.GetObjectOptions{}
	if r.offset > 0 {
		if err := o.SetRange(r.offset, 0); err != nil {
			return err
		}
		if err := o.SetMatchETag(r.tag); err != nil {
			return err
		}
	}
	body, info, _, err := r.b.client.GetObject(r.ctx, r.b.name, r.b.prefix+r.name, o)
	if err != nil {
		if err = r.b.fault(r.ctx, "read from", err); err == errChanged { //nolint:errorlint // It is never wrapped.
			err = fault.E(fault.Aborted, "%s was replaced while it was read from %s", r.name, r.b)
		}
		return err
	}
	if r.body = body; r.offset == 0 {
		r.tag, r.size = info.ETag, info.Size
	}
	return nil
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.body.Read(p)
		r.offset += int64(n)
		switch {
		case n > 0:
			r.failed = 0
			return n, nil
		case err == io.EOF && r.offset >= r.size:
			return 0, io.EOF
		case err == nil:
			continue
		case r.ctx.Err() != nil:
			return 0, r.ctx.Err()
		}
		if r.failed++; r.failed >= r.b.o.Retries {
			return 0, fault.Wrap(err, fault.Unavailable, "cannot read from %s: the connection ends: %v", r.b, err)
		}
		_ = r.body.Close() // It has failed.
		if err := clock.Sleep(r.ctx, r.b.o.Clock, 100*time.Millisecond<<r.failed); err != nil {
			return 0, err
		}
		if err := r.open(); err != nil {
			return 0, err
		}
	}
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	return r.body.Close()
}

// The times after which a connection is given up: while it is made, and without a byte in either direction.
const (
	connectLimit = 10 * time.Second
	stallLimit   = time.Minute
)

// transport returns a transport that gives up connections on which nothing moves.
func transport() *http.Transport {
	dialer := &net.Dialer{Timeout: connectLimit}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &bounded{conn}, nil
		},
		TLSHandshakeTimeout: connectLimit, ExpectContinueTimeout: time.Second, MaxIdleConnsPerHost: 4, IdleConnTimeout: stallLimit / 2, DisableCompression: true,
	}
}

// bounded is a connection that fails if nothing was read or written for a time.
type bounded struct{ net.Conn }

// Read implements net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	if err := b.extend(); err != nil {
		return 0, err
	}
	return b.Conn.Read(p)
}

// Write implements net.Conn.
func (b *bounded) Write(p []byte) (int, error) {
	if err := b.extend(); err != nil {
		return 0, err
	}
	return b.Conn.Write(p)
}

// extend moves the end of both directions: while a request is written, its answer is waited for.
func (b *bounded) extend() error { return b.SetDeadline(clock.System().Now().Add(stallLimit)) }

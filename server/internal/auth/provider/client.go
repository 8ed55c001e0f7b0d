package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"clave/server/internal/httpx/loopback"
)

// maxAnswer is the maximum size of a provider's answer. Valid ones are far smaller.
const maxAnswer = 1 << 20

// newClient returns the client for requests to providers. It limits the time and the size of each answer, follows no
// redirect, and sends nothing unencrypted except to this machine.
func newClient(limit time.Duration) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: limit, ForceAttemptHTTP2: true}
	return &http.Client{
		Transport: bounded{transport}, Timeout: limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("the provider redirects") },
	}
}

// bounded is an http.RoundTripper that bounds answers.
type bounded struct{ next *http.Transport }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !loopback.Is(r.URL.Hostname()) {
		return nil, fmt.Errorf("%s is not encrypted", r.URL.Host)
	}
	res, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = &boundedBody{ReadCloser: res.Body, left: maxAnswer}
	return res, nil
}

// CloseIdleConnections closes the connections that are not in use.
func (b bounded) CloseIdleConnections() { b.next.CloseIdleConnections() }

// boundedBody is a body that fails after a number of bytes.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the provider's answer has more than %d bytes", maxAnswer)
	}
	n, err := b.ReadCloser.Read(into[:min(len(into), b.left)])
	b.left -= n
	return n, err
}

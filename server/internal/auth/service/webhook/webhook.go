// Package webhook calls the blocking functions of package service by HTTP.
package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"clave/server/internal/httpx/loopback"
)

// maxAnswer is the maximum size of a response. Valid responses are far smaller.
const maxAnswer = 1 << 20

// Options configure a Caller.
type Options struct {
	// Plain allows http to other machines. The body identifies a person, so production allows only https, and http to
	// this machine.
	Plain bool
}

// Caller posts to functions. It is a blocking.Caller, safe for concurrent use.
type Caller struct {
	o      Options
	client *http.Client
}

// New returns a Caller. The context of each call limits its time.
func New(o Options) *Caller {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second,
	}
	return &Caller{o: o, client: &http.Client{
		Transport: transport,
		// A redirect would send the event to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Shown returns the address of a function for logs, without the query and the password, which may be secret.
func Shown(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return "(an invalid URL)"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// bare returns an error without the address of the request, which may hold a secret.
func bare(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return with.Err
	}
	return err
}

// Post sends a JSON body and returns status and body of the response. Its errors have no secret of the address.
func (c *Caller) Post(ctx context.Context, uri string, body []byte) (status int, answer []byte, err error) {
	if err := c.check(uri); err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, uri, bytes.NewReader(body))
	if err != nil {
		return 0, nil, bare(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(r)
	if err != nil {
		return 0, nil, bare(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return 0, nil, err
	}
	if len(answer) > maxAnswer {
		return 0, nil, fmt.Errorf("%s returned more than %d bytes", Shown(uri), maxAnswer)
	}
	return res.StatusCode, answer, nil
}

// Close closes connections that are not in use.
func (c *Caller) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// check refuses addresses that events may not be sent to.
func (c *Caller) check(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return bare(err)
	case u.Scheme == "https" && u.Host != "":
		return nil
	case u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("%q is not an http or https URL", Shown(uri))
	}
	if c.o.Plain || loopback.Is(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s is not encrypted", Shown(uri))
}

// EventBody returns the body of a POST that sends an event as a token.
func EventBody(jwt string) ([]byte, error) {
	return json.Marshal(map[string]any{"data": map[string]any{"jwt": jwt}})
}

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/httpx/httpjson"
	"clave/server/internal/httpx/loopback"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	"clave/server/internal/suite/seed"
)

// The limits of requests to the console.
const (
	requestTimeout = time.Minute
	maxResponse    = 16 << 20
)

// csrfHeader is the header with the session's csrf, which the console requires for all requests but reads.
const csrfHeader = "X-Clave-CSRF"

// Client is a session of a console.
type Client struct {
	origin *url.URL
	http   *http.Client
	// session is the session as the console describes it.
	session struct {
		Mode      string `json:"mode"`
		Write     bool   `json:"write"`
		Project   string `json:"project"`
		CSRF      string `json:"csrf"`
		Addresses struct {
			Firestore string `json:"firestore"`
		} `json:"addresses"`
		Features []string `json:"features"`
	}
}

// Open opens a session at a URL: that of a console of development, or a link that clave console printed. A link works
// once. The URL is not in errors, because it may hold the link's secret.
func Open(ctx context.Context, address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fault.E(fault.InvalidArgument, "the console's address must be a URL such as http://127.0.0.1:4000")
	}
	if u.Scheme == "http" && !loopback.Is(u.Hostname()) {
		return nil, fault.E(fault.FailedPrecondition, "the console's address must begin with https:// unless it is on this machine")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &Client{origin: &url.URL{Scheme: u.Scheme, Host: u.Host}}
	c.http = &http.Client{Timeout: requestTimeout, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if link := u.Query().Get("link"); link != "" {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.origin.String()+"/?"+url.Values{"link": {link}}.Encode(), http.NoBody)
		if err != nil {
			return nil, fault.E(fault.InvalidArgument, "the link is no URL")
		}
		res, err := c.http.Do(r)
		if err != nil {
			return nil, c.unreachable()
		}
		_ = res.Body.Close() // The session, if there is one, is a cookie.
	}
	switch err := c.call(ctx, http.MethodGet, "/api/session", nil, &c.session); {
	case fault.CodeOf(err) == fault.Unauthenticated:
		return nil, fault.E(fault.Unauthenticated, "This server needs a new link of `clave console`, and the link works once: pass it with --console.")
	case err != nil:
		return nil, err
	}
	return c, nil
}

// unreachable returns the error for a console that does not respond.
func (c *Client) unreachable() error {
	return fault.E(fault.Unavailable, "no console responds at %s; clave start has one on port 4000, and clave serve with --console", c.origin.Host)
}

// Production reports whether the console is that of a server of production.
func (c *Client) Production() bool { return c.session.Mode == "serve" }

// do sends a request with the session's credentials.
func (c *Client) do(r *http.Request) (*http.Response, error) {
	r.Header.Set(csrfHeader, c.session.CSRF)
	return c.http.Do(r)
}

// call calls a method of the console and decodes the response.
func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	return c.callAt(ctx, method, c.origin.String()+path, body, out)
}

// callAt calls a method at a URL and decodes the response.
func (c *Client) callAt(ctx context.Context, method, address string, body, out any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return fault.E(fault.InvalidArgument, "the request has no valid path")
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.do(r)
	if err != nil {
		return c.unreachable()
	}
	defer func() { _ = res.Body.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	switch {
	case err != nil:
		return fault.E(fault.Unavailable, "the response was not read to its end")
	case len(text) > maxResponse:
		return fault.E(fault.ResourceExhausted, "the response is larger than %d bytes; ask for less", maxResponse)
	case res.StatusCode != http.StatusOK:
		return refusal(res.StatusCode, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fault.E(fault.Unavailable, "the response is no JSON")
	}
	return nil
}

// refusal returns the error of a response.
func refusal(status int, text []byte) error {
	return fault.E(wire.CodeOfHTTP(status), "%s (%d)", httpjson.ErrorText(text), status)
}

// Place is the project and the database of a call; both may be left out.
type Place struct {
	Project  string `json:"project,omitempty" jsonschema:"project id; default: the server's project"`
	Database string `json:"database,omitempty" jsonschema:"database id; default: (default)"`
}

// database returns the database of a call.
func (c *Client) database(p Place) (resource.Database, error) {
	if p.Project == "" {
		p.Project = c.session.Project
	}
	if p.Database == "" {
		p.Database = resource.DefaultDatabase
	}
	return resource.ParseDatabase("projects/" + p.Project + "/databases/" + p.Database)
}

// query returns the query parameters of a method of the console on a database.
func query(db resource.Database, more map[string]string) string {
	values := url.Values{"project": {db.Project}, "database": {db.ID}}
	for name, text := range more {
		if text != "" {
			values.Set(name, text)
		}
	}
	return "?" + values.Encode()
}

// target returns a database as the target of seeds.
func (c *Client) target(db resource.Database) *seed.Target {
	return &seed.Target{Firestore: c.origin.String(), Auth: c.origin.String(), DB: db, Do: c.do}
}

// control calls a control route of development at Firestore's port.
func (c *Client) control(ctx context.Context, method, path string, body, out any) error {
	_, port, err := net.SplitHostPort(c.session.Addresses.Firestore)
	if err != nil || c.Production() {
		return fault.E(fault.Unimplemented, "the server has no %s", path)
	}
	return c.callAt(ctx, method, "http://"+net.JoinHostPort(c.origin.Hostname(), port)+"/emulator/v1/"+path, body, out)
}

// escaped returns a resource name as a path of a URL.
func escaped(name string) string { return (&url.URL{Path: name}).EscapedPath() }

package forward

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// A service is a handler for nodes and commands under a name that no port has, so only requests over inner connections
// reach it. Services of the leader are among the handlers of Node.Serve, and those of every node among the handlers of
// Node.ServeOwned.

// Client calls services of nodes. It authenticates by the secret of the cluster.
type Client struct{ transport *http.Transport }

// NewClient returns a client, for programs that are not nodes.
func NewClient(secret []byte) (*Client, error) {
	settings, err := identity(secret)
	if err != nil {
		return nil, err
	}
	return &Client{newTransport(settings)}, nil
}

// Client returns the client of a node.
func (n *Node) Client() *Client { return &Client{n.transport} }

// Close ends the client's connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// newTransport returns the transport for requests to inner listeners.
func newTransport(settings *tls.Config) *http.Transport {
	only := new(http.Protocols)
	only.SetHTTP2(true)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return dialInner(ctx, settings, network, address)
	}
	return &http.Transport{
		DialTLSContext: dial, Protocols: only, ForceAttemptHTTP2: true, DisableCompression: true, IdleConnTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connWindow, MaxReadFrameSize: maxFrame,
			SendPingTimeout: pingAfter, PingTimeout: pingTimeout,
		},
	}
}

// dialInner connects to the inner listener of another node.
func dialInner(ctx context.Context, settings *tls.Config, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := (&tls.Dialer{Config: settings}).DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotReached, err)
	}
	return conn, nil
}

// ErrNotLeading means that the node does not lead and has not begun to process the request.
var ErrNotLeading = errors.New("cluster: the node does not lead")

// maxAnswer is the maximum size of a service's response, in bytes.
const maxAnswer = 16 << 20

// Call sends a body to a service of the leader and returns the status and the body of the response. A node that is
// about to lead responds once it does. ErrNotLeading means that nothing was begun; after other errors that is unknown.
func (c *Client) Call(ctx context.Context, leader Leader, service string, body []byte) (status int, answer []byte, err error) {
	return c.send(ctx, leader.Address, body, map[string]string{headerPort: service})
}

// CallNode sends a body to a service of the node with an inner address, whether it leads or not, and returns the status
// and the body of the response. ErrNotLeading means that the node is not reached, has no such service or is stopping.
func (c *Client) CallNode(ctx context.Context, address, service string, body []byte) (status int, answer []byte, err error) {
	return c.send(ctx, address, body, map[string]string{headerPort: service, headerOwner: "1"})
}

// send sends a body with headers to an inner address, and returns the status and the body of the response.
func (c *Client) send(ctx context.Context, address string, body []byte, header map[string]string) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+address+"/", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	res, err := c.transport.RoundTrip(r)
	if errors.Is(err, errNotReached) {
		return 0, nil, errors.Join(ErrNotLeading, err)
	}
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // a read
	if res.Header.Get(headerRefused) != "" {
		return 0, nil, ErrNotLeading
	}
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return res.StatusCode, answer, err
}

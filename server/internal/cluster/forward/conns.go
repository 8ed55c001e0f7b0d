package forward

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"clave/server/internal/base/clock"
	grpctransport "clave/server/internal/transport/grpc"
)

// conns holds gRPC connections to the leader. A connection has a limited number of concurrent calls, so there may be
// several.
type conns struct {
	tls   *tls.Config
	clock clock.Clock
	// answer is the time limit for the response to a check.
	answer time.Duration
	mu     struct {
		sync.Mutex
		leader Leader
		all    []*conn
	}
}

// maxCalls is the maximum number of calls on a connection; there must be streams left for checks.
const maxCalls = connStreams - 10

// conn is a connection to the leader.
type conn struct {
	*grpc.ClientConn
	// calls is the number of calls in progress, under conns.mu.
	calls int
}

// take returns a connection for a call. The caller must release it.
func (c *conns) take(leader Leader) (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.leader != leader {
		c.closeLocked()
		c.mu.leader = leader
	}
	for _, one := range c.mu.all {
		if one.calls < maxCalls {
			one.calls++
			return one, nil
		}
	}
	opened, err := dialCalls(c.tls, leader.Address)
	if err != nil {
		return nil, err
	}
	one := &conn{ClientConn: opened, calls: 1}
	c.mu.all = append(c.mu.all, one)
	return one, nil
}

// release ends a call on a connection.
func (c *conns) release(one *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.calls--
	if one.calls == 0 && len(c.mu.all) > 1 && c.mu.all[0] != one {
		c.dropLocked(one)
	}
}

// dropLocked closes a connection.
func (c *conns) dropLocked(one *conn) {
	if i := slices.Index(c.mu.all, one); i >= 0 {
		c.mu.all = slices.Delete(c.mu.all, i, i+1)
		_ = one.Close() // it is open
	}
}

// closeLocked closes all connections. Their calls end.
func (c *conns) closeLocked() {
	for len(c.mu.all) > 0 {
		c.dropLocked(c.mu.all[0])
	}
}

// run checks the connections that have calls, each pingAfter, until ctx is done.
func (c *conns) run(ctx context.Context) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closeLocked()
	}()
	var checks sync.WaitGroup
	defer checks.Wait()
	for clock.Sleep(ctx, c.clock, pingAfter) == nil {
		c.mu.Lock()
		for _, one := range c.mu.all {
			if one.calls > 0 {
				checks.Go(func() { c.check(ctx, one) })
			}
		}
		c.mu.Unlock()
	}
}

// checkPath is the method of a call that a node refuses at once, whether it leads or not. Nodes of the previous version
// respond by the service of read indexes, for which the call has no meaning.
const checkPath = "/clave.Node/Check"

// check closes a connection on which a call gets no response; gRPC's own pings are ten seconds apart.
func (c *conns) check(ctx context.Context, one *conn) {
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(ctx, headerPort, IndexService), c.answer)
	defer cancel()
	var none grpctransport.Raw
	if err := one.Invoke(ctx, checkPath, &none, &none); status.Code(err) != codes.DeadlineExceeded {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(one)
}

// dialCalls returns a connection to an inner listener, which is made with the first call.
func dialCalls(settings *tls.Config, address string) (*grpc.ClientConn, error) {
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", address)
	}
	again := backoff.Config{BaseDelay: againAfter, Multiplier: 1, MaxDelay: againAfter}
	return grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(credentials.NewTLS(settings)), grpc.WithContextDialer(dial), grpc.WithNoProxy(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: again, MinConnectTimeout: dialTimeout}),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpctransport.RawCodec()), grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		grpc.WithInitialWindowSize(streamWindow), grpc.WithInitialConnWindowSize(connWindow),
		grpc.WithMaxHeaderListSize(maxHeaders), grpc.WithDisableServiceConfig(), grpc.WithIdleTimeout(0),
	)
}

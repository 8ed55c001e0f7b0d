package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	grpctransport "clave/server/internal/transport/grpc"
)

// How a call of gRPC is forwarded. ForwardCall sends its messages to the leader unparsed (try), and returns the
// leader's headers, messages, trailers and status. While there is no leader it waits for one, as forward does.
//
// A call is tried again only if the leader can't have begun it: there was no connection, or a trailer has
// headerRefused. A call whose client sends a stream is not tried again once the stream to the leader is open, since
// messages may be on their way. Each other call that is cut gets UNAVAILABLE. A status is the leader's own if a trailer
// has headerServed; otherwise gRPC's client may have made it of a broken connection.

// headerServed is a trailer of each call that the leader has served to its end.
const headerServed = "Clave-Served"

// ForwardCall forwards a call of a port to the leader. first is the call's only message; nil if its client sends a
// stream. It returns here if this node leads and nothing was forwarded.
func (n *Node) ForwardCall(ss grpc.ServerStream, port, method string, first *grpctransport.Raw) (here bool, err error) {
	late, stop := n.o.Clock.After(n.o.LeaderTimeout)
	defer stop()
	held := int64(callHeld)
	if first != nil {
		held += int64(first.Len())
	}
	for {
		handler, served := n.local(port)
		if handler != nil {
			return true, nil
		}
		leader, moved := n.o.Leader()
		reachable := leader.Address != "" && leader.Node != n.o.Name
		if reachable {
			if done, err := n.try(ss, leader, port, method, first); done {
				return false, err
			}
		}
		if !n.await(ss.Context(), grpctransport.Address(ss.Context(), n.o.ProxyHops), held, reachable, served, moved, late) {
			return false, errNoLeader()
		}
	}
}

// callHeld is about the number of bytes that a waiting call holds besides its first message.
const callHeld = 4 << 10

// errNoLeader returns the error of a call while there is no leader, or whose leader was lost.
func errNoLeader() error { return status.Error(codes.Unavailable, TextNoLeader) }

// try forwards a call to a leader. It returns false if the call may be tried again.
func (n *Node) try(ss grpc.ServerStream, leader Leader, port, method string, first *grpctransport.Raw) (done bool, err error) {
	ctx, cancel := n.during(leader).Within(ss.Context())
	defer cancel()
	conn, err := n.conns.take(leader)
	if err != nil {
		n.o.Log.Error("no connection to the leader can be made", "leader", leader.Node, "error", err)
		return true, errNoLeader()
	}
	defer n.conns.release(conn)
	out, err := conn.NewStream(outgoingCall(ctx, port), &grpc.StreamDesc{ServerStreams: true, ClientStreams: first == nil}, method)
	switch {
	case err != nil && ss.Context().Err() == nil && (ctx.Err() != nil || status.Code(err) == codes.Unavailable):
		return false, nil
	case err != nil:
		return true, n.cut(ss, nil, err)
	}
	// After EOF, RecvMsg returns the status.
	if first == nil {
		go sendMessages(ss, out, cancel)
	} else if err := out.SendMsg(first.Copy()); err != nil && !errors.Is(err, io.EOF) {
		return true, n.cut(ss, nil, err)
	}
	if err = passCall(ss, out); errors.Is(err, errClient) {
		return true, err
	}
	trailer := out.Trailer()
	if len(trailer.Get(headerRefused)) > 0 && first != nil {
		return false, nil
	}
	ss.SetTrailer(passed(trailer))
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return true, n.cut(ss, trailer, err)
}

// errClient is the error of a call whose client can't be sent a message.
var errClient = errors.New("cluster: the client has disconnected")

// passCall passes the leader's headers and messages to the client. It returns the error that ends the leader's
// messages, or errClient.
func passCall(ss grpc.ServerStream, out grpc.ClientStream) error {
	for begun := false; ; begun = true {
		var message grpctransport.Raw
		err := out.RecvMsg(&message)
		if err != nil {
			return err
		}
		if !begun {
			header, err := out.Header()
			if err == nil {
				err = ss.SetHeader(passed(header))
			}
			if err != nil {
				return err
			}
		}
		if err := ss.SendMsg(&message); err != nil {
			return fmt.Errorf("%w: %w", errClient, err)
		}
	}
}

// sendMessages sends the client's messages to the leader until the call ends. It may wait for the client's next message
// until a moment after that.
func sendMessages(ss grpc.ServerStream, out grpc.ClientStream, cancel context.CancelFunc) {
	for {
		var message grpctransport.Raw
		err := ss.RecvMsg(&message)
		if errors.Is(err, io.EOF) {
			err = out.CloseSend()
			if err == nil {
				return
			}
		}
		if err == nil {
			err = out.SendMsg(&message)
			if errors.Is(err, io.EOF) {
				return // RecvMsg returns the status
			}
		}
		if err != nil {
			cancel()
			return
		}
	}
}

// unsent holds the names of the metadata that belong to one connection, or that this node sets.
var unsent = func() map[string]bool {
	names := map[string]bool{"content-type": true, "grpc-accept-encoding": true, "grpc-status-details-bin": true, "date": true, "content-length": true}
	for _, name := range append([]string{headerPort, headerClient, headerScheme, headerOwner, headerServed, headerRefused}, hopByHop...) {
		names[strings.ToLower(name)] = true
	}
	return names
}()

// passed returns the metadata that are passed on.
func passed(md metadata.MD) metadata.MD {
	out := make(metadata.MD, len(md))
	for name, values := range md {
		if !strings.HasPrefix(name, ":") && !unsent[name] {
			out[name] = values
		}
	}
	return out
}

// outgoingCall returns the context of a call to the leader, with the metadata of the client's call.
func outgoingCall(ctx context.Context, port string) context.Context {
	in, _ := metadata.FromIncomingContext(ctx)
	out := passed(in)
	for name, values := range out {
		switch {
		case strings.ContainsFunc(name, isRefusedInMetadata):
			delete(out, name)
		case !strings.HasSuffix(name, "-bin"):
			out[name] = printable(values)
		}
	}
	out.Set(headerPort, port)
	if p, ok := peer.FromContext(ctx); ok {
		out.Set(headerClient, p.Addr.String())
	}
	return metadata.NewOutgoingContext(ctx, out)
}

// isRefusedInMetadata reports whether gRPC's client refuses names of metadata with a character.
func isRefusedInMetadata(c rune) bool {
	return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
}

// printable returns values with a question mark for each character that gRPC's client refuses. The rest of a value,
// such as an address that a proxy added, may still be needed.
func printable(values []string) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' {
				return '?'
			}
			return c
		}, value)
	}
	return out
}

// cut returns the error of a call for its client. It is the leader's own, or UNAVAILABLE.
func (n *Node) cut(ss grpc.ServerStream, trailer metadata.MD, err error) error {
	if ss.Context().Err() != nil {
		return err // the client has disconnected, its deadline has passed, or this node stops
	}
	switch status.Code(err) {
	case codes.Canceled, codes.Unknown:
		// The client is still connected, and the leader's end has failed; or there was no status.
	case codes.Internal, codes.Unavailable:
		if len(trailer.Get(headerServed)) > 0 {
			return err
		}
	default:
		return err
	}
	n.o.Log.Debug("a forwarded call was cut", "error", err)
	return errNoLeader()
}

// refuseCall responds to a call that was not begun.
func refuseCall(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Status", strconv.Itoa(int(codes.Unavailable)))
	w.Header().Set("Grpc-Message", TextNoLeader)
	w.WriteHeader(http.StatusOK)
}

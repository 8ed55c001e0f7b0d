package grpc

import (
	"context"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// How a Listen call survives the end of the server that serves it, such as at a hand-over. A client that has received
// nothing takes the end of its stream for the loss of its connection: the web SDK then shows what it has stored, which
// may be nothing. So as long as the client has received nothing, a call that ends with UNAVAILABLE is served again,
// here or at the leader. The client's messages, which are only read, are kept until then.

// maxKept is the maximum number of bytes of messages that are kept for a call.
const maxKept = 64 << 10

// keptStream holds the messages of a call until its client has received one.
type keptStream struct {
	grpc.ServerStream
	// sent is set once a message was sent.
	sent atomic.Bool
	mu   struct {
		sync.Mutex
		// messages are those received so far, beginning with the one that has the number first.
		messages []*Raw
		first    int
		bytes    int
		// reading is set while a goroutine receives the next message. changed is closed when it has.
		reading bool
		changed chan struct{}
		err     error
	}
}

// again reports whether a call that has ended with err is to be served again.
func (k *keptStream) again(err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return status.Code(err) == codes.Unavailable && !k.sent.Load() && k.mu.first == 0 && k.Context().Err() == nil
}

// message returns the message with a number, which it waits for. The caller must free it.
func (k *keptStream) message(ctx context.Context, number int) (*Raw, error) {
	for {
		k.mu.Lock()
		if k.sent.Load() || k.mu.bytes > maxKept {
			k.dropLocked(number)
		}
		if ctx.Err() != nil || number < k.mu.first {
			k.mu.Unlock()
			return nil, status.Error(codes.Canceled, "the attempt has ended")
		}
		if i := number - k.mu.first; i < len(k.mu.messages) {
			defer k.mu.Unlock()
			return k.mu.messages[i].Copy(), nil
		}
		if k.mu.err != nil {
			defer k.mu.Unlock()
			return nil, k.mu.err
		}
		if !k.mu.reading {
			k.mu.reading, k.mu.changed = true, make(chan struct{})
			go k.receive()
		}
		changed := k.mu.changed
		k.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
}

// receive receives the client's next message. It returns at the latest when the call has ended.
func (k *keptStream) receive() {
	next := new(Raw)
	err := k.ServerStream.RecvMsg(next)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		k.mu.err = err
	} else {
		k.mu.messages = append(k.mu.messages, next)
		k.mu.bytes += next.Len()
	}
	k.mu.reading = false
	close(k.mu.changed)
}

// dropLocked frees the messages before a number; mu is held.
func (k *keptStream) dropLocked(number int) {
	for k.mu.first < number && len(k.mu.messages) > 0 {
		k.mu.bytes -= k.mu.messages[0].Len()
		k.mu.messages[0].Free()
		k.mu.messages = k.mu.messages[1:]
		k.mu.first++
	}
}

// end frees all messages.
func (k *keptStream) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropLocked(k.mu.first + len(k.mu.messages))
}

// attempt is the stream of a call during one attempt to serve it.
type attempt struct {
	*keptStream
	ctx   context.Context
	codec *codec
	// next is the number of the next message. One goroutine receives.
	next int
}

// Context implements grpc.ServerStream.
func (a *attempt) Context() context.Context { return a.ctx }

// SendMsg implements grpc.ServerStream.
func (a *attempt) SendMsg(m any) error {
	a.sent.Store(true)
	return a.keptStream.SendMsg(m)
}

// RecvMsg implements grpc.ServerStream.
func (a *attempt) RecvMsg(m any) error {
	message, err := a.message(a.ctx, a.next)
	if err != nil {
		return err
	}
	a.next++
	data := message.take()
	defer data.Free()
	if err := a.codec.Unmarshal(data, m); err != nil {
		return status.Errorf(codes.Internal, "grpc: failed to unmarshal the received message: %v", err)
	}
	return nil
}

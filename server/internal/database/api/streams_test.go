package api

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/clock/clocktest"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/engine"
	"clave/server/internal/database/listen"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/internal/rules"
	"clave/server/internal/store/pebble"
	"clave/server/test/kit/wait"
)

// The names of the tests of streams.
const (
	streamDatabase  = "projects/p/databases/(default)"
	streamDocuments = streamDatabase + "/documents"
)

// streamRules allow anyone to access open, and ann to access her own documents.
const streamRules = `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
  match /open/{x=**} { allow read, write; }
  match /mine/{uid} { allow read, write: if request.auth.uid == uid; }
} }`

// streamFixture is a server with an empty database in memory and a clock that the test sets. The engine uses the
// machine's clock.
type streamFixture struct {
	t          *testing.T
	server     *Server
	rulesets   *authz.Rulesets
	clock      *clocktest.Manual
	authorizer *authz.Authorizer
	// revoked contains the ids of the users whose sessions have ended. A value that is a function is called before that
	// is known.
	revoked sync.Map
}

// newStreamFixture starts a server with rules.
func newStreamFixture(t *testing.T, o listen.Options) *streamFixture {
	t.Helper()
	store, err := pebble.OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	h := &streamFixture{t: t, rulesets: authz.NewRulesets(authz.RulesetsOptions{}), clock: clocktest.NewManual(clock.System().Now())}
	o.Engine, o.Clock = e, h.clock
	hub, err := listen.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.rules(streamRules)
	az, err := authz.New(authz.Options{Engine: e, Hub: hub, Rules: h.rulesets, Clock: h.clock, CheckSession: h.checkSession})
	if err != nil {
		t.Fatal(err)
	}
	h.authorizer = az
	if h.server, err = New(Options{Authorizer: az, Clock: h.clock}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 2)
	go func() { ended <- hub.Run(ctx) }()
	go func() { ended <- az.Run(ctx) }()
	t.Cleanup(func() {
		// A stream is closed after its method has returned, and reads the store until then.
		wait.Until(t, "the streams are closed", func() bool { return hub.Streams() == 0 })
		cancel()
		if err := errors.Join(<-ended, <-ended, e.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// checkSession returns an error if a user's sessions have ended.
func (h *streamFixture) checkSession(_ context.Context, c token.Caller) error {
	if how, ended := h.revoked.Load(c.UID); ended {
		if wait, waits := how.(func()); waits {
			wait()
		}
		return fault.E(fault.Unauthenticated, "revoked")
	}
	return nil
}

// rules puts rules in force.
func (h *streamFixture) rules(text string) {
	h.t.Helper()
	if issues := h.rulesets.Replace("", "", text); rules.HasErrors(issues) {
		h.t.Fatal(rules.Summary(issues))
	}
}

// ann returns a user whose token expires in an hour.
func (h *streamFixture) ann() token.Caller {
	return token.Caller{UID: "ann", Project: "p", Expires: h.clock.Now().Add(time.Hour)}
}

// pipe is a stream whose two ends the test has.
type pipe[Request, Response any] struct {
	t    *testing.T
	in   chan *Request
	out  chan *Response
	ctx  context.Context
	done chan error
}

// open serves a stream for a caller.
func open[Request, Response any](t *testing.T, c token.Caller, buffer int,
	serve func(context.Context, token.Caller, Stream[Request, Response]) error,
) *pipe[Request, Response] {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &pipe[Request, Response]{
		t: t, in: make(chan *Request, 100), out: make(chan *Response, buffer), ctx: ctx, done: make(chan error, 1),
	}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		p.done <- serve(ctx, c, p)
	}()
	t.Cleanup(func() { cancel(); <-returned })
	return p
}

// Recv implements Stream.
func (p *pipe[Request, Response]) Recv() (*Request, error) {
	select {
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	case r, ok := <-p.in:
		if !ok {
			return nil, io.EOF
		}
		return r, nil
	}
}

// Send implements Stream.
func (p *pipe[Request, Response]) Send(r *Response) error {
	select {
	case <-p.ctx.Done():
		return p.ctx.Err()
	case p.out <- r:
		return nil
	}
}

// next returns the next answer.
func (p *pipe[Request, Response]) next() *Response {
	p.t.Helper()
	select {
	case r := <-p.out:
		return r
	case err := <-p.done:
		p.done <- err
		select {
		case r := <-p.out: // A response that was sent before the end.
			return r
		default:
			p.t.Fatalf("the stream ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatal("no answer")
	}
	return nil
}

// ends waits for the end of the stream and checks its code. It skips responses before the end.
func (p *pipe[Request, Response]) ends(code fault.Code) error {
	p.t.Helper()
	for {
		select {
		case <-p.out:
		case err := <-p.done:
			p.done <- err
			if fault.CodeOf(err) != code {
				p.t.Errorf("the stream ended with %v, want code %v", err, code)
			}
			return err
		case <-time.After(30 * time.Second):
			p.t.Fatalf("the stream continues, want its end with code %v", code)
		}
	}
}

// turn advances the clock.
func (h *streamFixture) turn(d time.Duration) {
	for h.clock.Timers() == 0 {
	}
	h.clock.Advance(d)
}

// set writes a document.
func set(name string, n int64) *pb.Write {
	return &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{
		Name: streamDocuments + "/" + name, Fields: map[string]*pb.Value{"n": {ValueType: &pb.Value_IntegerValue{IntegerValue: n}}},
	}}}
}

// streamDB is the database of the tests of streams.
var streamDB = resource.Database{Project: "p", ID: resource.DefaultDatabase}

// parsing is a stream of messages that are parsed.
type parsing[Message, Request, Response any] struct {
	Stream[Message, Response]
	parse func(*Message) (*Request, error)
}

// Recv implements Stream.
func (s parsing[Message, Request, Response]) Recv() (*Request, error) {
	m, err := s.Stream.Recv()
	if err != nil {
		return nil, err
	}
	return s.parse(m)
}

// parseBatch parses a message of a Write stream.
func parseBatch(m *pb.WriteRequest) (*request.Batch, error) {
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	r := wire.NewWriteRequest()
	if err := r.Decode(b); err != nil {
		return nil, err
	}
	out := &request.Batch{StreamID: r.StreamID, Token: r.Token}
	out.Writes, out.Refused = r.Writes(streamDB)
	return out, nil
}

// write serves a Write stream of messages.
func (h *streamFixture) write(ctx context.Context, c token.Caller, s Stream[pb.WriteRequest, wire.Written]) error {
	return h.server.Write(ctx, c, streamDB, parsing[pb.WriteRequest, request.Batch, wire.Written]{s, parseBatch})
}

// listen serves a Listen stream of messages.
func (h *streamFixture) listen(ctx context.Context, c token.Caller, s Stream[pb.ListenRequest, wire.Listened]) error {
	return h.server.Listen(ctx, c, streamDB, parsing[pb.ListenRequest, request.Watch, wire.Listened]{s, func(m *pb.ListenRequest) (*request.Watch, error) {
		out, err := wire.ParseWatch(streamDB, m)
		return &out, err
	}})
}

// get reads a document.
func (h *streamFixture) get(c token.Caller, path string) (*wire.Document, error) {
	return h.server.GetDocument(h.t.Context(), c, streamDB, request.Get{Names: []resource.Document{{DB: streamDB, Path: path}}})
}

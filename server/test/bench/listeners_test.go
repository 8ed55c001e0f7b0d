package bench_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "clave/server/internal/model/wire/firestorepb"
)

// benchDatabase is the database of the raw clients.
const benchDatabase = "projects/bench/databases/(default)"

// rawCodec does not decode responses. A client of thousands of streams then costs little in comparison with the server.
type rawCodec struct{}

// Marshal implements encoding.Codec.
func (rawCodec) Marshal(m any) ([]byte, error) {
	p, ok := m.(proto.Message)
	if !ok {
		return nil, errors.New("bench: not a message")
	}
	return proto.Marshal(p)
}

// Unmarshal implements encoding.Codec.
func (rawCodec) Unmarshal(b []byte, m any) error {
	raw, ok := m.(*[]byte)
	if !ok {
		return errors.New("bench: raw answers only")
	}
	*raw = append((*raw)[:0], b...)
	return nil
}

// Name implements encoding.Codec.
func (rawCodec) Name() string { return "proto" }

// dial returns a connection whose responses are not decoded.
func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithPerRPCCredentials(owner), grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// crowd is a set of listeners. Each records when it receives the snapshot of a change.
type crowd struct {
	n int
	// arrivals contains the times of the current round's snapshots. arrived is their number.
	arrivals []time.Time
	arrived  atomic.Int32
	// wanted is the number of arrivals that completes the round. whole then receives a value.
	wanted atomic.Int32
	whole  chan struct{}
	conns  []*grpc.ClientConn
	ended  sync.WaitGroup
}

// gather opens n listeners, perConn on each connection, with a query for each listener's number, and waits until all
// have their first snapshot.
func gather(t *testing.T, address string, n, perConn int, ask func(i int) *pb.Target_QueryTarget) *crowd {
	t.Helper()
	c := &crowd{n: n, arrivals: make([]time.Time, n), whole: make(chan struct{}, 1)}
	open := make(chan struct{}, n)
	for i := range n {
		if i%perConn == 0 {
			c.conns = append(c.conns, dial(t, address))
		}
		ss, err := c.conns[len(c.conns)-1].NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
			"/google.firestore.v1.Firestore/Listen")
		if err != nil {
			t.Fatal(err)
		}
		err = ss.SendMsg(&pb.ListenRequest{Database: benchDatabase, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: &pb.Target{
			TargetId: 2, TargetType: &pb.Target_Query{Query: ask(i)},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		c.ended.Go(func() { c.listen(ss, open) })
	}
	for i := range n {
		select {
		case <-open:
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d listeners have a snapshot after a minute", i, n)
		}
	}
	return c
}

// listen reads one stream to its end.
func (c *crowd) listen(ss grpc.ClientStream, open chan<- struct{}) {
	var raw []byte
	changed, notified := false, false
	for ss.RecvMsg(&raw) == nil {
		switch {
		case raw[0] != fieldTargetChange:
			changed = true
		case !isSnapshot(raw):
		case !notified:
			notified, changed = true, false
			open <- struct{}{}
		case changed:
			changed = false
			c.arrive()
		}
	}
}

// arrive records that a listener has received the snapshot of the current round.
func (c *crowd) arrive() {
	at := c.arrived.Add(1)
	if int(at) <= c.n {
		c.arrivals[at-1] = time.Now()
	}
	if at == c.wanted.Load() {
		c.whole <- struct{}{}
	}
}

// fieldTargetChange is the tag of a ListenResponse's target change.
const fieldTargetChange = 2<<3 | byte(protowire.BytesType)

// isSnapshot reports whether a target change has no target and the type NO_CHANGE.
func isSnapshot(raw []byte) bool {
	_, _, n := protowire.ConsumeTag(raw)
	body, _ := protowire.ConsumeBytes(raw[n:])
	for len(body) > 0 {
		field, kind, n := protowire.ConsumeTag(body)
		if field == 1 || field == 2 {
			return false
		}
		body = body[n:]
		body = body[protowire.ConsumeFieldValue(field, kind, body):]
	}
	return true
}

// close ends all listeners.
func (c *crowd) close() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.ended.Wait()
}

// round commits a change that matches a number of listeners, waits until all of them have its snapshot, and records the
// delays from the start of the commit.
func (c *crowd) round(t *testing.T, commit func() error, wanted int, delays []time.Duration) []time.Duration {
	t.Helper()
	c.arrived.Store(0)
	c.wanted.Store(int32(wanted))
	began := time.Now()
	if err := commit(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.whole:
	case <-time.After(time.Minute):
		t.Fatalf("%d of %d listeners have the change after a minute", c.arrived.Load(), wanted)
	}
	for _, at := range c.arrivals[:wanted] {
		delays = append(delays, at.Sub(began))
	}
	return delays
}

// quantiles returns the median and the 99th percentile.
func quantiles(delays []time.Duration) (p50, p99 time.Duration) {
	slices.Sort(delays)
	return delays[len(delays)/2], delays[len(delays)*99/100]
}

// writer writes documents of a collection.
type writer struct {
	conn *grpc.ClientConn
	t    *testing.T
}

// set writes a document with values of the field k and one more field.
func (w *writer) set(collection, id string, k, n int64) error {
	doc := &pb.Document{
		Name: benchDatabase + "/documents/" + collection + "/" + id,
		Fields: map[string]*pb.Value{
			"k":    {ValueType: &pb.Value_IntegerValue{IntegerValue: k}},
			"n":    {ValueType: &pb.Value_IntegerValue{IntegerValue: n}},
			"text": {ValueType: &pb.Value_StringValue{StringValue: fmt.Sprintf("What stands in a document, more or less: number %d", n)}},
		},
	}
	var raw []byte
	return w.conn.Invoke(w.t.Context(), "/google.firestore.v1.Firestore/Commit", &pb.CommitRequest{
		Database: benchDatabase, Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: doc}}},
	}, &raw)
}

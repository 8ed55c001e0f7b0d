package calls

import (
	"context"
	"errors"
	"io"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/api"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// TestCallsAreThoseOfTheProtocol compares the table with the generated description of the service.
func TestCallsAreThoseOfTheProtocol(t *testing.T) {
	methods := pb.File_clave_firestore_v1_firestore_proto.Services().Get(0).Methods()
	if len(All) != methods.Len() || len(ByName) != methods.Len() {
		t.Errorf("%d calls by %d names, want %d", len(All), len(ByName), methods.Len())
	}
	for i := range methods.Len() {
		m := methods.Get(i)
		c := ByName[string(m.Name())]
		if c == nil {
			t.Errorf("%s is not in the table", m.Name())
			continue
		}
		if c.Answers != m.IsStreamingServer() || (c.Message != nil) != m.IsStreamingClient() || (c.Stream != nil) != m.IsStreamingClient() || (c.Request == nil) != m.IsStreamingClient() {
			t.Errorf("%s has other streams than the protocol", c.Name)
		}
		input := m.Input()
		var d Decoder
		if c.Message != nil {
			d = c.Message()
		} else {
			d = c.Request()
			if c.Answer != m.Output() {
				t.Errorf("%s answers with %s, want %s", c.Name, c.Answer.FullName(), m.Output().FullName())
			}
		}
		if got := d.Message().ProtoReflect().Descriptor(); got != input {
			t.Errorf("%s takes %s, want %s", c.Name, got.FullName(), input.FullName())
		}
		for _, number := range c.Pins {
			if f := input.Fields().ByNumber(number); f == nil || f.ContainingOneof() == nil {
				t.Errorf("%s: the field %d chooses no state to read", c.Name, number)
			}
		}
		if o := input.Oneofs().ByName("consistency_selector"); c.Reads && (o == nil || o.Fields().Len() != len(c.Pins)) {
			t.Errorf("%s has %d pins, want all fields of its consistency_selector", c.Name, len(c.Pins))
		}
	}
}

// scripted is a stream of given messages in binary form.
type scripted struct {
	call *Call
	in   [][]byte
}

// Recv implements Messages.
func (s *scripted) Recv() (Decoder, error) {
	if len(s.in) == 0 {
		return nil, io.EOF
	}
	m := s.call.Message()
	err := m.Decode(s.in[0])
	s.in = s.in[1:]
	return m, err
}

// Send implements Messages.
func (s *scripted) Send(any) error { return nil }

// TestStreamsAreForOneDatabase opens streams whose messages name no database, one, or another one.
func TestStreamsAreForOneDatabase(t *testing.T) {
	name := func(db string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, pb.FieldWriteRequestDatabase, protowire.BytesType), db)
	}
	const db = "projects/p/databases/d"
	for _, tt := range []struct {
		what     string
		in       [][]byte
		want     fault.Code
		received int
	}{
		{"the client leaves at once", nil, fault.OK, 0},
		{"no database", [][]byte{nil}, fault.InvalidArgument, 0},
		{"no valid database", [][]byte{name("x")}, fault.InvalidArgument, 0},
		{"later messages name none", [][]byte{name(db), nil, nil}, fault.OK, 3},
		{"later messages name the same", [][]byte{name(db), name(db)}, fault.OK, 2},
		{"a later message names another", [][]byte{name(db), name(db + "2"), nil}, fault.InvalidArgument, 1},
	} {
		received := 0
		call := &Call{method: streams(newWrite, func(_ *api.Server, _ context.Context, _ token.Caller, got resource.Database, s api.Stream[request.Batch, wire.Written]) error {
			if got.String() != db {
				t.Errorf("%s: the stream is of %s", tt.what, got)
			}
			for {
				_, err := s.Recv()
				if errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				received++
			}
		})}
		err := call.Stream(t.Context(), nil, token.Caller{}, &scripted{call, tt.in})
		if fault.CodeOf(err) != tt.want || received != tt.received {
			t.Errorf("%s: %v after %d messages, want %v after %d", tt.what, err, received, tt.want, tt.received)
		}
	}
}

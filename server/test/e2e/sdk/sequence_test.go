package sdk

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	pb "clave/server/internal/model/wire/firestorepb"

	"clave/server/test/e2e/harness"
)

// sequenceSteps is the number of steps of a sequence.
const sequenceSteps = 60

// sequence is a sequence of steps that is carried out at two servers. Each step writes the barrier document, so that a
// stream shows when it has delivered the step.
type sequence struct {
	t       *testing.T
	rand    *rand.Rand
	clients []*sequenceClient
	step    int
	// targets is the number of targets that were requested, and removed holds targets that were removed, by client.
	targets int32
	removed map[int32][]*seenTarget
	// log lists the steps.
	log []string
}

// TestSequencesBesideTheEmulator carries out the same sequences at Clave and at the official Firestore emulator.
func TestSequencesBesideTheEmulator(t *testing.T) {
	t.Parallel()
	theirs := harness.StartOfficialEmulator(t)
	ours := harness.Start(t, nil).Firestore
	for name, compare := range map[string]func(t *testing.T, ours, theirs string){"streams": listenSequences, "calls": callSequences, "conflicts": conflictScenes} {
		t.Run(name, func(t *testing.T) { compare(t, ours, theirs) })
	}
}

// listenSequences carries out sequences of writes and changes of targets and compares what a client sees after each
// step. The messages by which a server shows it may differ.
func listenSequences(t *testing.T, ours, theirs string) {
	compared := 0
	for seed := range 2 * *compatSeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			s := &sequence{t: t, rand: rand.New(rand.NewPCG(seed, 11)), removed: map[int32][]*seenTarget{}}
			for _, at := range [][2]string{{"ours", ours}, {"theirs", theirs}} {
				s.clients = append(s.clients, newSequenceClient(t, at[0], at[1], fmt.Sprintf("sequence-%d", seed)))
			}
			for _, c := range s.clients {
				c.targets[barrierTarget] = &seenTarget{spec: c.documents("barrier/b"), docs: map[string]string{}}
				c.official = c.name == "theirs"
				c.open()
			}
			for range sequenceSteps {
				s.run()
				compared++
			}
		})
	}
	if least := int(*compatSeeds) * sequenceSteps; compared < least {
		t.Errorf("only %d steps were compared, want at least %d", compared, least)
	}
}

// documents returns a target of documents.
func (c *sequenceClient) documents(paths ...string) *pb.Target {
	var names []string
	for _, path := range paths {
		names = append(names, c.database()+"/documents/"+path)
	}
	return &pb.Target{TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: names}}}
}

// run carries out a step and compares the views after it.
func (s *sequence) run() {
	s.t.Helper()
	s.step++
	var writes []func(c *sequenceClient) *pb.Write
	switch at := s.rand.IntN(100); {
	case at < 50:
		writes = s.writes()
	case at < 72:
		s.add()
	case at < 82:
		s.remove()
	case at < 94:
		s.resume()
	default:
		s.note("a new stream")
		for _, c := range s.clients {
			c.reopen()
		}
	}
	for _, c := range s.clients {
		if !c.until(c.current) {
			c.stop("targets are not current at step %d:\n%v\nsteps: %v", s.step, c.views(), s.log)
		}
	}
	s.commit(writes)
	for _, c := range s.clients {
		if !c.until(func() bool { return c.settled(s.step) }) {
			c.stop("step %d is not delivered:\n%v\nsteps: %v", s.step, c.views(), s.log)
		}
	}
	ours, theirs := s.clients[0], s.clients[1]
	if !s.agree() {
		s.t.Fatalf("after step %d\n%s:\n%s\n%s:\n%s\nsteps: %v", s.step, ours.name, ours.views(), theirs.name, theirs.views(), s.log)
	}
}

// agree receives until the views of both servers are equal, and reports whether they are within the time limit: a
// server may deliver the targets of a step in several snapshots.
func (s *sequence) agree() bool {
	s.t.Helper()
	late := time.NewTimer(deliveryTime)
	defer late.Stop()
	ours, theirs := s.clients[0], s.clients[1]
	for ours.views() != theirs.views() {
		select {
		case m, ok := <-ours.received:
			ours.take(m, ok)
		case m, ok := <-theirs.received:
			theirs.take(m, ok)
		case <-late.C:
			return false
		}
	}
	return true
}

// note adds a line to the log.
func (s *sequence) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("\n  %d: ", s.step)+fmt.Sprintf(format, args...))
}

// sequenceIDs are the paths of the documents.
var sequenceIDs = []string{"c/a", "c/b", "c/c", "c/d", "c/e", "c/a/c/x", "c/a/c/y", "d/a"}

// fields returns fields of a document.
func (s *sequence) fields() map[string]*pb.Value {
	out := map[string]*pb.Value{}
	if s.rand.IntN(5) > 0 {
		out["n"] = &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(s.rand.IntN(5))}}
	}
	if s.rand.IntN(3) > 0 {
		out["s"] = &pb.Value{ValueType: &pb.Value_StringValue{StringValue: pick(s.rand, "a", "b")}}
	}
	if s.rand.IntN(3) == 0 {
		list := &pb.ArrayValue{}
		for range s.rand.IntN(3) {
			list.Values = append(list.Values, &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(s.rand.IntN(3))}})
		}
		out["tags"] = &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: list}}
	}
	return out
}

// writes returns the writes of a step.
func (s *sequence) writes() []func(c *sequenceClient) *pb.Write {
	var out []func(c *sequenceClient) *pb.Write
	for range 1 + s.rand.IntN(4) {
		path, fields, kind := pick(s.rand, sequenceIDs...), s.fields(), s.rand.IntN(10)
		s.note("write %d of %s: %s", kind, path, fieldsText(&pb.Document{Fields: fields}))
		mask := pick(s.rand, "n", "s", "tags")
		out = append(out, func(c *sequenceClient) *pb.Write {
			name := c.database() + "/documents/" + path
			d := &pb.Document{Name: name, Fields: fields}
			switch kind {
			case 0, 1, 2:
				return &pb.Write{Operation: &pb.Write_Delete{Delete: name}}
			case 3:
				return &pb.Write{Operation: &pb.Write_Update{Update: d}, UpdateMask: &pb.DocumentMask{FieldPaths: []string{mask}}}
			case 4:
				one := &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: 1}}
				return &pb.Write{
					Operation: &pb.Write_Update{Update: &pb.Document{Name: name}}, UpdateMask: &pb.DocumentMask{},
					UpdateTransforms: []*pb.DocumentTransform_FieldTransform{{FieldPath: "n", TransformType: &pb.DocumentTransform_FieldTransform_Increment{Increment: one}}},
				}
			default:
				return &pb.Write{Operation: &pb.Write_Update{Update: d}}
			}
		})
	}
	return out
}

// commit commits writes and the barrier at all servers.
func (s *sequence) commit(writes []func(c *sequenceClient) *pb.Write) {
	s.t.Helper()
	for _, c := range s.clients {
		r := &pb.CommitRequest{Database: c.database(), Writes: []*pb.Write{{Operation: &pb.Write_Update{Update: &pb.Document{
			Name: c.database() + "/documents/barrier/b", Fields: map[string]*pb.Value{"step": {ValueType: &pb.Value_IntegerValue{IntegerValue: int64(s.step)}}},
		}}}}}
		for _, write := range writes {
			r.Writes = append(r.Writes, write(c))
		}
		if _, err := c.api.Commit(c.owner(s.t.Context()), r); err != nil {
			s.t.Fatalf("%s: %v", c.name, err)
		}
	}
}

// add requests a new target.
func (s *sequence) add() {
	if len(s.clients[0].targets) > 8 {
		return
	}
	s.targets++
	id := barrierTarget + 2*s.targets
	var spec func(c *sequenceClient) *pb.Target
	if s.rand.IntN(5) == 0 {
		paths := slices.Clone(sequenceIDs)
		s.rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		paths = paths[:1+s.rand.IntN(3)]
		s.note("target %d of %v", id, paths)
		spec = func(c *sequenceClient) *pb.Target { return c.documents(paths...) }
	} else {
		parent, q := pick(s.rand, "", "", "", "/c/a"), s.query()
		s.note("target %d below %q of %v", id, parent, q)
		spec = func(c *sequenceClient) *pb.Target {
			return &pb.Target{TargetType: &pb.Target_Query{Query: &pb.Target_QueryTarget{
				Parent: c.database() + "/documents" + parent, QueryType: &pb.Target_QueryTarget_StructuredQuery{StructuredQuery: q},
			}}}
		}
	}
	for _, c := range s.clients {
		c.add(id, &seenTarget{spec: spec(c), docs: map[string]string{}}, nil)
	}
	if s.rand.IntN(4) == 0 {
		s.once(id, spec)
	}
}

// once requests a target of id that is read once, beside the lasting one, and compares what the client sees of both.
// The official emulator shows no documents of such targets.
func (s *sequence) once(id int32, spec func(c *sequenceClient) *pb.Target) {
	s.t.Helper()
	c := s.clients[0]
	once := &seenTarget{spec: spec(c), docs: map[string]string{}}
	once.spec.Once = true
	c.add(id+1, once, nil)
	lasting := c.targets[id]
	if !c.until(func() bool { return once.ended && lasting.current }) || !once.current || once.cause != codes.OK || !maps.Equal(once.docs, lasting.docs) {
		s.t.Fatalf("once: %v, want %v and its end\nsteps: %v", once, lasting, s.log)
	}
	delete(c.targets, id+1)
}

// query returns the query of a target.
func (s *sequence) query() *pb.StructuredQuery {
	q := &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: "c", AllDescendants: s.rand.IntN(4) == 0}}}
	n := &pb.StructuredQuery_FieldReference{FieldPath: "n"}
	number := func(v int) *pb.Value { return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: int64(v)}} }
	filter := func(path string, op pb.StructuredQuery_FieldFilter_Operator, v *pb.Value) {
		q.Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: path}, Op: op, Value: v,
		}}}
	}
	numbers := func(v ...int) *pb.Value {
		list := &pb.ArrayValue{}
		for _, n := range v {
			list.Values = append(list.Values, number(n))
		}
		return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: list}}
	}
	switch s.rand.IntN(12) {
	case 0, 1:
		filter("n", pick(s.rand, pb.StructuredQuery_FieldFilter_LESS_THAN, pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL, pb.StructuredQuery_FieldFilter_NOT_EQUAL), number(s.rand.IntN(4)))
	case 2:
		filter("n", pb.StructuredQuery_FieldFilter_EQUAL, number(s.rand.IntN(4)))
	case 3:
		filter("s", pb.StructuredQuery_FieldFilter_EQUAL, &pb.Value{ValueType: &pb.Value_StringValue{StringValue: "a"}})
	case 4:
		filter("tags", pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS, number(1))
	case 5:
		filter("n", pb.StructuredQuery_FieldFilter_IN, numbers(1, 3))
	case 6:
		filter("n", pb.StructuredQuery_FieldFilter_NOT_IN, numbers(0, 2))
	case 7:
		filter("tags", pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY, numbers(0, 2))
	case 8, 9:
		var parts []*pb.StructuredQuery_Filter
		filter("n", pick(s.rand, pb.StructuredQuery_FieldFilter_EQUAL, pb.StructuredQuery_FieldFilter_GREATER_THAN), number(s.rand.IntN(4)))
		parts = append(parts, q.Where)
		filter("s", pb.StructuredQuery_FieldFilter_EQUAL, &pb.Value{ValueType: &pb.Value_StringValue{StringValue: "b"}})
		q.Where = &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{CompositeFilter: &pb.StructuredQuery_CompositeFilter{
			Op: pick(s.rand, pb.StructuredQuery_CompositeFilter_OR, pb.StructuredQuery_CompositeFilter_AND), Filters: append(parts, q.Where),
		}}}
	}
	if s.rand.IntN(2) == 0 {
		q.OrderBy = []*pb.StructuredQuery_Order{{Field: n, Direction: pick(s.rand, pb.StructuredQuery_ASCENDING, pb.StructuredQuery_DESCENDING)}}
		if s.rand.IntN(4) == 0 {
			q.StartAt = &pb.Cursor{Values: []*pb.Value{number(s.rand.IntN(3))}, Before: s.rand.IntN(2) == 0}
		}
		if s.rand.IntN(4) == 0 {
			q.EndAt = &pb.Cursor{Values: []*pb.Value{number(2 + s.rand.IntN(3))}, Before: s.rand.IntN(2) == 0}
		}
		if s.rand.IntN(3) == 0 {
			q.OrderBy = append(q.OrderBy, &pb.StructuredQuery_Order{
				Field: &pb.StructuredQuery_FieldReference{FieldPath: "s"}, Direction: pick(s.rand, pb.StructuredQuery_ASCENDING, pb.StructuredQuery_DESCENDING),
			})
		}
	}
	if s.rand.IntN(2) == 0 {
		q.Limit = wrapperspb.Int32(int32(1 + s.rand.IntN(3)))
	}
	return q
}

// remove removes a target.
func (s *sequence) remove() {
	id, ok := s.any(s.clients[0].targets)
	if !ok {
		return
	}
	s.note("target %d is removed", id)
	s.removed[id] = nil
	for _, c := range s.clients {
		if c.targets[id].ended {
			delete(c.targets, id)
			delete(s.removed, id)
			continue
		}
		s.removed[id] = append(s.removed[id], c.remove(id))
	}
}

// resume requests a removed target again, with its resume token.
func (s *sequence) resume() {
	id, ok := s.any(s.removed)
	if !ok {
		return
	}
	counted := s.rand.IntN(2) == 0
	s.note("target %d is resumed, counted %v", id, counted)
	for i, c := range s.clients {
		seen := s.removed[id][i]
		var expected *int32
		if counted {
			expected = proto.Int32(int32(len(seen.docs)))
		}
		c.add(id, seen, expected)
	}
	delete(s.removed, id)
}

// any returns one of the targets other than the barrier's.
func (s *sequence) any(from any) (id int32, ok bool) {
	var ids []int32
	switch from := from.(type) {
	case map[int32]*seenTarget:
		ids = slices.Sorted(maps.Keys(from))
	case map[int32][]*seenTarget:
		ids = slices.Sorted(maps.Keys(from))
	}
	ids = slices.DeleteFunc(ids, func(id int32) bool { return id == barrierTarget })
	if len(ids) == 0 {
		return 0, false
	}
	return pick(s.rand, ids...), true
}

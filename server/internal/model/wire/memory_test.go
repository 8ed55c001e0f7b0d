package wire_test

import (
	"bytes"
	"runtime"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// commitOf returns the binary form of a commit of one document whose field a is an array with the given binary form of
// values.
func commitOf(values []byte) []byte {
	array := field(pb.FieldValueArrayValue, values)
	entry := append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "a"), field(2, array)...)
	return field(pb.FieldCommitRequestWrites, field(pb.FieldWriteUpdate, field(pb.FieldDocumentFields, entry)))
}

// TestBinaryMemory compares the estimate with the heap that parsed requests take, for values that take many times their
// bytes.
func TestBinaryMemory(t *testing.T) {
	const n = 100_000
	value := func(v []byte) []byte { return field(pb.FieldArrayValueValues, v) }
	integer := protowire.AppendVarint(protowire.AppendTag(nil, pb.FieldValueIntegerValue, protowire.VarintType), 7)
	entry := append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "a"), field(2, integer)...)
	for _, tt := range []struct {
		name  string
		value []byte
	}{
		{"integers", value(integer)},
		{"texts", value(protowire.AppendString(protowire.AppendTag(nil, pb.FieldValueStringValue, protowire.BytesType), "abcdefgh"))},
		{"empty maps", value(field(pb.FieldValueMapValue, nil))},
		{"empty arrays", value(field(pb.FieldValueArrayValue, nil))},
		{"maps of one field", value(field(pb.FieldValueMapValue, field(1, entry)))},
	} {
		b := commitOf(bytes.Repeat(tt.value, n))
		estimate, err := wire.BinaryMemory(b, &pb.CommitRequest{})
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		r := &pb.CommitRequest{}
		if err := proto.Unmarshal(b, r); err != nil {
			t.Fatal(err)
		}
		v, err := wire.ParseValue(r.GetWrites()[0].GetUpdate().GetFields()["a"])
		if err != nil {
			t.Fatal(err)
		}
		took := heap() - before
		runtime.KeepAlive(v)
		runtime.KeepAlive(r)
		t.Logf("%-18s %2d bytes each: takes %d, estimated %d", tt.name, len(tt.value), took/n, estimate/n)
		if took > estimate*5/4 {
			t.Errorf("%s take %d bytes each, estimated %d", tt.name, took/n, estimate/n)
		}
	}
	if got, err := wire.BinaryMemory(bytes.Repeat([]byte("x"), n), &pb.CommitRequest{}); err != nil || got > 3*n {
		t.Errorf("the estimate of what is not valid = %d, %v", got, err)
	}
}

// TestManyMessagesAreRefused counts messages at the limit and beyond it, in arrays, below the counted depth and of
// names.
func TestManyMessagesAreRefused(t *testing.T) {
	const most = 1 << 20
	empty := field(pb.FieldArrayValueValues, nil)
	for _, tt := range []struct {
		name string
		body []byte
		want fault.Code
	}{
		{"some values", commitOf(bytes.Repeat(empty, most/2)), fault.OK},
		{"too many values", commitOf(bytes.Repeat(empty, most)), fault.InvalidArgument},
		{"deep nesting", commitOf(field(pb.FieldArrayValueValues, nestedArrays(most/2))), fault.InvalidArgument},
	} {
		if _, err := wire.BinaryMemory(tt.body, &pb.CommitRequest{}); fault.CodeOf(err) != tt.want {
			t.Errorf("%s in %d bytes: %v, want %v", tt.name, len(tt.body), err, tt.want)
		}
	}
	names := bytes.Repeat(field(pb.FieldBatchGetDocumentsRequestDocuments, nil), most+1)
	if _, err := wire.BinaryMemory(names, &pb.BatchGetDocumentsRequest{}); !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("too many names: %v, want INVALID_ARGUMENT", err)
	}
}

// heap returns the live bytes of the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkBinaryMemory estimates a commit of 500 documents of eight fields.
func BenchmarkBinaryMemory(b *testing.B) {
	var commit []byte
	entry := func(name string) []byte {
		text := protowire.AppendString(protowire.AppendTag(nil, pb.FieldValueStringValue, protowire.BytesType), "Concert number 1000")
		return field(pb.FieldDocumentFields, append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name), field(2, text)...))
	}
	var document []byte
	for _, name := range []string{"title", "city", "kind", "price", "rating", "open", "tags", "at"} {
		document = append(document, entry(name)...)
	}
	for range 500 {
		commit = append(commit, field(pb.FieldCommitRequestWrites, field(pb.FieldWriteUpdate, document))...)
	}
	b.SetBytes(int64(len(commit)))
	for b.Loop() {
		if _, err := wire.BinaryMemory(commit, &pb.CommitRequest{}); err != nil {
			b.Fatal(err)
		}
	}
}

package wire_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
)

// nestedArrays returns the binary form of a value with nested arrays.
func nestedArrays(levels int) []byte {
	sizes, n := make([]int, levels), 0
	for i := range sizes {
		sizes[i] = n // size of the array's content
		array := protowire.SizeTag(pb.FieldArrayValueValues) + protowire.SizeBytes(n)
		n = protowire.SizeTag(pb.FieldValueArrayValue) + protowire.SizeBytes(array)
	}
	out := make([]byte, 0, n)
	for i := levels - 1; i >= 0; i-- {
		array := protowire.SizeTag(pb.FieldArrayValueValues) + protowire.SizeBytes(sizes[i])
		out = protowire.AppendTag(out, pb.FieldValueArrayValue, protowire.BytesType)
		out = protowire.AppendVarint(out, uint64(array))
		out = protowire.AppendTag(out, pb.FieldArrayValueValues, protowire.BytesType)
		out = protowire.AppendVarint(out, uint64(sizes[i]))
	}
	return out
}

// field returns the binary form of a field with a message.
func field(number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message)
}

// TestDeepNestingIsRefused checks that a request of the maximum size with deep nesting is refused and does not overflow
// the stack.
func TestDeepNestingIsRefused(t *testing.T) {
	for _, levels := range []int{100_000, 1_400_000} {
		entry := append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "a"), field(2, nestedArrays(levels))...)
		commit := field(pb.FieldCommitRequestWrites, field(pb.FieldWriteUpdate, field(pb.FieldDocumentFields, entry)))
		if err := wire.NewCommitRequest().Decode(commit); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a commit of %d levels in %d bytes: %v, want InvalidArgument", levels, len(commit), err)
		}
		const structuredQuery, where, fieldFilter, operand = 2, 3, 2, 3
		query := field(structuredQuery, field(where, field(fieldFilter, field(operand, nestedArrays(levels)))))
		if err := wire.Unmarshal(query, &pb.RunQueryRequest{}); !fault.Is(err, fault.InvalidArgument) {
			t.Errorf("a query of %d levels: %v, want InvalidArgument", levels, err)
		}
	}
}

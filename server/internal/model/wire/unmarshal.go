package wire

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/fault"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Unmarshal parses the wire form of a message into m, which is empty. The result is that of proto.Unmarshal, but
// messages with writes have no unknown fields, and keep the order of members for ParseWrites and ParseFields. The most
// frequent requests are parsed without reflection if they contain nothing unusual. It returns InvalidArgument for a
// message whose values or filters are nested too deeply to be parsed, and unnamed errors for one that is malformed.
func Unmarshal(b []byte, m proto.Message) error {
	err := unmarshal(b, m)
	if err != nil && strings.Contains(err.Error(), tooDeep) {
		return fault.Wrap(err, fault.InvalidArgument, "The message is nested too deeply.")
	}
	return err
}

// tooDeep is in the text of the error with which package proto refuses a message that is nested too deeply, which has
// no type.
const tooDeep = "exceeded maximum recursion depth"

// unmarshal is Unmarshal with the errors of package proto.
func unmarshal(b []byte, m proto.Message) error {
	done := false
	switch r := m.(type) {
	case *CommitRequest:
		return r.unmarshal(b)
	case *pb.BatchGetDocumentsRequest:
		done = scanBatchGet(b, r)
	case *pb.WriteRequest, *pb.BatchWriteRequest, *pb.CreateDocumentRequest, *pb.UpdateDocumentRequest, *pb.CommitRequest:
		return unmarshalOrdered(b, m)
	}
	if done {
		return nil
	}
	return proto.Unmarshal(b, m)
}

// fields calls take for the fields of a message. It reports whether all fields were of type bytes and take accepted all
// of them.
func fields(b []byte, take func(number protowire.Number, part []byte) bool) bool {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || kind != protowire.BytesType {
			return false
		}
		part, size := protowire.ConsumeBytes(b[n:])
		if size < 0 || !take(number, part) {
			return false
		}
		b = b[n+size:]
	}
	return true
}

// scanString sets a string, which must be UTF-8 and must not have been set before.
func scanString(part []byte, into *string) bool {
	s := scanner{text: string(part)}
	if *into != "" || !s.isText() {
		return false
	}
	*into = s.text
	return true
}

// scanMask parses a mask.
func scanMask(b []byte, m *pb.DocumentMask) bool {
	return fields(b, func(number protowire.Number, part []byte) bool {
		var path string
		if number != pb.FieldDocumentMaskFieldPaths || !scanString(part, &path) {
			return false
		}
		m.FieldPaths = append(m.FieldPaths, path)
		return true
	})
}

// scanPrecondition parses a precondition.
func scanPrecondition(b []byte, p *pb.Precondition) bool {
	s := scanner{text: string(b)}
	switch number, kind := s.tag(); {
	case number == pb.FieldPreconditionExists && kind == protowire.VarintType:
		p.ConditionType = &pb.Precondition_Exists{Exists: s.uvarint() != 0}
	case number == pb.FieldPreconditionUpdateTime && kind == protowire.BytesType:
		t := &timestamppb.Timestamp{}
		s.inside(func(s *scanner) { s.timestamp(t) })
		p.ConditionType = &pb.Precondition_UpdateTime{UpdateTime: t}
	default:
		return false
	}
	return !s.failed && s.text == ""
}

// scanBatchGet parses a BatchGetDocuments request. It returns false if the general parser is needed.
func scanBatchGet(b []byte, r *pb.BatchGetDocumentsRequest) bool {
	return fields(b, func(number protowire.Number, part []byte) bool {
		switch {
		case number == pb.FieldBatchGetDocumentsRequestDatabase:
			return scanString(part, &r.Database)
		case number == pb.FieldBatchGetDocumentsRequestDocuments:
			var name string
			r.Documents = append(r.Documents, name)
			return scanString(part, &r.Documents[len(r.Documents)-1])
		case number == pb.FieldBatchGetDocumentsRequestMask && r.Mask == nil:
			r.Mask = &pb.DocumentMask{}
			return scanMask(part, r.Mask)
		case number == pb.FieldBatchGetDocumentsRequestTransaction && r.ConsistencySelector == nil:
			r.ConsistencySelector = &pb.BatchGetDocumentsRequest_Transaction{Transaction: append(make([]byte, 0, len(part)), part...)}
			return true
		}
		return false
	})
}

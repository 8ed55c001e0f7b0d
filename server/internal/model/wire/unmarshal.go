package wire

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"clave/server/internal/base/fault"
	pb "clave/server/internal/model/wire/firestorepb"
)

// Unmarshal parses the wire form of a message into m, which is empty. The result is that of proto.Unmarshal; a usual
// request for documents is parsed without reflection. Requests with writes have a parser of their own (WritesRequest).
// It returns InvalidArgument for a message whose values or filters are nested too deeply to be parsed, and unnamed
// errors for one that is malformed.
func Unmarshal(b []byte, m proto.Message) error {
	if r, ok := m.(*pb.BatchGetDocumentsRequest); ok && scanBatchGet(b, r) {
		return nil
	}
	return refuseDeep(proto.Unmarshal(b, m))
}

// tooDeep is in the text of the error with which package proto refuses a message that is nested too deeply, which has
// no type.
const tooDeep = "exceeded maximum recursion depth"

// refuseDeep makes InvalidArgument of the error of package proto for a message that is nested too deeply.
func refuseDeep(err error) error {
	if err != nil && strings.Contains(err.Error(), tooDeep) {
		return fault.Wrap(err, fault.InvalidArgument, "The message is nested too deeply.")
	}
	return err
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

// scanMask calls take for the paths of a mask. It reports whether take accepted all of them.
func scanMask(b []byte, take func(path string) bool) bool {
	return fields(b, func(number protowire.Number, part []byte) bool {
		var path string
		if number != pb.FieldDocumentMaskFieldPaths || !scanString(part, &path) {
			return false
		}
		return take(path)
	})
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
			return scanMask(part, func(path string) bool {
				r.Mask.FieldPaths = append(r.Mask.FieldPaths, path)
				return true
			})
		case number == pb.FieldBatchGetDocumentsRequestTransaction && r.ConsistencySelector == nil:
			r.ConsistencySelector = &pb.BatchGetDocumentsRequest_Transaction{Transaction: append(make([]byte, 0, len(part)), part...)}
			return true
		}
		return false
	})
}

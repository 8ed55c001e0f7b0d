package wire

import pb "clave/server/internal/model/wire/firestorepb"

// knownWrites fills a message of a Write stream that has a token and writes.
func (a *assigner) knownWrites(r *pb.WriteRequest, n jsonNode) bool {
	var token []byte
	var writes []*pb.Write
	if n.kind != jsonObject {
		return false
	}
	for name, item := range n.members() {
		switch {
		case name == "streamToken" && item.kind == jsonString && token == nil:
			var ok bool
			if token, ok = item.bytes(); !ok {
				return false
			}
		case name == "writes" && item.kind == jsonArray && item.count > 0 && writes == nil:
			var ok bool
			if writes, ok = a.knownList(item); !ok {
				return false
			}
		default:
			return false
		}
	}
	r.StreamToken, r.Writes = token, writes
	return true
}

// knownList converts a list of writes.
func (a *assigner) knownList(n jsonNode) ([]*pb.Write, bool) {
	out := make([]*pb.Write, 0, n.count)
	for item := range n.elements() {
		w := &pb.Write{}
		if !a.knownWrite(w, item) {
			return nil, false
		}
		out = append(out, w)
	}
	return out, true
}

// knownWrite fills an empty write that sets a document or deletes one.
func (a *assigner) knownWrite(w *pb.Write, n jsonNode) bool {
	var made pb.Write
	for name, item := range n.members() {
		ok := false
		switch {
		case name == "update" && made.Operation == nil:
			d := &pb.Document{}
			made.Operation = &pb.Write_Update{Update: d}
			ok = a.knownDocument(d, item)
		case name == "delete" && made.Operation == nil:
			made.Operation = &pb.Write_Delete{Delete: a.keep(item.text)}
			ok = item.kind == jsonString
		case name == "updateMask" && made.UpdateMask == nil:
			made.UpdateMask, ok = a.knownMask(item)
		case name == "currentDocument" && made.CurrentDocument == nil:
			made.CurrentDocument, ok = knownExistence(item)
		}
		if !ok {
			return false
		}
	}
	if made.Operation == nil {
		return false
	}
	w.Operation, w.UpdateMask, w.CurrentDocument = made.Operation, made.UpdateMask, made.CurrentDocument
	return true
}

// knownMask converts a mask.
func (a *assigner) knownMask(n jsonNode) (*pb.DocumentMask, bool) {
	if n.kind != jsonObject || n.count != 1 {
		return nil, false
	}
	name, paths := n.member()
	if name != "fieldPaths" || paths.kind != jsonArray {
		return nil, false
	}
	m := &pb.DocumentMask{}
	for item := range paths.elements() {
		if item.kind != jsonString {
			return nil, false
		}
		m.FieldPaths = append(m.FieldPaths, a.keep(item.text))
	}
	return m, true
}

// knownExistence converts the precondition that a document exists or does not.
func knownExistence(n jsonNode) (*pb.Precondition, bool) {
	if n.kind != jsonObject || n.count != 1 {
		return nil, false
	}
	name, exists := n.member()
	if name != "exists" || exists.kind != jsonBool {
		return nil, false
	}
	return &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: exists.text == "true"}}, true
}

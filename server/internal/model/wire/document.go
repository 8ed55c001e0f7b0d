package wire

import (
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// FormatDocument formats a stored document. Times that are zero are omitted.
func FormatDocument(d *document.Document) *pb.Document {
	return &pb.Document{
		Name:       d.Name.String(),
		Fields:     FormatFields(d.Fields),
		CreateTime: formatTime(d.CreateTime),
		UpdateTime: formatTime(d.UpdateTime),
	}
}

// ParseMask parses a mask of fields. ok is false if there is no mask.
func ParseMask(m *pb.DocumentMask) (paths []value.FieldPath, ok bool, err error) {
	if m == nil {
		return nil, false, nil
	}
	for _, s := range m.GetFieldPaths() {
		path, err := ParsePath(s)
		if err != nil {
			return nil, false, err
		}
		paths = append(paths, path)
	}
	return paths, true, nil
}

// parseUpdateMask parses the mask of an update. ok is false if there is no mask. It may contain the document's name,
// although a write cannot change it.
func parseUpdateMask(m *pb.DocumentMask) (paths []value.FieldPath, ok bool, err error) {
	paths, ok, err = ParseMask(m)
	return slices.DeleteFunc(paths, value.FieldPath.IsName), ok, err
}

// ParseAnswerMask parses a mask of the fields of an answer's documents.
func ParseAnswerMask(m *pb.DocumentMask) (out query.Mask, err error) {
	out.Paths, out.Set, err = ParseMask(m)
	slices.SortFunc(out.Paths, value.FieldPath.Compare)
	return out, err
}

// ParsePath parses a field path. The path must not be empty. __name__ is the only reserved name that it may contain.
func ParsePath(s string) (value.FieldPath, error) {
	if s == "" {
		return nil, fault.E(fault.InvalidArgument, "Invalid empty property path string.")
	}
	path, err := value.ParseFieldPath(s)
	if err != nil || path.IsName() {
		return path, err
	}
	for i, name := range path {
		switch {
		case name == value.NamePath[0]:
			return nil, fault.E(fault.InvalidArgument, "the name __key__ is reserved")
		case document.IsReserved(name):
			return nil, fault.E(fault.InvalidArgument, "Invalid reserved name in field path %s", path[i:])
		}
	}
	return path, document.CheckPath(path)
}

// ParseDocumentName parses the name of a document in the given database.
func ParseDocumentName(db resource.Database, name string) (resource.Document, error) {
	d, err := resource.ParseDocument(name)
	if err != nil {
		return d, err
	}
	return d, inDatabase(db, d)
}

// inDatabase refuses a document of another database.
func inDatabase(db resource.Database, d resource.Document) error {
	if d.DB != db {
		return fault.E(fault.InvalidArgument,
			"The request was for database '%s' but was attempting to access database '%s'", db, d.DB)
	}
	return nil
}

// parseWrites parses the writes of one request to a database and validates each of them separately.
func parseWrites(db resource.Database, writes []*pb.Write, o orders) ([]document.Write, error) {
	out := make([]document.Write, len(writes))
	for i, w := range writes {
		var err error
		if out[i], err = parseWrite(db, w, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parseWrite parses and validates a write to a database.
func parseWrite(db resource.Database, w *pb.Write, o orders) (document.Write, error) {
	out, err := parseOperation(db, w, o)
	if err != nil {
		return out, err
	}
	if out.Precondition, err = ParsePrecondition(w.GetCurrentDocument()); err != nil {
		return out, err
	}
	if w.GetUpdateMask() != nil {
		if verb := verbOf(w); verb != "update" {
			return out, fault.E(fault.InvalidArgument, "a %s must not specify a document mask.", verb)
		}
		if out.Mask, out.HasMask, err = parseUpdateMask(w.GetUpdateMask()); err != nil {
			return out, err
		}
	}
	if verb := verbOf(w); verb == "transform" && len(w.GetUpdateTransforms()) > 0 {
		return out, fault.E(fault.InvalidArgument, "a transform must not specify a update transform.")
	}
	for _, t := range w.GetUpdateTransforms() {
		parsed, err := parseTransform(t, o)
		if err != nil {
			return out, err
		}
		out.Transforms = append(out.Transforms, parsed)
	}
	return out, document.Validate(out)
}

// parseOperation parses the operation and the document of a write.
func parseOperation(db resource.Database, w *pb.Write, o orders) (out document.Write, err error) {
	switch op := w.GetOperation().(type) {
	case *pb.Write_Update:
		if out.Name, err = ParseDocumentName(db, op.Update.GetName()); err != nil {
			return out, err
		}
		out.Fields, out.Layout, err = parseDocumentFields(op.Update, o)
		return out, err
	case *pb.Write_Delete:
		out.Op = document.Delete
		out.Name, err = ParseDocumentName(db, op.Delete)
		return out, err
	case *pb.Write_Verify:
		out.Op = document.Verify
		out.Name, err = ParseDocumentName(db, op.Verify)
		return out, err
	case *pb.Write_Transform:
		// A write with only transforms is an update with an empty mask: it changes no other fields.
		out.HasMask = true
		if out.Name, err = ParseDocumentName(db, op.Transform.GetDocument()); err != nil {
			return out, err
		}
		if len(op.Transform.GetFieldTransforms()) == 0 {
			return out, fault.E(fault.InvalidArgument, "The list of FieldTransform must not be empty.")
		}
		for _, t := range op.Transform.GetFieldTransforms() {
			parsed, err := parseTransform(t, o)
			if err != nil {
				return out, err
			}
			out.Transforms = append(out.Transforms, parsed)
		}
		return out, nil
	default:
		return out, fault.E(fault.InvalidArgument, "empty write operation")
	}
}

// verbOf returns the name of a write's operation in error texts.
func verbOf(w *pb.Write) string {
	switch w.GetOperation().(type) {
	case *pb.Write_Delete:
		return "delete"
	case *pb.Write_Verify:
		return "verify"
	case *pb.Write_Transform:
		return "transform"
	default:
		return "update"
	}
}

// ParsePrecondition parses a precondition. A nil precondition always holds.
func ParsePrecondition(p *pb.Precondition) (out document.Precondition, err error) {
	switch c := p.GetConditionType().(type) {
	case *pb.Precondition_Exists:
		out.Exists = &c.Exists
	case *pb.Precondition_UpdateTime:
		var v clock.Version
		v, err = parseBaseVersion(c.UpdateTime)
		out.UpdateTime = &v
	}
	return out, err
}

// parseBaseVersion parses the update time of a precondition.
func parseBaseVersion(t *timestamppb.Timestamp) (clock.Version, error) {
	switch v, err := ParseVersion(t); {
	case err != nil:
		return 0, err
	case t.GetNanos()%1000 != 0:
		return 0, fault.E(fault.InvalidArgument, "timestamp cannot have more than microseconds precision")
	case v < 0:
		return 0, fault.E(fault.InvalidArgument, "Only timestamps past epoch are supported.")
	default:
		return v, nil
	}
}

// parseTransform parses a transform. document.Validate checks whether its operand fits its kind.
func parseTransform(t *pb.DocumentTransform_FieldTransform, o orders) (out document.Transform, err error) {
	if out.Path, err = ParsePath(t.GetFieldPath()); err != nil {
		return out, err
	}
	switch x := t.GetTransformType().(type) {
	case *pb.DocumentTransform_FieldTransform_SetToServerValue:
		if x.SetToServerValue != pb.DocumentTransform_FieldTransform_REQUEST_TIME {
			return out, fault.E(fault.InvalidArgument, "ServerValue type must be specified for set_to_server_value transformation.")
		}
		out.Kind = document.RequestTime
	case *pb.DocumentTransform_FieldTransform_Increment:
		out.Kind = document.Increment
		out.Operand, err = ParseValue(x.Increment)
	case *pb.DocumentTransform_FieldTransform_Maximum:
		out.Kind = document.Maximum
		out.Operand, err = ParseValue(x.Maximum)
	case *pb.DocumentTransform_FieldTransform_Minimum:
		out.Kind = document.Minimum
		out.Operand, err = ParseValue(x.Minimum)
	case *pb.DocumentTransform_FieldTransform_AppendMissingElements:
		out.Kind = document.AppendMissing
		out.Operand, out.Layout, err = o.parseArray(x.AppendMissingElements.GetValues(), maxNesting)
	case *pb.DocumentTransform_FieldTransform_RemoveAllFromArray:
		out.Kind = document.RemoveAll
		out.Operand, _, err = o.parseArray(x.RemoveAllFromArray.GetValues(), maxNesting)
	default:
		return out, fault.E(fault.InvalidArgument, "Operation type must be specified for field transformation.")
	}
	return out, err
}

// FormatResult formats the result of a write.
func FormatResult(r document.Result) *pb.WriteResult {
	out := &pb.WriteResult{UpdateTime: formatTime(r.UpdateTime)}
	for _, v := range r.Transforms {
		out.TransformResults = append(out.TransformResults, FormatValue(v))
	}
	return out
}

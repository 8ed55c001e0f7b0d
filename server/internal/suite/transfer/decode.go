package transfer

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// maxNesting bounds the nesting of entities, above Firestore's own limit for maps.
const maxNesting = 32

// field is one field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	// bits holds integers and doubles.
	bits uint64
	// bytes holds bytes, and the content of a group.
	bytes []byte
}

// eachField calls yield with the fields of a message.
func eachField(b []byte, yield func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		f := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			f.bits, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.bits, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		case protowire.StartGroupType:
			f.bytes, n = protowire.ConsumeGroup(number, b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := yield(f); err != nil {
			return err
		}
	}
	return nil
}

// decodeDocument returns the write that makes a document of a database from an entity. The project and the database of
// the entity are ignored. It returns InvalidArgument for a document that Firestore would not store, with its name, and
// DataLoss for bytes that are not an entity.
func decodeDocument(db resource.Database, entity []byte) (document.Write, error) {
	d := decoder{project: db.Project}
	path, fields, layout, err := d.entity(entity, 0)
	if err != nil {
		return document.Write{}, fault.Wrap(err, fault.DataLoss, "an entity cannot be read: %v", err)
	}
	given := resource.Document{DB: db, Path: path}
	name, err := resource.ParseDocument(given.String())
	if err != nil {
		return document.Write{Name: given}, err
	}
	w := document.Write{Name: name, Fields: fields, Layout: value.LayoutOf(layout)}
	if err := document.Validate(w); err != nil {
		return w, fault.Wrap(err, fault.CodeOf(err), "%s: %s", path, fault.FromError(err).Message)
	}
	return w, nil
}

// decoder decodes entities.
type decoder struct {
	// project is the project of references that do not name one.
	project string
}

// entity returns the path and the properties of an entity, and their order.
func (d decoder) entity(b []byte, depth int) (path string, fields value.Map, layout *value.Branch, err error) {
	if depth > maxNesting {
		return "", nil, nil, fmt.Errorf("maps are nested more than %d deep", maxNesting)
	}
	to := properties{fields: make(value.Map), vectors: make(map[string][]float64), items: make(map[string]value.Items)}
	err = eachField(b, func(f field) error {
		switch f.number {
		case entityKey:
			key, err := pathOfKey(f.bytes)
			path = key
			return err
		case entityIndexed, entityRaw:
			p, err := d.property(f.bytes, depth)
			if err != nil {
				return err
			}
			return to.put(p)
		}
		return nil
	})
	for name, numbers := range to.vectors {
		to.fields[name] = value.Vector(numbers...)
	}
	return path, to.fields, to.filler.Branch(to.fields), err
}

// properties are the properties of an entity.
type properties struct {
	fields value.Map
	filler value.Filler // of fields
	// vectors are the numbers of vectors, which come one by one, and items the layouts of arrays, whose items do.
	vectors map[string][]float64
	items   map[string]value.Items
}

// pathOfKey returns the path in the key of an entity.
func pathOfKey(b []byte) (path string, err error) {
	err = eachField(b, func(f field) error {
		if f.number != keyPath {
			return nil
		}
		var err error
		path, err = decodePath(f.bytes, pathElement, elementKind, elementID, elementName)
		return err
	})
	return path, err
}

// property is a value of an entity, or one item of an array.
type property struct {
	name     string
	meaning  int64
	multiple bool
	value    value.Value
	layout   *value.Branch // of the value
}

// put adds a property to the fields, or to the array or vector of its name there.
func (to *properties) put(p property) error {
	old := to.fields[p.name]
	switch {
	case p.meaning == meaningVector:
		n, ok := p.value.(value.Double)
		if !ok {
			return fmt.Errorf("%s: a vector has a member that is not a number", p.name)
		}
		to.vectors[p.name] = append(to.vectors[p.name], float64(n))
		to.filler.Put(to.fields, p.name, old, nil) // The caller puts the whole vector in its place.
	case p.meaning == meaningEmptyList:
		to.filler.Put(to.fields, p.name, value.Array{}, nil)
	case p.multiple:
		list, ok := old.(value.Array)
		if old != nil && !ok {
			return fmt.Errorf("%s: it has several values and is not an array", p.name)
		}
		items := to.items[p.name]
		if items.Put(len(list), p.layout); items != nil {
			to.items[p.name] = items
		}
		to.filler.Put(to.fields, p.name, append(list, p.value), items.Branch())
	case old != nil:
		return fmt.Errorf("%s: it has several values and is not an array", p.name)
	default:
		to.filler.Put(to.fields, p.name, p.value, p.layout)
	}
	return nil
}

// property decodes a Property.
func (d decoder) property(b []byte, depth int) (p property, err error) {
	var encoded []byte
	err = eachField(b, func(f field) error {
		switch f.number {
		case propMeaning:
			p.meaning = int64(f.bits)
		case propName:
			p.name = string(f.bytes)
		case propMultiple:
			p.multiple = f.bits != 0
		case propValue:
			encoded = f.bytes
		}
		return nil
	})
	if err == nil && p.meaning != meaningEmptyList {
		p.value, p.layout, err = d.value(encoded, p.meaning, depth)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", p.name, err)
	}
	return p, nil
}

// value decodes a PropertyValue; one without any field is null. layout is that of a map.
func (d decoder) value(b []byte, meaning int64, depth int) (v value.Value, layout *value.Branch, err error) {
	v = value.Null{}
	// Datastore has fewer kinds than Firestore: a moment is an integer, bytes and maps are strings. The meaning of the
	// property distinguishes them.
	err = eachField(b, func(f field) error {
		switch f.number {
		case valueInt:
			v = value.Int(int64(f.bits))
			if meaning == meaningTime {
				v = timestamp(int64(f.bits))
			}
		case valueBool:
			v = value.Bool(f.bits != 0)
		case valueDouble:
			v = value.Double(math.Float64frombits(f.bits))
		case valueString:
			switch meaning {
			case meaningBlob, meaningBytes:
				v = value.Bytes(f.bytes)
			case meaningMap:
				_, fields, inner, err := d.entity(f.bytes, depth+1)
				v, layout = fields, inner
				return err
			default:
				v = value.String(f.bytes)
			}
		case valuePoint:
			v, err = decodePoint(f.bytes)
		case valueReference:
			v, err = d.reference(f.bytes)
		default:
			return fmt.Errorf("it has a value of a kind (%d) that Firestore does not have", f.number)
		}
		return err
	})
	return v, layout, err
}

// timestamp returns the timestamp for a number of microseconds since the Unix epoch.
func timestamp(micros int64) value.Timestamp {
	seconds := micros / 1e6
	if micros%1e6 < 0 {
		seconds--
	}
	return value.Timestamp{Seconds: seconds, Nanos: int32(micros-seconds*1e6) * 1000}
}

// decodePoint decodes a place.
func decodePoint(b []byte) (value.Value, error) {
	var p value.GeoPoint
	err := eachField(b, func(f field) error {
		switch f.number {
		case pointX:
			p.Lat = math.Float64frombits(f.bits)
		case pointY:
			p.Lng = math.Float64frombits(f.bits)
		}
		return nil
	})
	return p, err
}

// reference decodes the name of a document.
func (d decoder) reference(b []byte) (value.Value, error) {
	db := resource.Database{Project: d.project, ID: resource.DefaultDatabase}
	err := eachField(b, func(f field) error {
		switch {
		case f.number == refApp && len(f.bytes) > 0:
			db.Project = string(f.bytes)
			if _, project, ok := strings.Cut(db.Project, "~"); ok {
				db.Project = project // The location precedes it.
			}
		case f.number == refDatabase && len(f.bytes) > 0:
			db.ID = string(f.bytes)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	path, err := decodePath(b, refElement, refKind, refID, refName)
	if err != nil {
		return nil, err
	}
	name, err := resource.ParseReference(resource.Document{DB: db, Path: path}.String())
	return value.Reference(name.String()), err
}

// decodePath returns the path whose elements are the groups of a message.
func decodePath(b []byte, element, kind, id, name protowire.Number) (string, error) {
	var path []string
	err := eachField(b, func(f field) error {
		if f.number != element {
			return nil
		}
		var collection, document string
		err := eachField(f.bytes, func(f field) error {
			switch f.number {
			case kind:
				collection = string(f.bytes)
			case id:
				document = fmt.Sprintf("__id%d__", int64(f.bits))
			case name:
				document = string(f.bytes)
			}
			return nil
		})
		if strings.Contains(collection, "/") || strings.Contains(document, "/") {
			return fmt.Errorf("the name %q holds a slash", collection+" "+document)
		}
		path = append(path, collection, document)
		return err
	})
	return strings.Join(path, "/"), err
}

package transfer

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// The fields of EntityProto.
const (
	entityKey      = 13
	entityIndexed  = 14 // Property, indexed
	entityRaw      = 15 // Property, not indexed
	entityGroup    = 16 // Path of the root
	keyApp         = 13
	keyPath        = 14
	keyDatabase    = 23
	pathElement    = 1 // a group
	elementKind    = 2
	elementID      = 3
	elementName    = 4
	propMeaning    = 1
	propName       = 3
	propMultiple   = 4
	propValue      = 5
	valueInt       = 1
	valueBool      = 2
	valueString    = 3
	valueDouble    = 4
	valuePoint     = 5  // a group
	pointX         = 6  // latitude
	pointY         = 7  // longitude
	valueReference = 12 // a group
	refApp         = 13
	refElement     = 14 // a group
	refKind        = 15
	refID          = 16
	refName        = 17
	refDatabase    = 23
)

// The meanings of a Property: how its value is interpreted.
const (
	meaningTime      = 7 // microseconds since the Unix epoch
	meaningPoint     = 9
	meaningBlob      = 14
	meaningBytes     = 16
	meaningMap       = 19 // an entity without key
	meaningEmptyList = 24
	meaningVector    = 31 // with multiple: its numbers
)

// appPrefix comes before a project's id where the emulator writes one.
const appPrefix = "dev~"

// appendDocument appends a document as an entity.
func appendDocument(b []byte, d *document.Document) []byte {
	path := appendPath(nil, d.Name.Path)
	key := appendBytes(appendText(nil, keyApp, appPrefix+d.Name.DB.Project), keyPath, path)
	if d.Name.DB.ID != resource.DefaultDatabase {
		key = appendText(key, keyDatabase, d.Name.DB.ID)
	}
	b = appendBytes(b, entityKey, key)
	b = appendFields(b, d.Fields, d.Layout.Branch(d.Fields))
	root := strings.SplitN(d.Name.Path, "/", 3)
	return appendBytes(b, entityGroup, appendPath(nil, root[0]+"/"+root[1]))
}

// appendPath appends the elements of a document's path.
func appendPath(b []byte, path string) []byte {
	segments := strings.Split(path, "/")
	for i := 0; i+1 < len(segments); i += 2 {
		b = protowire.AppendTag(b, pathElement, protowire.StartGroupType)
		b = appendText(b, elementKind, segments[i])
		b = appendID(b, segments[i+1], elementID, elementName)
		b = protowire.AppendTag(b, pathElement, protowire.EndGroupType)
	}
	return b
}

// appendID appends a document's id: as a number if it has the form __id7__, and otherwise as a name.
func appendID(b []byte, id string, number, name protowire.Number) []byte {
	if n, ok := resource.NumericID(id); ok {
		return appendInt(b, number, n)
	}
	return appendText(b, name, id)
}

// appendFields appends a map's members as properties, in the order of its layout.
func appendFields(b []byte, fields value.Map, layout *value.Branch) []byte {
	for _, name := range layout.Names(fields) {
		v, inner := fields[name], layout.At(value.FieldPath{name})
		if list, ok := v.(value.Array); ok && len(list) > 0 {
			for i, item := range list {
				b = appendProperty(b, name, item, inner.Item(i), true)
			}
			continue
		}
		if m, ok := v.(value.Map); ok {
			if numbers, ok := value.AsVector(m); ok && len(numbers) > 0 {
				for _, n := range numbers {
					b = appendBytes(b, entityRaw, appendPropertyOf(nil, meaningVector, name, true, appendDouble(nil, valueDouble, n)))
				}
				continue
			}
		}
		b = appendProperty(b, name, v, inner, false)
	}
	return b
}

// appendProperty appends a value under its name; multiple marks the items of an array.
func appendProperty(b []byte, name string, v value.Value, layout *value.Branch, multiple bool) []byte {
	meaning, encoded := encodeValue(v, layout)
	field := protowire.Number(entityRaw)
	if meaning == meaningEmptyList {
		field = entityIndexed
	}
	return appendBytes(b, field, appendPropertyOf(nil, meaning, name, multiple, encoded))
}

// appendPropertyOf appends the fields of a Property.
func appendPropertyOf(b []byte, meaning int64, name string, multiple bool, encoded []byte) []byte {
	if meaning != 0 {
		b = appendInt(b, propMeaning, meaning)
	}
	b = appendText(b, propName, name)
	b = appendInt(b, propMultiple, protowireBool(multiple))
	return appendBytes(b, propValue, encoded)
}

// encodeValue returns a value that is neither a vector nor an array with items, as a PropertyValue, and its meaning.
func encodeValue(v value.Value, layout *value.Branch) (meaning int64, encoded []byte) {
	switch v := v.(type) {
	case value.Null:
		return 0, nil
	case value.Bool:
		return 0, appendInt(nil, valueBool, protowireBool(bool(v)))
	case value.Int:
		return 0, appendInt(nil, valueInt, int64(v))
	case value.Double:
		return 0, appendDouble(nil, valueDouble, float64(v))
	case value.Timestamp:
		return meaningTime, appendInt(nil, valueInt, v.Seconds*1e6+int64(v.Nanos)/1e3)
	case value.String:
		return 0, appendText(nil, valueString, string(v))
	case value.Bytes:
		return meaningBlob, appendText(nil, valueString, string(v))
	case value.Reference:
		return 0, appendReference(nil, string(v))
	case value.GeoPoint:
		b := protowire.AppendTag(nil, valuePoint, protowire.StartGroupType)
		b = appendDouble(appendDouble(b, pointX, v.Lat), pointY, v.Lng)
		return meaningPoint, protowire.AppendTag(b, valuePoint, protowire.EndGroupType)
	case value.Array:
		// An array with items is several properties of one name (appendFields): only an empty one comes here.
		return meaningEmptyList, nil
	case value.Map:
		entity := appendBytes(nil, entityKey, appendBytes(appendText(nil, keyApp, ""), keyPath, nil))
		entity = appendBytes(appendFields(entity, v, layout), entityGroup, nil)
		return meaningMap, appendBytes(nil, valueString, entity)
	}
	panic(fmt.Sprintf("transfer: value of kind %T", v))
}

// appendReference appends a document's full name, which must be valid.
func appendReference(b []byte, name string) []byte {
	d, err := resource.ParseReference(name)
	if err != nil {
		return appendText(b, valueString, name) // references are checked when they are written
	}
	b = protowire.AppendTag(b, valueReference, protowire.StartGroupType)
	b = appendText(b, refApp, appPrefix+d.DB.Project)
	segments := strings.Split(d.Path, "/")
	for i := 0; i+1 < len(segments); i += 2 {
		b = protowire.AppendTag(b, refElement, protowire.StartGroupType)
		b = appendText(b, refKind, segments[i])
		b = appendID(b, segments[i+1], refID, refName)
		b = protowire.AppendTag(b, refElement, protowire.EndGroupType)
	}
	if d.DB.ID != resource.DefaultDatabase {
		b = appendText(b, refDatabase, d.DB.ID)
	}
	return protowire.AppendTag(b, valueReference, protowire.EndGroupType)
}

// appendText appends a field of text.
func appendText(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendBytes appends a field of bytes.
func appendBytes(b []byte, field protowire.Number, s []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), s)
}

// appendInt appends a field of an integer.
func appendInt(b []byte, field protowire.Number, n int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
}

// appendDouble appends a field of a double.
func appendDouble(b []byte, field protowire.Number, f float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(f))
}

// protowireBool returns the varint of a boolean.
func protowireBool(yes bool) int64 { return int64(protowire.EncodeBool(yes)) }

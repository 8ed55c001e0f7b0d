package document_test

import (
	"math"
	"strings"
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/value"
)

// deep returns a map with n nested maps.
func deep(n int) value.Value {
	v := value.Value(value.Int(1))
	for range n {
		v = value.Map{"a": v}
	}
	return v
}

func TestValidate(t *testing.T) {
	long := strings.Repeat("x", 1_048_488)
	transforms := make([]document.Transform, 501)
	for i := range transforms {
		transforms[i] = document.Transform{Path: value.FieldPath{"f"}, Kind: document.RequestTime}
	}
	tests := []struct {
		name string
		w    document.Write
		want string // "" means no error
	}{
		{"plain", document.Write{Fields: value.Map{"a": value.Int(1), "a.b": value.Int(2), "é": value.Null{}}}, ""},
		{"empty name", document.Write{Fields: value.Map{"": value.Int(1)}}, "The property.name is the empty string."},
		{"reserved name", document.Write{Fields: value.Map{"__id__": value.Int(1)}}, "field name __id__ is reserved"},
		{"a type of BSON with more", document.Write{Fields: value.Map{"a": value.Map{"__oid__": value.String("x"), "b": value.Int(1)}}}, "field name __oid__ is reserved"},
		{"reserved name inside", document.Write{Fields: value.Map{"a": value.Array{value.Map{"__id__": value.Int(1)}}}}, "field name __id__ is reserved"},
		{"a vector's own names", document.Write{Fields: value.Map{"a": value.Vector(1, 2)}}, ""},
		{"nested arrays", document.Write{Fields: value.Map{"a": value.Array{value.Array{}}}}, "Nested arrays are not allowed"},
		{"array in map in array", document.Write{Fields: value.Map{"a": value.Array{value.Map{"b": value.Array{}}}}}, ""},
		{"longest text", document.Write{Fields: value.Map{"s": value.String(long[1:])}}, ""},
		{"longer text", document.Write{Fields: value.Map{"s": value.String(long)}}, `The value of property "s" is longer than 1048487 bytes.`},
		{"20 levels", document.Write{Fields: value.Map{"a": deep(20)}}, ""},
		{"21 levels", document.Write{Fields: value.Map{"a": deep(21)}}, "Property a contains an invalid nested entity."},
		{"longer text in a list", document.Write{Fields: value.Map{"s": value.Array{value.String(long)}}}, `The value of property "s" is longer than 1048487 bytes.`},
		{"longer text in a map", document.Write{Fields: value.Map{"s": value.Map{"t": value.String(long)}}}, "Property s contains an invalid nested entity."},
		{"longest path", document.Write{Fields: value.Map{"m": value.Map{long[:749]: value.Map{long[:748]: value.Int(1)}}}}, ""},
		{"longer path", document.Write{Fields: value.Map{"m": value.Map{long[:749]: value.Map{long[:749]: value.Int(1)}}}}, "Property m contains an invalid nested entity."},
		{"longer path through a list", document.Write{Fields: value.Map{"m": value.Array{value.Map{long[:749]: value.Map{long[:749]: value.Map{}}}}}}, "Property m contains an invalid nested entity."},
		{"a vector and more", document.Write{Fields: value.Map{"v": value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Double(1)}, "x": value.Null{}}}}, "Vector Value map has extraneous entries."},
		{"a vector of a text", document.Write{Fields: value.Map{"v": value.Map{"__type__": value.String("__vector__"), "value": value.String("x")}}}, "Vector Value type must be an array."},
		{"latitude", document.Write{Fields: value.Map{"g": value.GeoPoint{Lat: 91}}}, "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."},
		{"longitude", document.Write{Fields: value.Map{"g": value.GeoPoint{Lng: -180.5}}}, "Geo point longitude '-180.5' outside permitted range -180.0 to 180.0."},
		{"reserved path", document.Write{HasMask: true, Mask: []value.FieldPath{{"a", "__x__"}}}, "Invalid reserved name in field path __x__"},
		{"increment by a text", document.Write{Transforms: []document.Transform{{Path: value.FieldPath{"a"}, Kind: document.Increment, Operand: value.String("1")}}}, "Input must be a number."},
		{"too many transforms", document.Write{Transforms: transforms}, "cannot have more than 500 field transforms on a single document"},
		{"500 transforms", document.Write{Transforms: transforms[:500]}, ""},
		{"delete with transform", document.Write{Op: document.Delete, Transforms: transforms[:1]}, "a delete must not specify a update transform."},
		{"verify of nothing", document.Write{Op: document.Verify}, "a verify must contain a precondition"},
		{"too many dimensions", document.Write{Fields: value.Map{"v": value.Vector(make([]float64, 2049)...)}}, "Vectors must be at most 2048 dimensions."},
		{"a vector of no numbers", document.Write{Fields: value.Map{"v": value.Vector(1, math.NaN())}}, "Vector cannot contain NaN values."},
		{"a vector in an array", document.Write{Fields: value.Map{"v": value.Array{value.Vector(1)}}}, "Cannot convert a vector value in an array value."},
		{"a vector in a map in an array", document.Write{Fields: value.Map{"v": value.Array{value.Map{"m": value.Vector(1)}}}}, ""},
		{
			"transforms of a field and inside it",
			document.Write{HasMask: true, Transforms: []document.Transform{
				{Path: value.FieldPath{"a", "b"}, Kind: document.RequestTime}, {Path: value.FieldPath{"a"}, Kind: document.RequestTime},
			}},
			"Cannot transform property a and its nested property at the same time.",
		},
		{
			"transforms of one field twice and of another that begins alike",
			document.Write{HasMask: true, Transforms: []document.Transform{
				{Path: value.FieldPath{"a"}, Kind: document.RequestTime}, {Path: value.FieldPath{"a"}, Kind: document.RequestTime},
				{Path: value.FieldPath{"ab", "c"}, Kind: document.RequestTime},
			}},
			"",
		},
		{"removing an array from an array", document.Write{HasMask: true, Transforms: []document.Transform{
			{Path: value.FieldPath{"a"}, Kind: document.RemoveAll, Operand: value.Array{value.Array{value.Int(1)}}},
		}}, ""},
		{"no dimensions", document.Write{Fields: value.Map{"v": value.Vector()}}, "Cannot have a zero length vector."},
		{"a vector of integers", document.Write{Fields: value.Map{"v": value.Map{"__type__": value.String("__vector__"), "value": value.Array{value.Int(1)}}}}, "Vector must only contain values of type 'double'"},
		{"four underscores", document.Write{Fields: value.Map{"____": value.Int(1)}}, ""},
		{"not UTF-8", document.Write{Fields: value.Map{"v": value.String("\xff")}}, `The value of property "v" is not valid UTF-8.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.w.Name = name
			err := document.Validate(tt.w)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Validate = %v, want nil", err)
				}
				return
			}
			if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
				t.Errorf("Validate = %v, want InvalidArgument %q", err, tt.want)
			}
		})
	}
}

func TestCombine(t *testing.T) {
	yes, no := true, false
	exists, absent := document.Precondition{Exists: &yes}, document.Precondition{Exists: &no}
	seven := clock.Version(7)
	version := document.Precondition{UpdateTime: &seven}
	set := func(p document.Precondition) document.Write { return document.Write{Name: name, Precondition: p} }
	del := func(p document.Precondition) document.Write {
		return document.Write{Op: document.Delete, Name: name, Precondition: p}
	}
	verify := document.Write{Op: document.Verify, Name: name, Precondition: exists}
	none := document.Precondition{}
	tests := []struct {
		name   string
		writes []document.Write
		want   string // "" means no error
	}{
		{"set, set", []document.Write{set(none), set(exists)}, ""},
		{"set, create", []document.Write{set(none), set(absent)}, "Cannot upsert then insert an entity in the same request."},
		{"create, delete if absent", []document.Write{set(absent), del(absent)}, "Cannot insert then delete an entity in the same request."},
		{"update, create", []document.Write{set(version), set(absent)}, "Cannot update then insert an entity in the same request."},
		{"delete, update", []document.Write{del(none), set(exists)}, "Cannot delete then update an entity in the same request."},
		{"delete, set", []document.Write{del(none), set(none)}, ""},
		{"delete, create", []document.Write{del(exists), set(absent)}, ""},
		{"delete, delete", []document.Write{del(none), del(none)}, ""},
		{"delete, delete if exists", []document.Write{del(none), del(exists)}, "Cannot delete then delete an entity in the same request."},
		{"one version twice", []document.Write{set(version), set(version)}, ""},
		{
			"version later", []document.Write{set(none), set(version)},
			"Cannot collapse mutations with different version preconditions (null and VersionPrecondition{exactBaseVersion=7, maxBaseVersion=null})",
		},
		{"verify, verify", []document.Write{verify, verify}, "the same document cannot be verified more than once in a single request"},
		{"verify, set", []document.Write{verify, set(none)}, "the same document cannot be verified and then written in a single request"},
		{"set, verify", []document.Write{set(none), verify}, "the same document cannot be written and then verified in a single request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := document.Combine(tt.writes)
			if tt.want != "" {
				if !fault.Is(err, fault.InvalidArgument) || fault.FromError(err).Message != tt.want {
					t.Errorf("Together = %v, want InvalidArgument %q", err, tt.want)
				}
				return
			}
			if err != nil || got[0].Precondition != tt.writes[0].Precondition || !got[1].Precondition.None() {
				t.Errorf("Together = %+v, %v; want the first precondition kept, the second dropped", got, err)
			}
		})
	}
}

// TestTypesOfBSON checks that documents with values of these types are refused by their names.
func TestTypesOfBSON(t *testing.T) {
	for _, v := range []value.Value{value.Map{"__oid__": value.String("x")}, value.Array{value.Map{"k": value.Map{"__oid__": value.Null{}}}}} {
		err := document.Validate(document.Write{Fields: value.Map{"a": v}})
		if !fault.Is(err, fault.Unimplemented) || err.Error() != "UNIMPLEMENTED: The type ObjectId is not implemented." {
			t.Errorf("Validate(%v) = %v, want Unimplemented with the name of the type", v, err)
		}
	}
}

package document

import (
	"maps"
	"slices"

	"clave/server/internal/base/fault"
)

// unbuiltTypes are the types of BSON, which the SDKs send as maps with one member, by its name.
var unbuiltTypes = map[string]string{
	"__binary__": "Binary", "__decimal128__": "Decimal128", "__int__": "Int32", "__max__": "MaxKey", "__min__": "MinKey", "__oid__": "ObjectId",
	"__regex__": "Regex", "__request_timestamp__": "Timestamp of BSON",
}

// CheckBuilt returns Unimplemented for a member of a map with a number of members if the map is of a type of BSON.
func CheckBuilt(name string, members int) error {
	if kind, ok := unbuiltTypes[name]; ok && members == 1 {
		return fault.E(fault.Unimplemented, "The type %s is not implemented.", kind)
	}
	return nil
}

// UnbuiltTypes returns the names of the types of BSON, none of which is implemented.
func UnbuiltTypes() []string { return slices.Sorted(maps.Values(unbuiltTypes)) }

package sdk

import "strings"

// compatDifferences lists the ways in which production, and therefore Clave, differs from the official emulator.
var compatDifferences = []struct {
	name string
	is   func(r compatRequest, ours, theirs compatAnswer) bool
}{
	{
		"two ARRAY_CONTAINS are INVALID_ARGUMENT, not FAILED_PRECONDITION",
		func(_ compatRequest, ours, theirs compatAnswer) bool {
			return ours.code == "INVALID_ARGUMENT" && theirs.code == "FAILED_PRECONDITION" &&
				theirs.message == "Only a single array-contains clause is allowed in a query"
		},
	},
	{
		"a listing that shows what is missing keeps its mask",
		func(r compatRequest, ours, theirs compatAnswer) bool {
			return strings.Contains(r.path, "showMissing=true") && strings.Contains(r.path, "mask.fieldPaths") && ours.status == 200 && theirs.status == 200
		},
	},
	{
		"orders by __name__ descending are served",
		func(_ compatRequest, ours, theirs compatAnswer) bool {
			return ours.status == 200 && theirs.code == "FAILED_PRECONDITION" &&
				theirs.message == "Firestore does not support descending key scans"
		},
	},
}

package e2e

// compatDifferences are the ways in which production, and so Clave, differs from the official emulator.
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
		"orders by __name__ descending are served",
		func(_ compatRequest, ours, theirs compatAnswer) bool {
			return ours.status == 200 && theirs.code == "FAILED_PRECONDITION" &&
				theirs.message == "Firestore does not support descending key scans"
		},
	},
}

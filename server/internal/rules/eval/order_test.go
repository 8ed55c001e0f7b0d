package eval_test

import (
	"context"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// orderedDocument returns a document with the fields z, n and a in this order, whose values are 1, {y: 2, x: 3} and
// [{d: 4, c: 5}].
func orderedDocument(path string) *document.Document {
	fill := func(names []string, values []value.Value, inner []*value.Branch) (value.Map, *value.Branch) {
		m := value.Map{}
		var f value.Filler
		for i, name := range names {
			f.Put(m, name, values[i], inner[i])
		}
		return m, f.Branch(m)
	}
	none := make([]*value.Branch, 2)
	n, nBranch := fill([]string{"y", "x"}, []value.Value{value.Int(2), value.Int(3)}, none)
	item, itemBranch := fill([]string{"d", "c"}, []value.Value{value.Int(4), value.Int(5)}, none)
	list, listBranch := value.Array{item}, value.Items{0: itemBranch}.Branch()
	d := stored(path, nil)
	fields, branch := fill([]string{"z", "n", "a"}, []value.Value{value.Int(1), n, list}, []*value.Branch{nil, nBranch, listBranch})
	d.Fields, d.Layout = fields, value.LayoutOf(branch)
	return d
}

// orderedDocuments is a rules.Reader whose documents are all ordered ones.
type orderedDocuments struct{}

// Lookup implements rules.Reader.
func (orderedDocuments) Lookup(_ context.Context, name resource.Document, _ bool) (*document.Document, error) {
	return orderedDocument(name.Path), nil
}

func TestValuesAreInTheOrderOfTheWriter(t *testing.T) {
	const other = "get(/databases/$(db)/documents/c/other).data"
	sorted := stored("t/x", value.Map{"b": value.Int(2), "a": value.Int(1)})
	for _, c := range []struct {
		cond          string
		before, after *document.Document
	}{
		{"request.resource.data.values() == [1, {'x': 3, 'y': 2}, [{'c': 5, 'd': 4}]]", nil, orderedDocument("t/x")},
		{"request.resource.data.n.values() == [2, 3] && request.resource.data.a[0].values() == [4, 5]", nil, orderedDocument("t/x")},
		{"resource.data.values()[0] == 1 && request.resource.data.values() == [1, 2]", orderedDocument("t/x"), sorted},
		{"resource.data.keys() == ['a', 'n', 'z']", orderedDocument("t/x"), sorted},
		{other + ".values()[0] == 1 && " + other + ".n.values() == [2, 3]", nil, sorted},
		// The document is looked up after the first values().
		{"request.resource.data.values() == [1, 2] && " + other + ".values()[0] == 1", nil, sorted},
		{"getAfter(/databases/$(db)/documents/t/written).data.values()[0] == 1", nil, sorted},
		{"{'b': 1, 'a': 2}.values() == [1, 2] && {'a': 1, 'b': 2}.values() == [1, 2]", nil, sorted},
		{"request.resource.data.get('n', {}).values() == [2, 3]", nil, orderedDocument("t/x")},
		{"resource.values() == [resource.data, resource.__name__, 'x']", sorted, sorted},
	} {
		if d := write(t, c.cond, c.before, c.after, nil, orderedDocuments{}); !d.Allowed {
			t.Errorf("%s: %s", c.cond, d.Denial())
		}
	}
}

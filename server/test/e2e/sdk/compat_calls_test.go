package sdk

import (
	"fmt"
	"net/url"
	"strings"

	"clave/server/test/e2e/harness"
)

// scope sometimes changes the scope of a query: to collections under a document, a collection group, or all
// collections.
func (g *compatGenerator) scope(q harness.Object) (parent string) {
	switch g.rand.IntN(12) {
	case 0:
		q["from"] = []any{}
	case 1:
		q["from"] = []any{harness.Object{"allDescendants": true}}
	case 2, 3:
		parent = pick(g.rand, "/c/a", "/b/z")
	}
	if g.rand.IntN(6) == 0 {
		q["offset"] = g.rand.IntN(4)
	}
	return parent
}

// listing returns a request that lists a page of a collection.
func (g *compatGenerator) listing() compatRequest {
	params := url.Values{}
	if g.rand.IntN(2) == 0 {
		params.Set("pageSize", fmt.Sprint(g.rand.IntN(7)))
	}
	if g.rand.IntN(3) == 0 {
		params.Set("showMissing", pick(g.rand, "true", "false"))
	}
	if g.rand.IntN(2) == 0 {
		params.Set("orderBy", pick(g.rand, "n", "n desc", "v, n", "tags desc,n", "v.x", "`v`", "n desc desc", "n,", "__name__", "__x__", "a..b", "n sideways"))
	}
	for range g.rand.IntN(3) {
		params.Add("mask.fieldPaths", pick(g.rand, "n", "v", "v.x", "missing", "`tags`", "__name__", "__x__", "a..b"))
	}
	path := pick(g.rand, "/c", "/c", "/c/a/c", "/b", "/none", "/c/none/c")
	return compatRequest{method: "GET", path: path + "?" + strings.ReplaceAll(params.Encode(), "+", "%20")}
}

// lookup returns a request for several documents. Firestore does not define their order.
func (g *compatGenerator) lookup() compatRequest {
	var names []any
	for range g.rand.IntN(5) {
		names = append(names, g.docs()+"/c/"+pick(g.rand, "a", "b", "c", "d21", "none", "é", "__id7__"))
	}
	body := harness.Object{"documents": names}
	if g.rand.IntN(3) == 0 {
		body["mask"] = harness.Object{"fieldPaths": []any{pick(g.rand, "n", "v.x", "__name__", "a..b", "a.__name__")}}
	}
	return compatRequest{method: "POST", path: ":batchGet", body: body, anyOrder: true}
}

// nearest returns a nearest-neighbour query.
func (g *compatGenerator) nearest() compatRequest {
	near := harness.Object{
		"vectorField":     harness.Object{"fieldPath": pick(g.rand, "v", "v", "w", "n", "missing")},
		"queryVector":     pick(g.rand, g.vector(), g.vector(), g.vector(), g.scalar()),
		"distanceMeasure": pick(g.rand, "EUCLIDEAN", "COSINE", "DOT_PRODUCT", "DISTANCE_MEASURE_UNSPECIFIED"),
		"limit":           pick(g.rand, 1, 3, 10, 1000, 1001, 0, -1),
	}
	if g.rand.IntN(2) == 0 {
		near["distanceResultField"] = pick(g.rand, "distance", "n", "a.b", "__x__")
	}
	if g.rand.IntN(3) == 0 {
		near["distanceThreshold"] = pick[any](g.rand, 0, 1, 0.5, -1, "NaN")
	}
	q := harness.Object{"from": []any{harness.Object{"collectionId": "c"}}, "findNearest": near}
	switch g.rand.IntN(5) {
	case 0:
		q["where"] = g.leaf()
	case 1:
		q["limit"] = 2
	case 2:
		q["offset"] = g.rand.IntN(2)
	}
	return compatRequest{method: "POST", path: ":runQuery", body: harness.Object{"structuredQuery": q}}
}

// badNames lists document names that are invalid, or valid but unusual.
var badNames = []string{
	"", "c", "c/d/e", "c/.", "c/..", "./d", "c//d", "c/d/", "c/__x__", "__c__/d", "c/__id5__", "c/__id0__", "c/__id05__", "c/__id9223372036854775808__",
	"c/a%2Fb", "c/ ", "c/__a", "c/" + strings.Repeat("x", 1500), "c/" + strings.Repeat("x", 1501), strings.Repeat("x", 1501) + "/d",
	strings.Repeat("c/d/", 100) + "c/d",
}

// badPaths lists field paths that are invalid, or valid but unusual.
var badPaths = []string{"", "a..b", ".a", "a.", "1a", "a-b", "`a", "``", "`a-b`", "__x__", "a.__x__", "__name__", "__name__.a", "a.__name__", strings.Repeat("x", 1501)}

// badValues lists values that are invalid, or valid but unusual.
var badValues = []any{
	harness.Object{}, nil, 5, "x", []any{}, harness.Object{"integerValue": 5}, harness.Object{"integerValue": 5.5}, harness.Object{"integerValue": "x"}, harness.Object{"integerValue": "9223372036854775808"},
	harness.Object{"doubleValue": "1.5"}, harness.Object{"doubleValue": "x"}, harness.Object{"booleanValue": "true"}, harness.Object{"booleanValue": 1}, harness.Object{"bytesValue": "!"}, harness.Object{"bytesValue": "_-8"},
	harness.Object{"timestampValue": "x"}, harness.Object{"timestampValue": "2020-01-01"}, harness.Object{"timestampValue": "9999-12-31T23:59:59.999999999Z"}, harness.Object{"timestampValue": "10000-01-01T00:00:00Z"},
	harness.Object{"referenceValue": "x"}, harness.Object{"referenceValue": "projects/o/databases/d/documents/a/b"}, harness.Object{"geoPointValue": harness.Object{}}, harness.Object{"geoPointValue": harness.Object{"latitude": 90.5}},
	harness.Object{"geoPointValue": harness.Object{"longitude": -181}}, harness.Object{"arrayValue": harness.Object{}}, harness.Object{"arrayValue": harness.Object{"values": []any{harness.Object{"arrayValue": harness.Object{}}}}},
	harness.Object{"mapValue": harness.Object{"fields": harness.Object{"": harness.Object{"nullValue": nil}}}}, harness.Object{"mapValue": harness.Object{"fields": harness.Object{"__x__": harness.Object{"nullValue": nil}}}},
	harness.Object{"mapValue": harness.Object{"fields": harness.Object{"__type__": harness.Object{"stringValue": "__vector__"}}}}, harness.Object{"integerValue": 1, "stringValue": "x"}, harness.Object{"fooValue": 1},
}

// odd returns requests that are invalid, or valid but unusual.
func (g *compatGenerator) odd() []compatRequest {
	var out []compatRequest
	commit := func(write harness.Object) {
		out = append(out, compatRequest{method: "POST", path: ":commit", body: harness.Object{"writes": []any{write}}})
	}
	query := func(q harness.Object) {
		q["from"] = []any{harness.Object{"collectionId": "c"}}
		out = append(out, compatRequest{method: "POST", path: ":runQuery", body: harness.Object{"structuredQuery": q}})
	}
	for _, name := range badNames {
		commit(harness.Object{"update": harness.Object{"name": g.docs() + "/" + name, "fields": harness.Object{}}})
		query(harness.Object{"where": harness.Object{"fieldFilter": harness.Object{"field": harness.Object{"fieldPath": "__name__"}, "op": "EQUAL", "value": harness.Object{"referenceValue": g.docs() + "/" + name}}}})
	}
	for _, path := range badPaths {
		commit(harness.Object{"update": harness.Object{"name": g.docs() + "/odd/a", "fields": harness.Object{}}, "updateMask": harness.Object{"fieldPaths": []any{path}}})
		query(harness.Object{"orderBy": []any{harness.Object{"field": harness.Object{"fieldPath": path}}}})
		query(harness.Object{"select": harness.Object{"fields": []any{harness.Object{"fieldPath": path}}}, "limit": 1})
		query(harness.Object{"where": harness.Object{"unaryFilter": harness.Object{"field": harness.Object{"fieldPath": path}, "op": "IS_NULL"}}})
	}
	for _, v := range badValues {
		commit(harness.Object{"update": harness.Object{"name": g.docs() + "/odd/v", "fields": harness.Object{"v": v}}})
	}
	return out
}

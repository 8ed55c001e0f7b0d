package sdk

import (
	"fmt"
	"math/rand/v2"

	"clave/server/test/e2e/harness"
)

// compatGenerator generates requests. Their values come from small sets, so that equal values are frequent.
type compatGenerator struct {
	rand    *rand.Rand
	project string
	made    int
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// docs is the prefix of the documents' names.
func (g *compatGenerator) docs() string {
	return "projects/" + g.project + "/databases/(default)/documents"
}

// id returns a document's id.
func (g *compatGenerator) id() string {
	return pick(g.rand, "a", "b", "c", "d", "B", "é", "__id7__", "__id12__", "12", "7", "zz", "a b", "😀")
}

// scalar returns a value other than an array or a map.
func (g *compatGenerator) scalar() harness.Object {
	switch g.rand.IntN(16) {
	case 0:
		return harness.Object{"nullValue": nil}
	case 1:
		return harness.Object{"booleanValue": g.rand.IntN(2) == 0}
	case 2, 3, 4:
		return harness.Object{"integerValue": fmt.Sprint(g.rand.IntN(5))}
	case 5, 6:
		return harness.Object{"doubleValue": float64(g.rand.IntN(10)) / 2}
	case 7:
		return harness.Object{"doubleValue": pick(g.rand, "NaN", "Infinity", "-Infinity", "-0")}
	case 8:
		return harness.Object{"integerValue": pick(g.rand, "9007199254740993", "9223372036854775807", "-9223372036854775808")}
	case 9:
		return harness.Object{"timestampValue": pick(g.rand, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000001Z", "1969-12-31T23:59:59.5Z")}
	case 10:
		return harness.Object{"bytesValue": pick(g.rand, "", "AQ==", "AQI=", "/w==")}
	case 11:
		return harness.Object{"referenceValue": g.docs() + pick(g.rand, "/c/a", "/c/a/s/x", "/b/z", "/c/__id7__", "/c/é")}
	case 12:
		return harness.Object{"geoPointValue": harness.Object{"latitude": g.rand.IntN(3), "longitude": g.rand.IntN(3) - 1}}
	default:
		return harness.Object{"stringValue": pick(g.rand, "", "a", "B", "aa", "é", "日", "😀", "\uffff")}
	}
}

// value returns any value.
func (g *compatGenerator) value() harness.Object {
	switch g.rand.IntN(8) {
	case 0:
		return harness.Object{"arrayValue": harness.Object{"values": g.scalars(g.rand.IntN(4))}}
	case 1:
		return harness.Object{"mapValue": harness.Object{"fields": g.fields("x", "y")}}
	case 2:
		return g.vector()
	default:
		return g.scalar()
	}
}

// vector returns a vector.
func (g *compatGenerator) vector() harness.Object {
	var items []any
	for range 1 + g.rand.IntN(2) {
		items = append(items, harness.Object{"doubleValue": g.rand.IntN(3)})
	}
	return harness.Object{"mapValue": harness.Object{"fields": harness.Object{
		"__type__": harness.Object{"stringValue": "__vector__"},
		"value":    harness.Object{"arrayValue": harness.Object{"values": items}},
	}}}
}

// scalars returns n scalars.
func (g *compatGenerator) scalars(n int) []any {
	out := []any{}
	for range n {
		out = append(out, g.scalar())
	}
	return out
}

// fields returns some of the named fields.
func (g *compatGenerator) fields(names ...string) harness.Object {
	out := harness.Object{}
	for _, name := range names {
		if g.rand.IntN(4) > 0 {
			out[name] = g.scalar()
		}
	}
	return out
}

// document returns the fields of a document.
func (g *compatGenerator) document() harness.Object {
	out := harness.Object{}
	for _, name := range []string{"v", "w", "n"} {
		if g.rand.IntN(5) > 0 {
			out[name] = g.value()
		}
	}
	if g.rand.IntN(3) > 0 {
		out["n"] = harness.Object{"integerValue": fmt.Sprint(g.rand.IntN(4))}
	}
	if g.rand.IntN(2) > 0 {
		out["tags"] = harness.Object{"arrayValue": harness.Object{"values": g.scalars(g.rand.IntN(4))}}
	}
	return out
}

// documents returns writes of n documents.
func (g *compatGenerator) documents(n int) []compatRequest {
	var out []compatRequest
	for i := range n {
		id := g.id()
		if i >= n/2 {
			id = fmt.Sprintf("d%02d", i)
		}
		collection := pick(g.rand, "/c/", "/c/", "/c/", "/c/a/c/", "/b/z/c/", "/e/")
		out = append(out, compatRequest{method: "POST", path: ":commit", body: harness.Object{"writes": []any{
			harness.Object{"update": harness.Object{"name": g.docs() + collection + id, "fields": g.document()}},
		}}})
	}
	return out
}

// path returns a field path.
func (g *compatGenerator) path() string {
	return pick(g.rand, "v", "w", "n", "n", "tags", "v.x", "missing")
}

// name returns a reference to a document.
func (g *compatGenerator) name() harness.Object {
	return harness.Object{"referenceValue": g.docs() + pick(g.rand, "/c/a", "/c/d21", "/c/__id12__", "/c/é", "/b/z/c/a")}
}

// leaf returns a filter on one field.
func (g *compatGenerator) leaf() harness.Object {
	if g.rand.IntN(10) == 0 {
		return harness.Object{"unaryFilter": harness.Object{"field": harness.Object{"fieldPath": g.path()}, "op": pick(g.rand, "IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN")}}
	}
	op := pick(g.rand, "EQUAL", "EQUAL", "EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUAL",
		"ARRAY_CONTAINS", "IN", "NOT_IN", "ARRAY_CONTAINS_ANY")
	path, v := g.path(), g.value()
	if g.rand.IntN(12) == 0 {
		path, v = "__name__", g.name()
	}
	switch op {
	case "IN", "NOT_IN", "ARRAY_CONTAINS_ANY":
		var items []any
		for range 1 + g.rand.IntN(3) {
			if path == "__name__" {
				items = append(items, g.name())
			} else {
				items = append(items, g.scalar())
			}
		}
		v = harness.Object{"arrayValue": harness.Object{"values": items}}
	}
	return harness.Object{"fieldFilter": harness.Object{"field": harness.Object{"fieldPath": path}, "op": op, "value": v}}
}

// filter returns a filter of at most the given depth.
func (g *compatGenerator) filter(depth int) harness.Object {
	if depth == 0 || g.rand.IntN(2) == 0 {
		return g.leaf()
	}
	var filters []any
	for range 1 + g.rand.IntN(3) {
		filters = append(filters, g.filter(depth-1))
	}
	return harness.Object{"compositeFilter": harness.Object{"op": pick(g.rand, "AND", "AND", "OR"), "filters": filters}}
}

// structured returns a query.
func (g *compatGenerator) structured() harness.Object {
	q := harness.Object{"from": []any{harness.Object{"collectionId": "c", "allDescendants": g.rand.IntN(5) == 0}}}
	if g.rand.IntN(6) > 0 {
		q["where"] = g.filter(2)
	}
	var orders []any
	for range g.rand.IntN(3) {
		orders = append(orders, harness.Object{"field": harness.Object{"fieldPath": g.path()}, "direction": pick(g.rand, "ASCENDING", "DESCENDING")})
	}
	if g.rand.IntN(8) == 0 {
		orders = append(orders, harness.Object{"field": harness.Object{"fieldPath": "__name__"}, "direction": pick(g.rand, "ASCENDING", "ASCENDING", "DESCENDING")})
	}
	if orders != nil {
		q["orderBy"] = orders
		g.cursors(q, orders)
	}
	if g.rand.IntN(3) == 0 {
		q["limit"] = 1 + g.rand.IntN(5)
	}
	if g.rand.IntN(4) == 0 {
		q["select"] = harness.Object{"fields": []any{harness.Object{"fieldPath": g.path()}, harness.Object{"fieldPath": "n"}}}
	}
	return q
}

// cursors sometimes adds cursors to a query.
func (g *compatGenerator) cursors(q harness.Object, orders []any) {
	for _, end := range []string{"startAt", "endAt"} {
		if g.rand.IntN(4) > 0 {
			continue
		}
		var values []any
		for _, o := range orders[:1+g.rand.IntN(len(orders))] {
			if o.(harness.Object)["field"].(harness.Object)["fieldPath"] == "__name__" {
				values = append(values, g.name())
			} else {
				values = append(values, g.value())
			}
		}
		q[end] = harness.Object{"values": values, "before": g.rand.IntN(2) == 0}
	}
}

// query returns a request for a query's documents.
func (g *compatGenerator) query() compatRequest {
	q := g.structured()
	parent := g.scope(q)
	return compatRequest{method: "POST", path: parent + ":runQuery", body: harness.Object{"structuredQuery": q}}
}

// aggregation returns an aggregation query.
func (g *compatGenerator) aggregation() compatRequest {
	q := harness.Object{"from": []any{harness.Object{"collectionId": "c"}}}
	if g.rand.IntN(2) == 0 {
		q["where"] = g.leaf()
	}
	return compatRequest{method: "POST", path: ":runAggregationQuery", body: harness.Object{"structuredAggregationQuery": harness.Object{
		"structuredQuery": q,
		"aggregations": []any{
			pick(g.rand, harness.Object{"alias": "c", "count": harness.Object{}}, harness.Object{"alias": "c", "count": harness.Object{"upTo": "2"}}),
			harness.Object{"alias": "s", "sum": harness.Object{"field": harness.Object{"fieldPath": pick(g.rand, "n", "v")}}},
			harness.Object{"alias": "a", "avg": harness.Object{"field": harness.Object{"fieldPath": "n"}}},
		},
	}}}
}

// precondition returns a precondition, or nil.
func (g *compatGenerator) precondition() any {
	return pick[any](g.rand, nil, nil, nil, harness.Object{"exists": true}, harness.Object{"exists": false}, harness.Object{"updateTime": "2020-01-01T00:00:00Z"})
}

// transform returns a transform of a field.
func (g *compatGenerator) transform() harness.Object {
	t := harness.Object{"fieldPath": pick(g.rand, "v", "n", "w.k", "tags")}
	switch g.rand.IntN(6) {
	case 0:
		t["setToServerValue"] = "REQUEST_TIME"
		t["fieldPath"] = "at"
	case 1:
		t["increment"] = g.scalar()
	case 2:
		t["maximum"] = g.scalar()
	case 3:
		t["minimum"] = g.scalar()
	case 4:
		t["appendMissingElements"] = harness.Object{"values": g.scalars(2)}
	default:
		t["removeAllFromArray"] = harness.Object{"values": g.scalars(2)}
	}
	return t
}

// write returns requests that write documents and then read them.
func (g *compatGenerator) write() compatRequest {
	g.made++
	if g.made%2 == 0 {
		return compatRequest{method: "GET", path: "/c/" + pick(g.rand, "a", "b", "d21", "none") + "?mask.fieldPaths=n&mask.fieldPaths=v&mask.fieldPaths=tags"}
	}
	var writes []any
	for range 1 + g.rand.IntN(3) {
		w := harness.Object{}
		name := g.docs() + "/c/" + pick(g.rand, "a", "b", "d21", "none", "new")
		switch g.rand.IntN(6) {
		case 0:
			w["delete"] = name
		case 1:
			w["transform"] = harness.Object{"document": name, "fieldTransforms": []any{g.transform(), g.transform()}}
		default:
			w["update"] = harness.Object{"name": name, "fields": g.document()}
			if g.rand.IntN(2) == 0 {
				w["updateMask"] = harness.Object{"fieldPaths": []any{g.path(), "n"}}
			}
			if g.rand.IntN(2) == 0 {
				w["updateTransforms"] = []any{g.transform()}
			}
		}
		if p := g.precondition(); p != nil {
			w["currentDocument"] = p
		}
		writes = append(writes, w)
	}
	return compatRequest{method: "POST", path: ":commit", body: harness.Object{"writes": writes}}
}

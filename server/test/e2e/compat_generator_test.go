package e2e

import (
	"fmt"
	"math/rand/v2"
)

// compatGenerator generates requests. Their values come from small sets, so that equal values are frequent.
type compatGenerator struct {
	rand    *rand.Rand
	project string
	made    int
}

// object is a JSON object.
type object = map[string]any

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
func (g *compatGenerator) scalar() object {
	switch g.rand.IntN(16) {
	case 0:
		return object{"nullValue": nil}
	case 1:
		return object{"booleanValue": g.rand.IntN(2) == 0}
	case 2, 3, 4:
		return object{"integerValue": fmt.Sprint(g.rand.IntN(5))}
	case 5, 6:
		return object{"doubleValue": float64(g.rand.IntN(10)) / 2}
	case 7:
		return object{"doubleValue": pick(g.rand, "NaN", "Infinity", "-Infinity", "-0")}
	case 8:
		return object{"integerValue": pick(g.rand, "9007199254740993", "9223372036854775807", "-9223372036854775808")}
	case 9:
		return object{"timestampValue": pick(g.rand, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000001Z", "1969-12-31T23:59:59.5Z")}
	case 10:
		return object{"bytesValue": pick(g.rand, "", "AQ==", "AQI=", "/w==")}
	case 11:
		return object{"referenceValue": g.docs() + pick(g.rand, "/c/a", "/c/a/s/x", "/b/z", "/c/__id7__", "/c/é")}
	case 12:
		return object{"geoPointValue": object{"latitude": g.rand.IntN(3), "longitude": g.rand.IntN(3) - 1}}
	default:
		return object{"stringValue": pick(g.rand, "", "a", "B", "aa", "é", "日", "😀", "\uffff")}
	}
}

// value returns any value.
func (g *compatGenerator) value() object {
	switch g.rand.IntN(8) {
	case 0:
		return object{"arrayValue": object{"values": g.scalars(g.rand.IntN(4))}}
	case 1:
		return object{"mapValue": object{"fields": g.fields("x", "y")}}
	case 2:
		return g.vector()
	default:
		return g.scalar()
	}
}

// vector returns a vector.
func (g *compatGenerator) vector() object {
	var items []any
	for range 1 + g.rand.IntN(2) {
		items = append(items, object{"doubleValue": g.rand.IntN(3)})
	}
	return object{"mapValue": object{"fields": object{
		"__type__": object{"stringValue": "__vector__"},
		"value":    object{"arrayValue": object{"values": items}},
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
func (g *compatGenerator) fields(names ...string) object {
	out := object{}
	for _, name := range names {
		if g.rand.IntN(4) > 0 {
			out[name] = g.scalar()
		}
	}
	return out
}

// document returns the fields of a document.
func (g *compatGenerator) document() object {
	out := object{}
	for _, name := range []string{"v", "w", "n"} {
		if g.rand.IntN(5) > 0 {
			out[name] = g.value()
		}
	}
	if g.rand.IntN(3) > 0 {
		out["n"] = object{"integerValue": fmt.Sprint(g.rand.IntN(4))}
	}
	if g.rand.IntN(2) > 0 {
		out["tags"] = object{"arrayValue": object{"values": g.scalars(g.rand.IntN(4))}}
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
		out = append(out, compatRequest{method: "POST", path: ":commit", body: object{"writes": []any{
			object{"update": object{"name": g.docs() + collection + id, "fields": g.document()}},
		}}})
	}
	return out
}

// path returns a field path.
func (g *compatGenerator) path() string {
	return pick(g.rand, "v", "w", "n", "n", "tags", "v.x", "missing")
}

// name returns a reference to a document.
func (g *compatGenerator) name() object {
	return object{"referenceValue": g.docs() + pick(g.rand, "/c/a", "/c/d21", "/c/__id12__", "/c/é", "/b/z/c/a")}
}

// leaf returns a filter on one field.
func (g *compatGenerator) leaf() object {
	if g.rand.IntN(10) == 0 {
		return object{"unaryFilter": object{"field": object{"fieldPath": g.path()}, "op": pick(g.rand, "IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN")}}
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
		v = object{"arrayValue": object{"values": items}}
	}
	return object{"fieldFilter": object{"field": object{"fieldPath": path}, "op": op, "value": v}}
}

// filter returns a filter of at most the given depth.
func (g *compatGenerator) filter(depth int) object {
	if depth == 0 || g.rand.IntN(2) == 0 {
		return g.leaf()
	}
	var filters []any
	for range 1 + g.rand.IntN(3) {
		filters = append(filters, g.filter(depth-1))
	}
	return object{"compositeFilter": object{"op": pick(g.rand, "AND", "AND", "OR"), "filters": filters}}
}

// structured returns a query.
func (g *compatGenerator) structured() object {
	q := object{"from": []any{object{"collectionId": "c", "allDescendants": g.rand.IntN(5) == 0}}}
	if g.rand.IntN(6) > 0 {
		q["where"] = g.filter(2)
	}
	var orders []any
	for range g.rand.IntN(3) {
		orders = append(orders, object{"field": object{"fieldPath": g.path()}, "direction": pick(g.rand, "ASCENDING", "DESCENDING")})
	}
	if g.rand.IntN(8) == 0 {
		orders = append(orders, object{"field": object{"fieldPath": "__name__"}, "direction": pick(g.rand, "ASCENDING", "ASCENDING", "DESCENDING")})
	}
	if orders != nil {
		q["orderBy"] = orders
		g.cursors(q, orders)
	}
	if g.rand.IntN(3) == 0 {
		q["limit"] = 1 + g.rand.IntN(5)
	}
	if g.rand.IntN(4) == 0 {
		q["select"] = object{"fields": []any{object{"fieldPath": g.path()}, object{"fieldPath": "n"}}}
	}
	return q
}

// cursors sometimes adds cursors to a query.
func (g *compatGenerator) cursors(q object, orders []any) {
	for _, end := range []string{"startAt", "endAt"} {
		if g.rand.IntN(4) > 0 {
			continue
		}
		var values []any
		for _, o := range orders[:1+g.rand.IntN(len(orders))] {
			if o.(object)["field"].(object)["fieldPath"] == "__name__" {
				values = append(values, g.name())
			} else {
				values = append(values, g.value())
			}
		}
		q[end] = object{"values": values, "before": g.rand.IntN(2) == 0}
	}
}

// query returns a request for a query's documents.
func (g *compatGenerator) query() compatRequest {
	q := g.structured()
	parent := g.scope(q)
	return compatRequest{method: "POST", path: parent + ":runQuery", body: object{"structuredQuery": q}}
}

// aggregation returns an aggregation query.
func (g *compatGenerator) aggregation() compatRequest {
	q := object{"from": []any{object{"collectionId": "c"}}}
	if g.rand.IntN(2) == 0 {
		q["where"] = g.leaf()
	}
	return compatRequest{method: "POST", path: ":runAggregationQuery", body: object{"structuredAggregationQuery": object{
		"structuredQuery": q,
		"aggregations": []any{
			pick(g.rand, object{"alias": "c", "count": object{}}, object{"alias": "c", "count": object{"upTo": "2"}}),
			object{"alias": "s", "sum": object{"field": object{"fieldPath": pick(g.rand, "n", "v")}}},
			object{"alias": "a", "avg": object{"field": object{"fieldPath": "n"}}},
		},
	}}}
}

// precondition returns a precondition, or nil.
func (g *compatGenerator) precondition() any {
	return pick[any](g.rand, nil, nil, nil, object{"exists": true}, object{"exists": false}, object{"updateTime": "2020-01-01T00:00:00Z"})
}

// transform returns a transform of a field.
func (g *compatGenerator) transform() object {
	t := object{"fieldPath": pick(g.rand, "v", "n", "w.k", "tags")}
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
		t["appendMissingElements"] = object{"values": g.scalars(2)}
	default:
		t["removeAllFromArray"] = object{"values": g.scalars(2)}
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
		w := object{}
		name := g.docs() + "/c/" + pick(g.rand, "a", "b", "d21", "none", "new")
		switch g.rand.IntN(6) {
		case 0:
			w["delete"] = name
		case 1:
			w["transform"] = object{"document": name, "fieldTransforms": []any{g.transform(), g.transform()}}
		default:
			w["update"] = object{"name": name, "fields": g.document()}
			if g.rand.IntN(2) == 0 {
				w["updateMask"] = object{"fieldPaths": []any{g.path(), "n"}}
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
	return compatRequest{method: "POST", path: ":commit", body: object{"writes": writes}}
}

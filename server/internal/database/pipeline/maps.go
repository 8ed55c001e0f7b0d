package pipeline

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// plainMap returns a value as a map that is no vector. It returns false for other values.
func plainMap(v value.Value) (value.Map, bool) {
	m, ok := v.(value.Map)
	return m, ok && m.Kind() == value.KindMap
}

// ofMap returns a function whose first argument is a map.
func ofMap(name, more, result_ string, least, most int, eval func(m value.Map, args []value.Value) result) *Function {
	return &Function{Name: name, Args: "map" + more, Result: result_, Source: "go", Min: least, Max: most, eval: func(f *frame, args []value.Value) result {
		m, ok := plainMap(args[0])
		if !ok {
			return wrongType(name, "Map", args[0])
		}
		if err := f.run.step(len(m) / membersOfStep); err != nil {
			return aborted(err)
		}
		return eval(m, args[1:])
	}}
}

// member returns a function that returns the member of a map. It is unset if the map is, or has no such member.
func member(name string) *Function {
	return &Function{Name: name, Args: "map, string", Result: "any", Source: "js", Min: 2, Max: 2, lazy: func(f *frame, args []evaluator) result {
		m, key := args[0](f), args[1](f)
		switch {
		case m.fail != nil || m.v == nil:
			return m
		case key.fail != nil:
			return key
		case m.isNull() || key.v == nil || key.isNull():
			return null
		}
		of_, ok := plainMap(m.v)
		if !ok {
			return wrongType(name, "Map", m.v)
		}
		k, ok := key.v.(value.String)
		if !ok {
			return wrongType(name, "String", key.v)
		}
		return result{v: of_[string(k)]}
	}}
}

// putPairs sets the members of a map that arguments name, each followed by its value.
func putPairs(name string, f *frame, m value.Map, args []evaluator) result {
	if len(args)%2 != 0 {
		return failed("The function %s(...) takes keys and values.", name)
	}
	size := footprint(m)
	for pair := range slices.Chunk(args, 2) {
		key, v := pair[0](f), pair[1](f)
		for _, r := range []result{key, v} {
			if r.fail != nil {
				return r
			}
		}
		k, ok := key.v.(value.String)
		switch {
		case !ok:
			return wrongType(name, "String", key.v)
		case v.v == nil:
			delete(m, string(k))
			continue
		}
		if size += bytesOfMember + len(k) + footprint(v.v); size > maxValue {
			return tooLarge()
		}
		m[string(k)] = v.v
	}
	return of(m)
}

// setMembers evaluates map_set.
func setMembers(f *frame, args []evaluator) result {
	r := args[0](f)
	switch {
	case r.fail != nil:
		return r
	case r.v == nil || r.isNull():
		return null
	}
	m, ok := plainMap(r.v)
	if !ok {
		return wrongType("map_set", "Map", r.v)
	}
	if err := f.run.step(len(m) / membersOfStep); err != nil {
		return aborted(err)
	}
	return putPairs("map_set", f, maps.Clone(m), args[1:])
}

// mapFunctions are the functions of maps.
var mapFunctions = []*Function{
	{Name: "map", Args: "(string, any)…", Result: "map", Source: "go", Min: 0, Max: -1, lazy: func(f *frame, args []evaluator) result {
		return putPairs("map", f, value.Map{}, args)
	}},
	member("map_get"),
	member("get_field"),
	{Name: "map_set", Args: "map, (string, any)…", Result: "map", Source: "go", Min: 3, Max: -1, lazy: setMembers},
	ofMap("map_remove", ", string…", "map", 2, -1, func(m value.Map, args []value.Value) result {
		out := maps.Clone(m)
		for _, arg := range args {
			k, ok := arg.(value.String)
			if !ok {
				return wrongType("map_remove", "String", arg)
			}
			delete(out, string(k))
		}
		return of(out)
	}),
	ofMap("map_merge", "…", "map", 2, -1, func(m value.Map, args []value.Value) result {
		out, size := maps.Clone(m), footprint(m)
		for _, arg := range args {
			other, ok := plainMap(arg)
			if !ok {
				return wrongType("map_merge", "Map", arg)
			}
			if size += footprint(other); size > maxValue {
				return tooLarge()
			}
			maps.Copy(out, other)
		}
		return of(out)
	}),
	ofMap("map_keys", "", "array", 1, 1, func(m value.Map, _ []value.Value) result {
		out := value.Array{}
		for _, k := range value.SortedKeys(m) {
			out = append(out, value.String(k))
		}
		return of(out)
	}),
	ofMap("map_values", "", "array", 1, 1, func(m value.Map, _ []value.Value) result {
		out := value.Array{}
		for _, k := range value.SortedKeys(m) {
			out = append(out, m[k])
		}
		return of(out)
	}),
	ofMap("map_entries", "", "array", 1, 1, func(m value.Map, _ []value.Value) result {
		if len(m)*(bytesOfElement+bytesOfMap+2*bytesOfMember)+footprint(m) > maxValue {
			return tooLarge()
		}
		out := value.Array{}
		for _, k := range value.SortedKeys(m) {
			out = append(out, value.Map{"k": value.String(k), "v": m[k]})
		}
		return of(out)
	}),
}

// typeNames are the names that is_type accepts.
var typeNames = []string{
	"null", "array", "boolean", "bytes", "timestamp", "geo_point", "number", "int64", "float64", "map", "reference", "string", "vector",
	"int32", "decimal128", "max_key", "min_key", "object_id", "regex", "request_timestamp", "bson_timestamp", "bson_object_id", "bson_binary",
}

// isType evaluates is_type.
func isType(f *frame, args []evaluator) result {
	v, name := args[0](f), args[1](f)
	switch {
	case v.fail != nil:
		return v
	case name.fail != nil:
		return name
	case v.v == nil:
		return boolean(false)
	}
	s, ok := name.v.(value.String)
	if !ok || !slices.Contains(typeNames, string(s)) {
		return failed("The function is_type(...) does not know this type.")
	}
	return boolean(typeName(v.v) == string(s) || s == "number" && v.v.Kind() == value.KindNumber)
}

// numbersOfStep is the number of components of a vector that are read in one step.
const numbersOfStep = 16

// vector returns the components of a vector. ok is false for other values.
func (r *run) vector(v value.Value) (numbers []float64, ok bool, err error) {
	m, _ := v.(value.Map)
	if m.Kind() != value.KindVector {
		return nil, false, nil
	}
	numbers, ok = value.AsVector(m)
	return numbers, ok, r.step(len(numbers) / numbersOfStep)
}

// vectors returns a function of two vectors of the same dimension.
func vectors(name string, eval func(a, b []float64) float64) *Function {
	return &Function{Name: name, Args: "vector, vector", Result: "float64", Source: "js", Min: 2, Max: 2, eval: func(f *frame, args []value.Value) result {
		var v [2][]float64
		for i, arg := range args {
			numbers, ok, err := f.run.vector(arg)
			if err != nil {
				return aborted(err)
			}
			if !ok {
				return wrongType(name, "Vector", arg)
			}
			v[i] = numbers
		}
		if len(v[0]) != len(v[1]) {
			return failed("The function %s(...) requires vectors of the same dimension.", name)
		}
		d := eval(v[0], v[1])
		if math.IsNaN(d) {
			return failed("The function %s(...) has no result for these vectors.", name)
		}
		return double(d)
	}}
}

// dot returns the product of two vectors.
func dot(a, b []float64) (out float64) {
	for i := range a {
		out += a[i] * b[i]
	}
	return out
}

// euclidean returns the distance of two vectors.
func euclidean(a, b []float64) float64 {
	var out float64
	for i := range a {
		out += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(out)
}

// cosine returns one minus the cosine of the angle of two vectors, NaN if the length of one is zero.
func cosine(a, b []float64) float64 {
	return 1 - max(-1, min(1, dot(a, b)/(math.Sqrt(dot(a, a))*math.Sqrt(dot(b, b)))))
}

// relative returns the path of a reference in its database, and what is before it.
func relative(ref value.Reference) (root, path string) {
	parts := strings.SplitN(string(ref), "/", 6)
	if len(parts) < 6 {
		return string(ref), ""
	}
	return strings.Join(parts[:5], "/"), parts[5]
}

// reference returns a function of a reference.
func reference(name, result_ string, eval func(root string, ids []string) result) *Function {
	return &Function{Name: name, Args: "reference", Result: result_, Source: "go", Min: 1, Max: 1, eval: func(_ *frame, args []value.Value) result {
		ref, ok := args[0].(value.Reference)
		if !ok {
			return wrongType(name, "Reference", args[0])
		}
		root, path := relative(ref)
		if path == "" {
			return eval(root, nil)
		}
		return eval(root, strings.Split(path, "/"))
	}}
}

// under returns the reference of a path.
func under(root string, ids []string) result {
	return of(value.Reference(strings.Join(append([]string{root}, ids...), "/")))
}

// sliceReference evaluates reference_slice, which counts pairs of a collection and a document.
func sliceReference(_ *frame, args []value.Value) result {
	ref, ok := args[0].(value.Reference)
	if !ok {
		return wrongType("reference_slice", "Reference", args[0])
	}
	from, length, no := span("reference_slice", args[1:])
	if no.fail != nil {
		return no
	}
	root, path := relative(ref)
	if path == "" {
		return of(ref)
	}
	pairs := slices.Collect(slices.Chunk(strings.Split(path, "/"), 2))
	return under(root, slices.Concat(cut(pairs, from, length)...))
}

// otherFunctions are the functions of types, references and vectors, and those without arguments.
var otherFunctions = []*Function{
	{Name: "type", Args: "any", Result: "string", Source: "go", Min: 1, Max: 1, lazy: func(f *frame, args []evaluator) result {
		r := args[0](f)
		if r.fail != nil || r.v == nil {
			return r
		}
		return of(value.String(typeName(r.v)))
	}},
	{Name: "is_type", Args: "any, string", Result: "boolean", Source: "go", Min: 2, Max: 2, lazy: isType},
	{Name: "storage_size", Args: "any", Result: "int64", Source: "go", Min: 1, Max: 1, lazy: func(f *frame, args []evaluator) result {
		r := args[0](f)
		if r.fail != nil || r.v == nil {
			return r
		}
		if err := f.run.step(stepsOf(r.v)); err != nil {
			return aborted(err)
		}
		return of(value.Int(value.Size(r.v)))
	}},
	vectors("dot_product", dot),
	vectors("euclidean_distance", euclidean),
	vectors("cosine_distance", cosine),
	{Name: "vector_length", Args: "vector", Result: "int64", Source: "js", Min: 1, Max: 1, eval: func(f *frame, args []value.Value) result {
		v, ok, err := f.run.vector(args[0])
		if err != nil {
			return aborted(err)
		}
		if !ok {
			return wrongType("vector_length", "Vector", args[0])
		}
		return of(value.Int(len(v)))
	}},
	reference("collection_id", "string", func(_ string, ids []string) result {
		if len(ids) < 2 {
			return null
		}
		return of(value.String(ids[len(ids)-2+len(ids)%2]))
	}),
	reference("document_id", "string", func(_ string, ids []string) result {
		if len(ids) == 0 {
			return null
		}
		return of(value.String(ids[len(ids)-1]))
	}),
	reference("parent", "reference", func(root string, ids []string) result {
		if len(ids) == 0 {
			return null
		}
		return under(root, ids[:max(len(ids)-2, 0)])
	}),
	{Name: "reference_slice", Args: "reference, int64, int64", Result: "reference", Source: "go", Min: 3, Max: 3, eval: sliceReference},
	{Name: "current_timestamp", Result: "timestamp", Source: "go", lazy: func(f *frame, _ []evaluator) result {
		return of(value.TimestampOf(f.run.now))
	}},
	{Name: "current_document", Result: "map", Source: "go", lazy: func(f *frame, _ []evaluator) result { return of(f.row.fields) }},
	{Name: "rand", Result: "float64", Source: "go", lazy: func(*frame, []evaluator) result { return double(rand.Float64()) }}, //nolint:gosec // not a secret
}

// nameOf returns the name of a row's document, which sub-pipelines begin at. It returns false if the row has none.
func nameOf(r *row) (resource.Document, bool) {
	if r.read() {
		return r.doc, true
	}
	name, err := resource.ParseDocument(r.named)
	return name, err == nil
}

package engine_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"clave/server/internal/database/engine"
	"clave/server/internal/database/index"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestDataDriven runs the files of testdata. Their commands are:
//
//	indexes                definitions as in firestore.indexes.json
//	set                    lines of a path and its fields as JSON; null deletes
//	query COLLECTION […]   where=(a==1,b>"x") order=(a,-b) start=(1) limit=3 offset=1 count sum=a; a collection with *
//	                       is a group. Prints the results, how it was planned and what was read.
func TestDataDriven(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		o := engine.Options{}
		if strings.Contains(path, "enforce") {
			o.IndexMode = engine.IndexesEnforce
		}
		e := open(t, o)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "indexes":
				defs, _, err := index.ParseDefinitions([]byte(d.Input))
				if err != nil {
					return err.Error()
				}
				setIndexes(t, e, defs)
				return ""
			case "set":
				return runSet(t, e, d)
			case "query":
				return runQuery(t, e, d)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// runSet commits the lines of a set command.
func runSet(t *testing.T, e *engine.Engine, d *datadriven.TestData) string {
	var writes []document.Write
	for _, line := range strings.Split(d.Input, "\n") {
		path, text, _ := strings.Cut(line, " ")
		var fields any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
		if fields == nil {
			writes = append(writes, document.Write{Op: document.Delete, Name: doc(path)})
			continue
		}
		writes = append(writes, set(path, fromJSON(fields).(value.Map)))
	}
	put(t, e, writes...)
	return ""
}

// fromJSON converts a JSON value. Whole numbers become integers.
func fromJSON(v any) value.Value {
	switch x := v.(type) {
	case bool:
		return value.Bool(x)
	case float64:
		if x == float64(int64(x)) {
			return value.Int(int64(x))
		}
		return value.Double(x)
	case string:
		return value.String(x)
	case []any:
		a := value.Array{}
		for _, item := range x {
			a = append(a, fromJSON(item))
		}
		return a
	case map[string]any:
		m := value.Map{}
		for k, item := range x {
			m[k] = fromJSON(item)
		}
		return m
	}
	return value.Null{}
}

// operators are the comparisons of query commands, longer ones first.
var operators = []struct {
	text string
	op   query.Op
}{
	{"==", query.Equal}, {"!=", query.NotEqual}, {"<=", query.LessThanOrEqual}, {">=", query.GreaterThanOrEqual},
	{" contains ", query.ArrayContains}, {" in ", query.In}, {"<", query.LessThan}, {">", query.GreaterThan},
}

// parseFilter reads a comparison.
func parseFilter(t *testing.T, d *datadriven.TestData, text string) query.Filter {
	text = strings.ReplaceAll(text, "~", " ")
	for _, o := range operators {
		field, operand, ok := strings.Cut(text, o.text)
		if !ok {
			continue
		}
		path, err := value.ParseFieldPath(field)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return query.Field{Path: path, Op: o.op, Value: parseValue(t, d, operand)}
	}
	d.Fatalf(t, "no comparison in %q", text)
	return nil
}

// parseValue reads a JSON value in which a list has semicolons.
func parseValue(t *testing.T, d *datadriven.TestData, text string) value.Value {
	if path, ok := strings.CutPrefix(text, "/"); ok {
		return value.Reference(doc(path).String())
	}
	var v any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, ";", ",")), &v); err != nil {
		v = text
	}
	return fromJSON(v)
}

// parseQuery reads a query command.
func parseQuery(t *testing.T, d *datadriven.TestData) (*query.Query, []query.Aggregate) {
	q := &query.Query{DB: testDB, Limit: query.NoLimit}
	var figures []query.Aggregate
	for i, arg := range d.CmdArgs {
		switch {
		case i == 0:
			id, group := strings.CutSuffix(arg.Key, "*")
			q.From = []query.From{{Collection: id, AllDescendants: group}}
		case arg.Key == "where" || arg.Key == "or":
			var filters []query.Filter
			for _, text := range arg.Vals {
				filters = append(filters, parseFilter(t, d, text))
			}
			if q.Where = (&query.And{Filters: filters}); arg.Key == "or" {
				q.Where = &query.Or{Filters: filters}
			}
		case arg.Key == "order":
			for _, text := range arg.Vals {
				field, desc := strings.CutPrefix(text, "-")
				path, err := value.ParseFieldPath(field)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				q.OrderBy = append(q.OrderBy, query.Order{Path: path, Desc: desc})
			}
		case arg.Key == "start" || arg.Key == "end":
			c := &query.Cursor{Before: arg.Key == "start"}
			for _, text := range arg.Vals {
				c.Values = append(c.Values, parseValue(t, d, text))
			}
			if arg.Key == "start" {
				q.Start = c
			} else {
				q.End = c
			}
		case arg.Key == "limit":
			q.Limit, _ = strconv.Atoi(arg.Vals[0])
		case arg.Key == "offset":
			q.Offset, _ = strconv.Atoi(arg.Vals[0])
		case arg.Key == "count":
			figures = append(figures, query.Aggregate{Alias: "count", Op: query.Count})
		case arg.Key == "sum":
			figures = append(figures, query.Aggregate{Alias: "sum", Op: query.Sum, Path: value.FieldPath{arg.Vals[0]}})
		}
	}
	return q, figures
}

// runQuery runs a query command.
func runQuery(t *testing.T, e *engine.Engine, d *datadriven.TestData) string {
	q, figures := parseQuery(t, d)
	q, err := q.Normalize()
	if err != nil {
		return err.Error()
	}
	r, err := e.Read(t.Context(), testDB, request.At{})
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	var out strings.Builder
	var stats request.Stats
	if len(figures) > 0 {
		var results map[string]value.Value
		results, stats, err = r.Aggregate(t.Context(), &query.Aggregation{Query: q, Fields: figures})
		for _, f := range figures {
			fmt.Fprintf(&out, "%s %v\n", f.Alias, results[f.Alias])
		}
	} else {
		stats, err = r.Query(t.Context(), q, func(d *document.Document) error {
			fmt.Fprintln(&out, d.Name.Path)
			return nil
		})
	}
	if err != nil {
		return err.Error()
	}
	for _, p := range stats.Plans {
		fmt.Fprint(&out, "plan:")
		for _, i := range p.Indexes {
			fmt.Fprintf(&out, " %s %s", i.Scope, i.Properties)
		}
		if p.Filtered {
			fmt.Fprint(&out, " filtered")
		}
		if p.Sorted {
			fmt.Fprint(&out, " sorted")
		}
		fmt.Fprintln(&out)
	}
	fmt.Fprintf(&out, "read: %d documents\n", stats.DocumentsRead)
	for _, definition := range stats.Missing {
		fmt.Fprintf(&out, "missing: %s\n", definition)
	}
	return out.String()
}

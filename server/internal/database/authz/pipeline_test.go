package authz_test

import (
	"fmt"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/request"
	"clave/server/internal/model/value"
)

// TestPipelinesUnderRules runs pipelines of users: each source is judged by what it reads, with the filters before the
// first stage that changes fields.
func TestPipelinesUnderRules(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /notes/{n} { allow read: if resource.data.owner == request.auth.uid; }
match /limited/{n} { allow list: if request.query.limit <= 10; }
match /shown/{n} { allow list: if resource.data.state != 'hidden' && resource.data.n > 0; }
match /free/{n} { allow read; match /parts/{p} { allow list: if resource.data.owner == request.auth.uid; } }`)
	h.seed(set("notes/a", value.Map{"owner": value.String("ann")}))
	h.seed(set("notes/b", value.Map{"owner": value.String("eve")}))
	h.seed(set("free/x", value.Map{"n": value.Int(1)}))
	h.seed(set("limited/x", value.Map{"n": value.Int(1)}))
	h.seed(set("notes/c", value.Map{"owner": value.String("eve"), "n": value.Int(7)}), set("shown/a", value.Map{"n": value.Int(1), "state": value.Null{}}),
		set("shown/b", value.Map{"n": value.Int(1), "state": value.String("hidden")}), set("shown/c", value.Map{"n": value.Int(1)}), set("shown/d", value.Map{"n": value.Int(1), "state": value.String("new")}),
		set("free/x/parts/1", value.Map{"owner": value.String("ann")}), set("free/x/parts/2", value.Map{"owner": value.String("eve")}))
	source := func(name, path string) request.Stage {
		return request.Stage{Name: name, Args: []request.Expression{request.Constant{Value: value.Reference(path)}}}
	}
	owned := request.Stage{Name: "where", Args: []request.Expression{&request.Call{Name: "equal", Args: []request.Expression{
		request.FieldReference("owner"), request.Constant{Value: value.String("ann")},
	}}}}
	changed := request.Stage{Name: "add_fields", Args: []request.Expression{request.Constant{Value: value.Map{"owner": value.String("ann")}}}}
	ten := request.Stage{Name: "limit", Args: []request.Expression{request.Constant{Value: value.Int(10)}}}
	notes, free := source("collection", "/notes"), source("collection", "/free")
	inner := request.Stage{Name: "add_fields", Args: []request.Expression{request.MapOf{"n": &request.Call{Name: "array", Args: []request.Expression{request.Subpipeline{notes}}}}}}
	call := func(name string, args ...request.Expression) request.Expression {
		return &request.Call{Name: name, Args: args}
	}
	where := func(e request.Expression) request.Stage {
		return request.Stage{Name: "where", Args: []request.Expression{e}}
	}
	number := func(n int) request.Expression { return request.Constant{Value: value.Int(n)} }
	n, isAnn := request.FieldReference("n"), owned.Args[0]
	order := request.Stage{Name: "sort", Args: []request.Expression{request.MapOf{"expression": n, "direction": request.Constant{Value: value.String("ascending")}}}}
	// Its error tells that a document has n 7.
	seven := call("equal", call("divide", number(1), call("subtract", n, number(7))), number(1))
	hidden := request.Constant{Value: value.String("hidden")}
	visible := call("not_equal", request.FieldReference("state"), hidden)
	literals := request.Stage{Name: "literals", Args: []request.Expression{request.Constant{Value: value.Map{}}}}
	union := func(stages ...request.Stage) request.Stage {
		return request.Stage{Name: "union", Args: []request.Expression{request.Subpipeline(stages)}}
	}
	parts := func(stages ...request.Stage) request.Stage {
		below := request.Stage{Name: "subcollection", Args: []request.Expression{request.Constant{Value: value.String("parts")}}}
		return request.Stage{Name: "select", Args: []request.Expression{request.MapOf{"r": call("array", request.Subpipeline(append([]request.Stage{below}, stages...)))}}}
	}
	for name, c := range map[string]struct {
		caller token.Caller
		stages []request.Stage
		rows   int // -1 is PermissionDenied
	}{
		"all":                          {user("ann"), []request.Stage{notes}, -1},
		"own":                          {user("ann"), []request.Stage{notes, owned}, 1},
		"of others":                    {user("eve"), []request.Stage{notes, owned}, -1},
		"own after a change":           {user("ann"), []request.Stage{notes, changed, owned}, -1},
		"own document":                 {user("ann"), []request.Stage{source("documents", "/notes/a")}, 1},
		"document of others":           {user("ann"), []request.Stage{source("documents", "/notes/b")}, -1},
		"request.query":                {user("ann"), []request.Stage{source("collection", "/limited"), ten}, -1},
		"union with what is denied":    {user("ann"), []request.Stage{free, {Name: "union", Args: []request.Expression{request.Subpipeline{notes}}}}, -1},
		"sub-pipeline that is denied":  {user("ann"), []request.Stage{free, inner}, -1},
		"database":                     {user("ann"), []request.Stage{{Name: "database"}}, -1},
		"literals":                     {user("ann"), []request.Stage{literals}, -1},
		"literals with what is denied": {user("ann"), []request.Stage{literals, union(notes)}, -1},
		"literals with a collection":   {user("ann"), []request.Stage{literals, union(free)}, 2},
		"literals with own":            {user("ann"), []request.Stage{literals, union(notes, owned)}, 2},
		"literals with a document":     {user("ann"), []request.Stage{literals, union(source("documents", "/notes/a"))}, 2},
		"literals with another's":      {user("ann"), []request.Stage{literals, union(source("documents", "/notes/b"))}, -1},
		"literals with no document":    {user("ann"), []request.Stage{literals, union(request.Stage{Name: "documents"})}, -1},
		"literals in a collection":     {user("ann"), []request.Stage{free, union(literals)}, 2},
		"literals, the rest not read": {user("ann"), []request.Stage{literals, where(call("conditional", request.Constant{Value: value.Bool(true)}, request.Constant{Value: value.Bool(true)},
			call("exists", request.Subpipeline{notes})))}, -1},
		"literals of literals":         {user("ann"), []request.Stage{literals, union(literals)}, -1},
		"own after a sort":             {user("ann"), []request.Stage{notes, order, owned}, 1},
		"own after a limit":            {user("ann"), []request.Stage{notes, ten, owned}, -1},
		"own of some":                  {user("ann"), []request.Stage{notes, order, ten, owned}, -1},
		"own and a calculation":        {user("ann"), []request.Stage{notes, where(call("and", call("exists", call("concat", request.FieldReference("owner"))), isAnn))}, 1},
		"own or a calculation":         {user("ann"), []request.Stage{notes, where(call("or", call("exists", call("concat", request.FieldReference("owner"))), isAnn))}, -1},
		"not own":                      {user("ann"), []request.Stage{notes, where(call("not", isAnn))}, -1},
		"no error of another's":        {user("ann"), []request.Stage{notes, where(seven), owned}, 0},
		"no error by order":            {user("ann"), []request.Stage{notes, order, where(call("and", seven, isAnn))}, 0},
		"an error of all":              {server, []request.Stage{notes, where(seven), owned}, -2},
		"another value":                {user("ann"), []request.Stage{source("collection", "/shown"), where(visible), where(call("greater_than", n, number(0)))}, 2},
		"another value, less":          {user("ann"), []request.Stage{source("collection", "/shown"), where(visible)}, -1},
		"another value or none":        {user("ann"), []request.Stage{source("collection", "/shown"), where(call("or", visible, call("greater_than", n, number(0))))}, -1},
		"own of a row":                 {user("ann"), []request.Stage{free, parts(owned)}, 1},
		"of a row":                     {user("ann"), []request.Stage{free, parts()}, -1},
		"own of a row after limit":     {user("ann"), []request.Stage{free, parts(ten, owned)}, -1},
		"free":                         {user("ann"), []request.Stage{free}, 1},
		"database of a server":         {server, []request.Stage{{Name: "database"}}, 11},
		"all of a server":              {server, []request.Stage{notes, inner}, 3},
		"a server's limited documents": {server, []request.Stage{source("collection", "/limited"), ten}, 1},
	} {
		p, err := pipeline.Compile(testDB, c.stages)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := 0
		_, err = h.authorizer.Pipeline(t.Context(), c.caller, testDB, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil },
			func(request.PipelineRow) error { rows++; return nil })
		if c.rows == -2 {
			wants(t, name, err, fault.InvalidArgument)
		} else if c.rows < 0 {
			wants(t, name, err, fault.PermissionDenied)
		} else if err != nil || rows != c.rows {
			t.Errorf("%s: %d rows, %v; want %d", name, rows, err, c.rows)
		}
	}
	// A rule about all documents is one about the database.
	h.rules(`match /{any=**} { allow list: if resource.data.owner == request.auth.uid; }`)
	for _, c := range []struct {
		stages []request.Stage
		rows   int
	}{{[]request.Stage{{Name: "database"}}, -1}, {[]request.Stage{{Name: "database"}, owned}, 2}} {
		p, err := pipeline.Compile(testDB, c.stages)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		_, err = h.authorizer.Pipeline(t.Context(), user("ann"), testDB, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil },
			func(request.PipelineRow) error { rows++; return nil })
		if c.rows < 0 {
			wants(t, "the database", err, fault.PermissionDenied)
		} else if err != nil || rows != c.rows {
			t.Errorf("the database: %d rows, %v; want %d", rows, err, c.rows)
		}
	}
	// The stages share the memory of the execution.
	p, err := pipeline.Compile(testDB, []request.Stage{notes, {Name: "distinct", Args: []request.Expression{request.MapOf{"owner": request.FieldReference("owner")}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.authorizer.Pipeline(t.Context(), server, testDB, authz.PipelineRead{Pipeline: p, Most: 4300}, func(authz.Snapshot) error { return nil }, func(request.PipelineRow) error { return nil })
	wants(t, "too little memory", err, fault.ResourceExhausted)
}

// TestPipelinesAreExplained runs pipelines whose figures say what was scanned: an index, or the whole collection, also
// by a pipeline inside another one.
func TestPipelinesAreExplained(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	for i := range 5 {
		h.seed(set(fmt.Sprintf("notes/%d", i), value.Map{"n": value.Int(i)}))
	}
	call := func(name string, args ...request.Expression) request.Expression {
		return &request.Call{Name: name, Args: args}
	}
	two := func(e request.Expression) request.Stage {
		return request.Stage{Name: "where", Args: []request.Expression{call("equal", e, constant(value.Int(2)))}}
	}
	indexed, computed := two(request.FieldReference("n")), two(call("add", request.FieldReference("n"), constant(value.Int(0))))
	inside := request.Stage{Name: "select", Args: []request.Expression{request.MapOf{"r": call("array", request.Subpipeline{from("notes"), indexed})}}}
	const byN, walked = " scanned: COLLECTION (n ASC, __name__ ASC)\n", " scanned: COLLECTION (__name__ ASC)\n"
	for name, c := range map[string]struct {
		stages []request.Stage
		want   string
	}{
		"indexed":  {[]request.Stage{from("notes"), indexed}, " documents scanned: 1\n index entries scanned: 1\n" + byN},
		"computed": {[]request.Stage{from("notes"), computed}, " documents scanned: 5\n index entries scanned: 5\n" + walked},
		"inside":   {[]request.Stage{from("notes"), inside}, " documents scanned: 10\n index entries scanned: 10\n" + walked + byN},
		"counted":  {[]request.Stage{from("notes"), indexed, {Name: "aggregate", Args: []request.Expression{request.MapOf{"c": call("count")}}}}, " documents scanned: 0\n index entries scanned: 1\n" + byN},
	} {
		p, err := pipeline.Compile(testDB, c.stages)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := h.authorizer.Pipeline(t.Context(), server, testDB, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil }, func(request.PipelineRow) error { return nil })
		if got := stats.Scans.Describe(); err != nil || got != c.want {
			t.Errorf("%s:\n%s, %v; want\n%s", name, got, err, c.want)
		}
	}
}

package authz_test

import (
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
match /free/{n} { allow read; }`)
	h.seed(set("notes/a", value.Map{"owner": value.String("ann")}))
	h.seed(set("notes/b", value.Map{"owner": value.String("eve")}))
	h.seed(set("free/x", value.Map{"n": value.Int(1)}))
	h.seed(set("limited/x", value.Map{"n": value.Int(1)}))
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
		"literals":                     {user("ann"), []request.Stage{{Name: "literals", Args: []request.Expression{request.Constant{Value: value.Map{}}}}}, -1},
		"free":                         {user("ann"), []request.Stage{free}, 1},
		"database of a server":         {server, []request.Stage{{Name: "database"}}, 4},
		"all of a server":              {server, []request.Stage{notes, inner}, 2},
		"a server's limited documents": {server, []request.Stage{source("collection", "/limited"), ten}, 1},
	} {
		p, err := pipeline.Compile(testDB, c.stages)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := 0
		_, err = h.authorizer.Pipeline(t.Context(), c.caller, testDB, authz.PipelineRead{Pipeline: p}, func(authz.Snapshot) error { return nil },
			func(request.PipelineRow) error { rows++; return nil })
		if c.rows < 0 {
			wants(t, name, err, fault.PermissionDenied)
		} else if err != nil || rows != c.rows {
			t.Errorf("%s: %d rows, %v; want %d", name, rows, err, c.rows)
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

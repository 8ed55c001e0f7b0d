package authz_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/target"
	"clave/server/internal/model/value"
)

// The ways in which a pipeline that writes is executed.
var (
	direct = authz.PipelineRead{}
	inOne  = authz.PipelineRead{At: request.At{Begin: &request.TransactionOptions{}}, AutoCommit: true}
)

// write executes stages, the last of which writes, as a caller.
func (h *fixture) write(c token.Caller, how authz.PipelineRead, stages ...request.Stage) (authz.Written, error) {
	h.t.Helper()
	var err error
	if how.Pipeline, err = pipeline.Compile(testDB, stages); err != nil {
		h.t.Fatal(err)
	}
	out, _, err := h.authorizer.WritePipeline(h.t.Context(), c, testDB, how)
	return out, err
}

// fields returns the fields of a document, nil if it is absent.
func (h *fixture) fields(path string) (out value.Map) {
	h.t.Helper()
	err := h.authorizer.Get(h.t.Context(), server, testDB, []resource.Document{name(path)}, request.At{}, func(authz.Snapshot) error { return nil },
		func(_ resource.Document, d *document.Document) error {
			if d != nil {
				out = d.Fields
			}
			return nil
		})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// constant returns a constant.
func constant(v value.Value) request.Expression { return request.Constant{Value: v} }

// from returns the source of a collection.
func from(path string) request.Stage {
	return request.Stage{Name: "collection", Args: []request.Expression{constant(value.Reference("/" + path))}}
}

// changing returns a stage that writes with fields and options.
func changing(kind pipeline.Kind, fields request.Expression, options map[string]request.Expression) request.Stage {
	s := request.Stage{Name: string(kind), Options: options}
	if fields != nil {
		s.Args = []request.Expression{fields}
	}
	return s
}

// into returns the options of a collection and, if it is not nil, an id.
func into(path string, id request.Expression) map[string]request.Expression {
	out := map[string]request.Expression{"collection": constant(value.Reference("/" + path))}
	if id != nil {
		out["document_id"] = id
	}
	return out
}

// literals returns a source of rows with a number n each.
func literals(rows ...value.Map) request.Stage {
	s := request.Stage{Name: "literals"}
	for _, row := range rows {
		s.Args = append(s.Args, constant(row))
	}
	return s
}

// one returns the fields n: 1.
func one(n int) value.Map { return value.Map{"n": value.Int(n)} }

// increment is the fields of a stage that adds one to n.
var increment = request.MapOf{"n": &request.Call{Name: "add", Args: []request.Expression{request.FieldReference("n"), request.Constant{Value: value.Int(1)}}}}

// named returns a literal row that is a document.
func named(path string, n int) value.Map {
	return value.Map{"__name__": value.Reference(name(path).String()), "n": value.Int(n)}
}

// TestPipelinesThatWrite executes pipelines as a server. what is the documents afterwards.
func TestPipelinesThatWrite(t *testing.T) {
	id := constant(value.String("new"))
	for text, c := range map[string]struct {
		how    authz.PipelineRead
		stages []request.Stage
		code   fault.Code
		count  int64
		want   map[string]value.Map
	}{
		"update":                    {direct, []request.Stage{from("c"), changing(pipeline.Update, increment, nil)}, fault.OK, 2, map[string]value.Map{"c/1": one(2), "c/2": one(3)}},
		"update in a transaction":   {inOne, []request.Stage{from("c"), changing(pipeline.Update, increment, nil)}, fault.OK, 2, map[string]value.Map{"c/1": one(2), "c/2": one(3)}},
		"update of an absent one":   {direct, []request.Stage{literals(named("c/1", 7), named("c/9", 7)), changing(pipeline.Update, constant(value.Map{}), nil)}, fault.OK, 1, map[string]value.Map{"c/1": one(7), "c/9": nil}},
		"and in a transaction":      {inOne, []request.Stage{literals(named("c/1", 7), named("c/9", 7)), changing(pipeline.Update, constant(value.Map{}), nil)}, fault.NotFound, 0, map[string]value.Map{"c/1": one(1), "c/9": nil}},
		"delete":                    {direct, []request.Stage{from("c"), changing(pipeline.Delete, nil, nil)}, fault.OK, 2, map[string]value.Map{"c/1": nil, "c/2": nil, "d/1": one(1)}},
		"delete of an absent one":   {inOne, []request.Stage{literals(named("c/9", 7), named("c/1", 7)), changing(pipeline.Delete, nil, nil)}, fault.OK, 1, map[string]value.Map{"c/1": nil, "c/2": one(2)}},
		"insert":                    {direct, []request.Stage{literals(one(5)), changing(pipeline.Insert, nil, into("e", id))}, fault.OK, 1, map[string]value.Map{"e/new": one(5)}},
		"insert by name":            {direct, []request.Stage{literals(named("e/x", 5)), changing(pipeline.Insert, nil, nil)}, fault.OK, 1, map[string]value.Map{"e/x": one(5)}},
		"insert beside":             {direct, []request.Stage{from("d"), changing(pipeline.Insert, nil, map[string]request.Expression{"document_id": id})}, fault.OK, 1, map[string]value.Map{"d/new": one(1), "d/1": one(1)}},
		"insert as in the source":   {inOne, []request.Stage{from("c"), changing(pipeline.Insert, nil, into("e", nil))}, fault.OK, 2, map[string]value.Map{"e/1": one(1), "e/2": one(2)}},
		"insert of an existing one": {direct, []request.Stage{from("c"), changing(pipeline.Insert, nil, into("d", nil))}, fault.AlreadyExists, 0, map[string]value.Map{"d/1": one(1), "d/2": nil}},
		"insert twice":              {direct, []request.Stage{from("c"), changing(pipeline.Insert, nil, into("e", id))}, fault.InvalidArgument, 0, map[string]value.Map{"e/new": nil}},
		"insert without a name":     {direct, []request.Stage{literals(one(1)), changing(pipeline.Insert, nil, nil)}, fault.InvalidArgument, 0, nil},
		"upsert":                    {direct, []request.Stage{from("c"), changing(pipeline.Upsert, increment, into("d", nil))}, fault.OK, 2, map[string]value.Map{"d/1": one(2), "d/2": one(3)}},
		"upsert of literals":        {direct, []request.Stage{literals(named("c/1", 5)), changing(pipeline.Upsert, constant(value.Map{}), nil)}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"and as one":                {inOne, []request.Stage{literals(named("c/1", 5), named("c/9", 6)), changing(pipeline.Upsert, constant(value.Map{}), nil)}, fault.OK, 2, map[string]value.Map{"c/1": one(5), "c/9": one(6)}},
		"an id with a slash":        {direct, []request.Stage{literals(one(1)), changing(pipeline.Insert, nil, into("e", constant(value.String("a/b"))))}, fault.InvalidArgument, 0, nil},
		"a reserved field":          {direct, []request.Stage{from("c"), changing(pipeline.Update, constant(value.Map{"__a__": value.Int(1)}), nil)}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"an array in an array":      {direct, []request.Stage{from("c"), changing(pipeline.Update, constant(value.Map{"a": value.Array{value.Array{}}}), nil)}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"no reference":              {direct, []request.Stage{from("c"), changing(pipeline.Update, constant(value.Map{"a": value.Reference("/c")}), nil)}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"another database":          {direct, []request.Stage{literals(value.Map{"__name__": value.Reference("projects/p/databases/other/documents/c/1")}), changing(pipeline.Insert, nil, nil)}, fault.InvalidArgument, 0, nil},
		"a past state":              {authz.PipelineRead{At: request.At{ReadTime: 1}}, []request.Stage{from("c"), changing(pipeline.Delete, nil, nil)}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"too many documents":        {inOne, []request.Stage{literals(one(1)), {Name: "unnest", Args: []request.Expression{constant(value.Array(slices.Repeat([]value.Value{value.Null{}}, 20_001))), request.FieldReference("a")}}, changing(pipeline.Insert, nil, into("e", nil))}, fault.InvalidArgument, 0, map[string]value.Map{"c/1": one(1)}},
		"nothing":                   {direct, []request.Stage{from("empty"), changing(pipeline.Delete, nil, nil)}, fault.OK, 0, map[string]value.Map{"c/1": one(1)}},
	} {
		t.Run(text, func(t *testing.T) {
			h := newFixture(t, authz.RulesetsOptions{})
			h.seed(set("c/1", one(1)), set("c/2", one(2)), set("d/1", one(1)))
			out, err := h.write(server, c.how, c.stages...)
			wants(t, text, err, c.code)
			if err == nil && out.Modified != c.count {
				t.Errorf("%d documents were modified, want %d", out.Modified, c.count)
			}
			for path, want := range c.want {
				if got := h.fields(path); (got == nil) != (want == nil) || want != nil && !value.Identical(got, want) {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
		})
	}
}

// TestPipelinesThatWriteUnderRules executes pipelines of users. Each source and each write is judged; if one is denied,
// nothing is written.
func TestPipelinesThatWriteUnderRules(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /notes/{n} {
  allow read, delete: if resource.data.owner == request.auth.uid;
  allow update: if resource.data.owner == request.auth.uid && request.resource.data.owner == request.auth.uid;
}
match /public/{n} { allow read; allow create: if request.resource.data.n < 3; }
match /log/{n} { allow create; }`)
	note := func(owner string, n int) value.Map {
		return value.Map{"owner": value.String(owner), "n": value.Int(n)}
	}
	own := request.Stage{Name: "where", Args: []request.Expression{&request.Call{Name: "equal", Args: []request.Expression{
		request.FieldReference("owner"), constant(value.String("ann")),
	}}}}
	secret := request.Stage{Name: "select", Args: []request.Expression{request.MapOf{"__name__": constant(value.Reference("/notes/eve")), "n": constant(value.Int(9))}}}
	first := request.Stage{Name: "limit", Args: []request.Expression{constant(value.Int(1))}}
	give := constant(value.Map{"owner": value.String("eve")})
	for text, c := range map[string]struct {
		caller token.Caller
		stages []request.Stage
		code   fault.Code
		want   map[string]value.Map
	}{
		"own":                      {user("ann"), []request.Stage{from("notes"), own, changing(pipeline.Update, increment, nil)}, fault.OK, map[string]value.Map{"notes/a": note("ann", 2), "notes/eve": note("eve", 1)}},
		"all":                      {user("ann"), []request.Stage{from("notes"), changing(pipeline.Update, increment, nil)}, fault.PermissionDenied, nil},
		"of others":                {user("eve"), []request.Stage{from("notes"), own, changing(pipeline.Delete, nil, nil)}, fault.PermissionDenied, nil},
		"given away":               {user("ann"), []request.Stage{from("notes"), own, changing(pipeline.Update, give, nil)}, fault.PermissionDenied, nil},
		"deleted":                  {user("ann"), []request.Stage{from("notes"), own, changing(pipeline.Delete, nil, nil)}, fault.OK, map[string]value.Map{"notes/a": nil, "notes/b": nil, "notes/eve": note("eve", 1)}},
		"another one by its name":  {user("ann"), []request.Stage{from("public"), first, secret, changing(pipeline.Update, constant(value.Map{}), nil)}, fault.PermissionDenied, nil},
		"upsert by its name":       {user("ann"), []request.Stage{from("public"), first, secret, changing(pipeline.Upsert, constant(value.Map{}), nil)}, fault.PermissionDenied, nil},
		"delete by its name":       {user("ann"), []request.Stage{from("public"), first, secret, changing(pipeline.Delete, nil, nil)}, fault.PermissionDenied, nil},
		"created":                  {user("ann"), []request.Stage{from("public"), changing(pipeline.Insert, nil, into("log", nil))}, fault.OK, map[string]value.Map{"log/1": one(1), "log/2": one(2)}},
		"created if one is denied": {user("ann"), []request.Stage{from("public"), changing(pipeline.Insert, nil, map[string]request.Expression{"document_id": &request.Call{Name: "string_concat", Args: []request.Expression{constant(value.String("x")), &request.Call{Name: "document_id", Args: []request.Expression{request.FieldReference("__name__")}}}}})}, fault.OK, map[string]value.Map{"public/x1": one(1), "public/x2": one(2)}},
		"created, one denied":      {user("ann"), []request.Stage{from("public"), changing(pipeline.Upsert, increment, into("public", &request.Call{Name: "string_concat", Args: []request.Expression{constant(value.String("y")), &request.Call{Name: "document_id", Args: []request.Expression{request.FieldReference("__name__")}}}}))}, fault.PermissionDenied, map[string]value.Map{"public/y1": nil, "public/y2": nil}},
		"literals":                 {user("ann"), []request.Stage{literals(one(1)), changing(pipeline.Insert, nil, into("log", nil))}, fault.PermissionDenied, nil},
		"nobody":                   {anonymous, []request.Stage{from("notes"), own, changing(pipeline.Delete, nil, nil)}, fault.PermissionDenied, nil},
	} {
		for how, read := range map[string]authz.PipelineRead{"direct": direct, "in a transaction": inOne} {
			t.Run(text+" "+how, func(t *testing.T) {
				h.seed(set("notes/a", note("ann", 1)), set("notes/b", note("ann", 1)), set("notes/eve", note("eve", 1)), set("public/1", one(1)), set("public/2", one(2)))
				_, err := h.write(server, direct, from("log"), changing(pipeline.Delete, nil, nil))
				wants(t, "removing the log", err, fault.OK)
				h.seed(document.Write{Op: document.Delete, Name: name("public/x1")}, document.Write{Op: document.Delete, Name: name("public/x2")})
				_, err = h.write(c.caller, read, c.stages...)
				wants(t, text, err, c.code)
				want := c.want
				if want == nil {
					want = map[string]value.Map{"notes/a": note("ann", 1), "notes/b": note("ann", 1), "notes/eve": note("eve", 1), "log/1": nil}
				}
				for path, fields := range want {
					if got := h.fields(path); (got == nil) != (fields == nil) || fields != nil && !value.Identical(got, fields) {
						t.Errorf("%s is %v, want %v", path, got, fields)
					}
				}
			})
		}
	}
}

// TestPipelinesThatWriteAtOnce increments a number by many pipelines at the same time. Each that succeeds counts once.
func TestPipelinesThatWriteAtOnce(t *testing.T) {
	for name, how := range map[string]authz.PipelineRead{"direct": direct, "in a transaction": inOne} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, authz.RulesetsOptions{})
			h.seed(set("c/1", one(0)))
			p, err := pipeline.Compile(testDB, []request.Stage{from("c"), changing(pipeline.Update, increment, nil)})
			if err != nil {
				t.Fatal(err)
			}
			how.Pipeline = p
			var done atomic.Int64
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 10 {
						switch _, _, err := h.authorizer.WritePipeline(t.Context(), server, testDB, how); {
						case err == nil:
							done.Add(1)
						case !fault.Is(err, fault.Aborted):
							t.Errorf("%v, want success or Aborted", err)
						}
					}
				})
			}
			all.Wait()
			if got := h.fields("c/1")["n"]; got != value.Int(done.Load()) || done.Load() < 10 {
				t.Errorf("n is %v after %d pipelines", got, done.Load())
			}
		})
	}
}

// TestPipelinesThatWriteInTransactions leaves writes to the commit of a transaction: it applies them and its own, or
// none; rules decide about all of them; and what they write can't be read before.
func TestPipelinesThatWriteInTransactions(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.rules(`match /open/{n} { allow read, write; } match /closed/{n} { allow read; }`)
	begin := func(c token.Caller) authz.PipelineRead {
		id, err := h.authorizer.Begin(t.Context(), c, testDB, request.TransactionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return authz.PipelineRead{At: request.At{Transaction: id}}
	}
	commit := func(c token.Caller, how authz.PipelineRead, writes ...document.Write) (request.CommitResult, error) {
		return h.authorizer.Commit(t.Context(), c, testDB, request.Commit{Transaction: how.At.Transaction, Writes: writes})
	}
	h.seed(set("open/1", one(1)))
	move := func(c token.Caller, how authz.PipelineRead, to string) {
		t.Helper()
		out, err := h.write(c, how, from("open"), changing(pipeline.Insert, nil, into(to, nil)))
		wants(t, "insert", err, fault.OK)
		if out.Modified != 1 || h.fields(to+"/1") != nil {
			t.Errorf("%d documents, %v before the commit", out.Modified, h.fields(to+"/1"))
		}
		_, err = h.write(c, how, from("open"), changing(pipeline.Delete, nil, nil))
		wants(t, "delete", err, fault.OK)
	}

	how := begin(server)
	move(server, how, "archive")
	_, err := h.write(server, how, from("archive"), changing(pipeline.Delete, nil, nil))
	wants(t, "a read of what is written", err, fault.Unimplemented)
	wants(t, "a get of it", h.readIn(server, how.At, "archive/1"), fault.Unimplemented)
	wants(t, "a get of something else", h.readIn(server, how.At, "other/1"), fault.OK)
	result, err := commit(server, how, set("other/1", one(5)))
	wants(t, "commit", err, fault.OK)
	if len(result.Results) != 1 || h.fields("archive/1") == nil || h.fields("open/1") != nil || h.fields("other/1") == nil {
		t.Errorf("%d results, %v, %v, %v", len(result.Results), h.fields("archive/1"), h.fields("open/1"), h.fields("other/1"))
	}

	h.seed(set("open/1", one(1)))
	how = begin(server)
	move(server, how, "archive2")
	if err := h.authorizer.Rollback(t.Context(), server, testDB, how.At.Transaction); err != nil {
		t.Fatal(err)
	}
	if h.fields("archive2/1") != nil || h.fields("open/1") == nil {
		t.Error("a rollback has written")
	}

	ann := user("ann")
	how = begin(ann)
	_, err = h.write(ann, how, from("open"), changing(pipeline.Upsert, increment, into("closed", nil)))
	wants(t, "a write that rules deny", err, fault.OK)
	_, err = commit(ann, how, set("open/2", one(2)))
	wants(t, "its commit", err, fault.PermissionDenied)
	how = begin(ann)
	_, err = h.write(ann, how, from("open"), changing(pipeline.Update, increment, nil))
	wants(t, "a write that rules allow", err, fault.OK)
	h.seed(set("open/1", one(7)))
	_, err = commit(ann, how)
	wants(t, "the commit after a change of what was read", err, fault.Aborted)
	if got := h.fields("open/1"); !value.Identical(got, one(7)) || h.fields("closed/1") != nil || h.fields("open/2") != nil {
		t.Errorf("open/1 is %v, and others are %v, %v", got, h.fields("closed/1"), h.fields("open/2"))
	}

	id, err := h.authorizer.Begin(t.Context(), server, testDB, request.TransactionOptions{ReadOnly: true})
	wants(t, "begin", err, fault.OK)
	_, err = h.write(server, authz.PipelineRead{At: request.At{Transaction: id}}, from("open"), changing(pipeline.Delete, nil, nil))
	wants(t, "a read-only transaction", err, fault.InvalidArgument)
	out, err := h.write(server, authz.PipelineRead{At: request.At{Begin: &request.TransactionOptions{}}}, from("open"), changing(pipeline.Delete, nil, nil))
	wants(t, "a new transaction", err, fault.OK)
	if h.fields("open/1") == nil || len(out.Transaction) == 0 {
		t.Errorf("the new transaction %x has written before its commit", out.Transaction)
	}
	_, err = commit(server, authz.PipelineRead{At: request.At{Transaction: out.Transaction}})
	wants(t, "its commit", err, fault.OK)
	if h.fields("open/1") != nil {
		t.Error("the commit of the new transaction has written nothing")
	}
}

// TestPipelinesThatWriteAreSeen writes by a pipeline while a listener is open.
func TestPipelinesThatWriteAreSeen(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.seed(set("c/1", one(1)))
	l := h.listen(server)
	l.stream.Add(target.Target{ID: 1, Query: all(t, "c")})
	l.await(target.Current)
	_, err := h.write(server, direct, from("c"), changing(pipeline.Update, increment, nil))
	wants(t, "update", err, fault.OK)
	if e := l.await(target.Changed); fmt.Sprint(e.Doc.Document.Fields["n"]) != "2" {
		t.Errorf("the listener received %v", e.Doc.Document.Fields)
	}
}

// TestReadOnlyCallersWriteNoPipelines executes a pipeline that writes as a caller that must not write.
func TestReadOnlyCallersWriteNoPipelines(t *testing.T) {
	h := newFixture(t, authz.RulesetsOptions{})
	h.seed(set("c/1", one(1)))
	reader := server
	reader.ReadOnly = true
	for _, how := range []authz.PipelineRead{direct, inOne, {At: request.At{Begin: &request.TransactionOptions{}}}} {
		_, err := h.write(reader, how, from("c"), changing(pipeline.Delete, nil, nil))
		wants(t, "a pipeline that writes", err, fault.PermissionDenied)
	}
	if h.fields("c/1") == nil {
		t.Error("the document was deleted")
	}
}

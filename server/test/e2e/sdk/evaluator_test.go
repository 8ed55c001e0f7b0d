package sdk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/pipeline"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	"clave/server/internal/model/wire"
	pb "clave/server/internal/model/wire/firestorepb"
	"clave/server/test/e2e/harness"
)

// TestPipelinesEvaluateAsTheSDK evaluates random expressions over random documents, and the same with the evaluator of
// the JavaScript SDK (evaluator.mjs). Where all arguments of a function agree, its results must agree too, but for the
// differences that are decided (evaluator_differences_test.go) and listed in doc/pipelines.md. CLAVE_EVALUATOR_CASES
// is the number of expressions, and CLAVE_EVALUATOR_SEED another seed.
func TestPipelinesEvaluateAsTheSDK(t *testing.T) {
	modules, err := filepath.Abs("sdks/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "firebase")); err != nil {
		t.Skipf("%s has no firebase: make test installs it", modules)
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	want := number("CLAVE_EVALUATOR_CASES", 4000)
	g := &expressions{Rand: rand.New(rand.NewPCG(uint64(number("CLAVE_EVALUATOR_SEED", 1)), 2))}
	for len(g.cases) < want {
		g.fields = g.document()
		for range 10 {
			g.expression(2, anyKind)
		}
	}
	g.askSDK(t, modules)
	agreed, decided, reported := 0, map[string]int{}, 0
	covered := map[string]int{}
	for _, c := range g.cases {
		name := c.value.GetFunctionValue().GetName()
		if c.theirs.kind == "unknown" {
			t.Fatalf("the evaluator lacks %s", name)
		}
		c.ours = evaluated(t, c)
		comparable := true
		for _, arg := range c.args {
			comparable = comparable && arg.agrees && !arg.thrown
		}
		if !comparable {
			continue
		}
		if c.agrees = c.ours.equal(c.theirs); c.agrees {
			agreed++
			covered[name]++
			continue
		}
		if why := decision(c); why != "" {
			decided[why]++
			covered[name]++
			continue
		}
		if reported++; reported <= 40 {
			t.Errorf("%s of %v: %v, the SDK %v", name, c.arguments(), c.ours, c.theirs)
		}
	}
	t.Logf("%d expressions: %d agree, %d differ as decided, %d otherwise; %v", len(g.cases), agreed, sum(decided), reported, decided)
	page, err := os.ReadFile("../../doc/pipelines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if !bytes.Contains(page, []byte("- "+d.why+"\n")) {
			t.Errorf("doc/pipelines.md does not list %q", d.why)
		}
		if decided[d.why] == 0 && !d.rare && want >= 100_000 && os.Getenv("CLAVE_EVALUATOR_SEED") == "" {
			t.Errorf("no expression differs by %q: remove the decision", d.why)
		}
	}
	for _, f := range functionsOfSDK {
		if covered[f.name] == 0 {
			t.Errorf("no expression with %s was compared", f.name)
		}
	}
}

// sum returns the sum of counts.
func sum(counts map[string]int) (out int) {
	for _, n := range counts {
		out += n
	}
	return out
}

// outcome is what an expression evaluates to: a value, nothing (unset), or an error.
type outcome struct {
	kind  string // value, unset, error or unknown
	value value.Value
}

// String prints an outcome.
func (o outcome) String() string {
	if o.kind == "value" {
		return fmt.Sprintf("%T(%v)", o.value, o.value)
	}
	return o.kind
}

// is reports whether the outcome is a value of a kind.
func (o outcome) is(k value.Kind) bool { return o.kind == "value" && o.value.Kind() == k }

// equal reports whether two outcomes are the same. The signs of zeros may differ.
func (o outcome) equal(p outcome) bool {
	if o.kind != p.kind || o.kind != "value" {
		return o.kind == p.kind
	}
	return fmt.Sprintf("%T", o.value) == fmt.Sprintf("%T", p.value) && (value.Equal(o.value, p.value) || value.Identical(o.value, p.value))
}

// evaluation is an expression over a document.
type evaluation struct {
	fields map[string]*pb.Value
	value  *pb.Value
	args   []*evaluation
	ours   outcome
	theirs outcome
	// agrees is set if the outcomes are the same. thrown is set if the evaluator fails, which is_error there does not see.
	agrees, thrown bool
}

// arguments returns the outcomes of the arguments.
func (c *evaluation) arguments() (out []outcome) {
	for _, arg := range c.args {
		out = append(out, arg.theirs)
	}
	return out
}

// askSDK evaluates all cases with the SDK.
func (g *expressions) askSDK(t *testing.T, modules string) {
	t.Helper()
	var in bytes.Buffer
	for _, c := range g.cases {
		fields, err := protojson.Marshal(&pb.MapValue{Fields: c.fields})
		if err != nil {
			t.Fatal(err)
		}
		var inner struct {
			Fields json.RawMessage `json:"fields"`
		}
		if err := json.Unmarshal(fields, &inner); err != nil {
			t.Fatal(err)
		}
		expression, err := protojson.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(map[string]json.RawMessage{"fields": inner.Fields, "value": expression})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "sdk/evaluator.mjs")
	cmd.Env = append(os.Environ(), "SDK_MODULES="+modules, "NODE_NO_WARNINGS=1")
	cmd.Stdin = &in
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failure.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for _, c := range g.cases {
		if !lines.Scan() {
			t.Fatal("the program wrote too few lines")
		}
		var got struct {
			Type, Text string
			Value      json.RawMessage
			Unknown    bool
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case got.Unknown:
			c.theirs.kind = "unknown"
		case got.Type == "ERROR", got.Type == "THROWN":
			c.theirs.kind, c.thrown = "error", got.Type == "THROWN"
		case got.Type == "UNSET":
			c.theirs.kind = "unset"
		case got.Type == "NULL":
			c.theirs = outcome{"value", value.Null{}}
		default:
			var v pb.Value
			if err := protojson.Unmarshal(got.Value, &v); err != nil {
				t.Fatalf("%s: %v", got.Value, err)
			}
			parsed, err := wire.ParseValue(&v)
			if err != nil {
				c.theirs.kind = "error" // a time out of range
				continue
			}
			c.theirs = outcome{"value", parsed}
		}
	}
}

// evaluated evaluates a case by a pipeline.
func evaluated(t *testing.T, c *evaluation) outcome {
	t.Helper()
	call := func(name string, args ...*pb.Value) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_FunctionValue{FunctionValue: &pb.Function{Name: name, Args: args}}}
	}
	object := func(fields map[string]*pb.Value) *pb.Value {
		return &pb.Value{ValueType: &pb.Value_MapValue{MapValue: &pb.MapValue{Fields: fields}}}
	}
	stages := []*pb.Pipeline_Stage{
		{Name: "literals", Args: []*pb.Value{object(c.fields)}},
		{Name: "select", Args: []*pb.Value{object(map[string]*pb.Value{"v": c.value, "failed": call("is_error", c.value)})}},
	}
	db, parsed, err := wire.ParseExecutePipeline(&pb.ExecutePipelineRequest{
		Database:     "projects/p/databases/d",
		PipelineType: &pb.ExecutePipelineRequest_StructuredPipeline{StructuredPipeline: &pb.StructuredPipeline{Pipeline: &pb.Pipeline{Stages: stages}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Compile(db, parsed.Stages)
	if err != nil {
		t.Fatalf("%v: %v", c.value, err)
	}
	out := outcome{kind: "unset"}
	_, err = p.Run(t.Context(), literalsOnly{}, time.Unix(0, 0), func(r request.PipelineRow) error {
		switch v, ok := r.Document.Fields["v"]; {
		case r.Document.Fields["failed"] == value.Bool(true):
			out.kind = "error"
		case ok:
			out = outcome{"value", v}
		}
		return nil
	})
	if fault.Is(err, fault.InvalidArgument) {
		return outcome{kind: "error"}
	}
	if err != nil {
		t.Fatalf("%v: %v", c.value, err)
	}
	return out
}

// literalsOnly is a source without documents.
type literalsOnly struct{}

func (literalsOnly) Query(context.Context, *query.Query, *query.Query, func(*document.Document) error) error {
	return nil
}

func (literalsOnly) Aggregate(context.Context, *query.Aggregation, *query.Query) (map[string]value.Value, error) {
	return nil, nil
}

func (literalsOnly) Get(context.Context, []resource.Document, func(*document.Document) error) error {
	return nil
}

func (literalsOnly) Judged() bool                             { return false }
func (literalsOnly) List(context.Context, *query.Query) error { return nil }
func (literalsOnly) Work(context.Context, int) error          { return nil }
func (literalsOnly) Hold(int64) error                         { return nil }

package sdk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"clave/server/test/e2e/harness"
)

// pipelineSuite is the part of the Go client's suite for databases of the Enterprise edition. Left out are:
//
//   - PipelineSearch, for the stage search, and the four parts BSON* and bsonPipelineFuncs, for the types of BSON: both
//     are not implemented.
//   - Switch, whose expected order is that of two random ids.
//   - SampleWithPercentage, which expects that a random part is not the whole.
//   - CurrentTimestamp, which compares with the time at which the table of cases was made.
var pipelineSuite = suite{
	pkg: "cloud.google.com/go/firestore", run: "^TestIntegration_EnterpriseDB$", passes: 2,
	without: "EnterpriseDB/enterprise/(PipelineSearch|BSON)" +
		"|EnterpriseDB/enterprise/PipelineStages/Sample/SampleWithPercentage" +
		"|EnterpriseDB/enterprise/PipelineFunctions/bsonPipelineFuncs|EnterpriseDB/enterprise/PipelineFunctions/logicalFuncs/Switch|EnterpriseDB/enterprise/PipelineFunctions/timestampFuncs/CurrentTimestamp",
	variables: []string{"GCLOUD_TESTS_GOLANG_FIRESTORE_ENTERPRISE_DATABASES=enterprise"},
}

// TestPipelinesPassTheSuiteOfTheClient runs the Go client's tests of pipelines, unchanged, against `clave serve`.
func TestPipelinesPassTheSuiteOfTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("the SDKs' own suites are too slow for -short")
	}
	pipelineSuite.pass(t)
}

// TestPipelinesOfTheWebSDK runs a program with pipelines that read and write, under rules, by the web SDK's full and
// lite packages.
func TestPipelinesOfTheWebSDK(t *testing.T) {
	a := harness.Start(t, map[string]string{
		"firebase.json": `{"firestore": [{"database": "pipes", "edition": "enterprise", "rules": "firestore.rules"}]}`,
		"firestore.rules": `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents/c/{n} {
  match /a/{x} { allow read, write; }
  match /copy/{x} { allow read, write; }
  match /shut/{x} { allow read; allow write: if x == '2'; }
} }`,
	})
	dir := nodePrograms(t, harness.SdksOf[1].Folder)
	program, err := os.ReadFile("sdk/pipelines.mjs")
	if err != nil {
		t.Fatal(err)
	}
	harness.WriteFile(t, filepath.Join(dir, "pipelines.mjs"), string(program))
	ctx, cancel := context.WithTimeout(t.Context(), harness.ScriptLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "pipelines.mjs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "FIRESTORE_EMULATOR_HOST="+a.Firestore, "GCLOUD_PROJECT="+harness.Project, "DATABASE=pipes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPipelinesReadThePast reads a collection and named documents at a past time with the Go client.
func TestPipelinesReadThePast(t *testing.T) {
	a := harness.Start(t, map[string]string{"firebase.json": `{"firestore": [{"database": "pipes", "edition": "enterprise"}]}`})
	t.Setenv("FIRESTORE_EMULATOR_HOST", a.Firestore)
	client, err := firestore.NewClientWithDatabase(t.Context(), harness.Project, "pipes")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	set := func(id string, v int) time.Time {
		t.Helper()
		result, err := client.Doc("c/"+id).Set(t.Context(), map[string]any{"v": v})
		if err != nil {
			t.Fatal(err)
		}
		return result.UpdateTime
	}
	set("changed", 1)
	then := set("deleted", 2)
	set("changed", 3)
	if _, err := client.Doc("c/deleted").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}

	values := func(p *firestore.Pipeline) (out []string, err error) {
		for rows := p.Execute(t.Context()).Results(); ; {
			row, err := rows.Next()
			if errors.Is(err, iterator.Done) {
				slices.Sort(out)
				return out, nil
			}
			if err != nil {
				return nil, err
			}
			out = append(out, fmt.Sprint(row.Data()["v"]))
		}
	}
	for name, p := range map[string]*firestore.Pipeline{
		"collection": client.Pipeline().Collection("c"),
		"sorted":     client.Pipeline().Collection("c").Sort(firestore.Orders(firestore.Descending(firestore.FieldOf("v")))),
		"documents":  client.Pipeline().Documents([]*firestore.DocumentRef{client.Doc("c/changed"), client.Doc("c/deleted")}),
	} {
		if got, err := values(p); err != nil || !slices.Equal(got, []string{"3"}) {
			t.Errorf("%s now: %v, %v", name, got, err)
		}
		if got, err := values(p.WithReadOptions(firestore.ReadTime(then))); err != nil || !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("%s at %v: %v, %v", name, then, got, err)
		}
		for _, at := range []time.Time{then.Add(-24 * time.Hour), then.Add(24 * time.Hour)} {
			if got, err := values(p.WithReadOptions(firestore.ReadTime(at))); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s at %v: %v, %v", name, at, got, err)
			}
		}
	}
}

package sdk

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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

package sdk

import "testing"

// pipelineSuite is the part of the Go client's suite for databases of the Enterprise edition. It leaves out the stages
// that write, search and the BSON types, which are not implemented, and the case of switch_on, which depends on the
// order of random ids.
var pipelineSuite = suite{
	pkg: "cloud.google.com/go/firestore", run: "^TestIntegration_EnterpriseDB$", passes: 2,
	without:   "EnterpriseDB/enterprise/(PipelineSearch|BSON)|/PipelineStages/(Update|Delete|Insert|Upsert)|/(bsonPipelineFuncs|logicalFuncs/Switch)",
	variables: []string{"GCLOUD_TESTS_GOLANG_FIRESTORE_ENTERPRISE_DATABASES=enterprise"},
}

// TestPipelinesPassTheSuiteOfTheClient runs the Go client's tests of pipelines, unchanged, against `clave serve`.
func TestPipelinesPassTheSuiteOfTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("the SDKs' own suites are too slow for -short")
	}
	pipelineSuite.pass(t)
}

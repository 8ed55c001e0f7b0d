package sdk

import "testing"

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

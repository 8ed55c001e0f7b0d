package sdk

import "testing"

// pipelineSuite is the part of the Go client's suite for databases of the Enterprise edition. It leaves out the stages
// that write, search and the BSON types, which are not implemented, and cases that fail by chance: that of switch_on
// depends on the order of random ids, and that of a sampled part may get all documents, and
// current_timestamp is compared with the time at which the table of cases was made.
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

// Package sdk tests Clave with the SDKs for Go, Node and browsers, and against recorded answers and the
// official emulators. Most of its servers run in the process of the test, so the race detector sees
// them.
package sdk

import (
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMain runs the tests with the files and folders that the packages of e2e share.
func TestMain(m *testing.M) { harness.Main(m) }

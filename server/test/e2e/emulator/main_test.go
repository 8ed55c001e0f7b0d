// Package emulator tests the commands for development, above all `clave start`, as processes.
package emulator

import (
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMain runs the tests with the files and folders that the packages of e2e share.
func TestMain(m *testing.M) { harness.Main(m) }

// Package attack carries out attacks on the program, and floods it with unfinished requests, large
// bodies and slow readers.
package attack

import (
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMain runs the tests with the files and folders that the packages of e2e share.
func TestMain(m *testing.M) { harness.Main(m) }

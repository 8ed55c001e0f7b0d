// Package production tests `clave serve` and the commands on its data, as processes.
package production

import (
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMain runs the tests with the files and folders that the packages of e2e share.
func TestMain(m *testing.M) { harness.Main(m) }

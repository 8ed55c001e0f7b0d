package download_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when the tests leave goroutines behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

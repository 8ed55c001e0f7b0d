// Package nodes tests several nodes on PostgreSQL, with kills, hand-overs, releases and followers that serve reads.
package nodes

import (
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMain runs the tests with the files and folders that the packages of e2e share.
func TestMain(m *testing.M) { harness.Main(m) }

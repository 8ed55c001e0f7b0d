package attack

import (
	"crypto/tls"
	"fmt"
	"testing"

	"clave/server/test/e2e/harness"
)

// mostSlowReaders is the limit in MiB of the resident set of a server with 500 slow readers. The goal is 200, which
// make attack reports; the answers are 2 GiB, and 1,070 to 1,180 MiB were used while what a reader holds did not depend
// on what it reads.
const mostSlowReaders = 300

// TestSlowReadersDoNotFillTheMemory opens 500 large answers and live queries over all transports, reads only the
// beginning of each, and changes every document several times. The resident set must stay bounded, and the server must
// answer a small request.
func TestSlowReadersDoNotFillTheMemory(t *testing.T) {
	harness.Parallel(t)
	if testing.Short() {
		t.Skip("hundreds of connections are opened")
	}
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %v", secure), func(t *testing.T) {
			dir := harness.ProductionFolder(t) // nodes have their data in it
			harness.WriteFile(t, dir+"/firestore.rules", harness.SlowRules)
			p := harness.Serve(t, dir, secure, "--data", t.TempDir(), "--anonymous-writes", "100000")
			s := &harness.SlowReader{T: t, Origin: p.URL, Project: harness.RealProject}
			if secure {
				s.Settings = &tls.Config{RootCAs: p.Roots}
			}
			s.Fill(0)
			s.OverAll(p, mostSlowReaders)
		})
	}
}

package sdk

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"clave/server/test/e2e/harness"
)

// compatSeeds is the number of request sequences of TestCompatWithOfficialEmulator. TestRulesAgainstTheOfficialEmulator
// compares 300 expressions for each.
var compatSeeds = flag.Uint64("compat.seeds", 3, "series of requests that are compared with the official emulator's answers")

// TestCompatWithOfficialEmulator sends the same generated requests to Clave and to the official Firestore emulator and
// compares the answers. compatDifferences lists the differences between the emulator and production.
func TestCompatWithOfficialEmulator(t *testing.T) {
	t.Parallel()
	theirs := harness.StartOfficialEmulator(t)
	ours := harness.Start(t, nil).Firestore
	for seed := range *compatSeeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := &compatGenerator{rand: rand.New(rand.NewPCG(seed, 7)), project: fmt.Sprintf("compat-%d", seed)}
			c := &compatRun{t: t, ours: ours, theirs: theirs, project: g.project, excused: map[string]int{}}
			for _, r := range g.documents(40) {
				c.compare(r)
			}
			for range 150 {
				c.compare(g.query())
			}
			for range 80 {
				c.compare(g.write())
			}
			c.compare(compatRequest{method: "GET", path: "/c?pageSize=100"})
			for range 40 {
				c.compare(g.query())
			}
			for range 20 {
				c.compare(g.aggregation())
				c.compare(g.listing())
				c.compare(g.lookup())
				c.compare(g.nearest())
			}
			for _, r := range g.odd() {
				c.compare(r)
			}
			for name, n := range c.excused {
				t.Logf("%d answers differ as production does: %s", n, name)
			}
		})
	}
}

package migrate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/engine/planner"
	"clave/server/internal/database/index"
	"clave/server/internal/rules/ruletest"
)

// maxRecording is the maximum size in bytes of a recording.
const maxRecording = 256 << 20

// MissingIndexes returns the indexes that the queries of a recording need and the definitions do not have, those that
// most queries need first.
func MissingIndexes(recording string, defs index.Definitions) ([]MissingIndex, error) {
	text, err := regularfile.ReadText(recording, maxRecording)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "cannot read the recording: %v", err)
	}
	cases, err := ruletest.ReadCases(bytes.NewReader(text))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%s is not a recording: %v", recording, err)
	}
	ids := make([]uint32, len(defs.Indexes))
	for i := range ids {
		ids[i] = uint32(i)
	}
	in := &planner.Input{DB: ruletest.Database, Indexes: index.NewSet(defs, ids), DescendingNames: true, Serves: func(*index.Composite) bool { return true }}
	needed := make(map[string]int)
	for i := range cases {
		q, err := cases[i].Query()
		if err == nil && q != nil {
			var plan *planner.Plan
			if plan, err = planner.New(in, q); err == nil {
				for _, d := range plan.Missing {
					needed[d.JSON()]++
				}
			}
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "%s, case %d: %v", recording, i+1, fault.Reason(err))
		}
	}
	missing := []MissingIndex{}
	for text, n := range needed {
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("the definition of an index is not JSON: %s", text)
		}
		missing = append(missing, MissingIndex{Index: json.RawMessage(text), Queries: n})
	}
	slices.SortFunc(missing, func(a, b MissingIndex) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(string(a.Index), string(b.Index)))
	})
	return missing, nil
}

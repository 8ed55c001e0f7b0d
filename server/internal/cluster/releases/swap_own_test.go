package releases

import (
	"testing"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/database/projectfiles"
	"clave/server/internal/store/release"
)

// TestRulesOfADatabaseThatWasDeletedMeanwhile releases rules whose database is deleted after they were checked. The
// release must not have them: a later database of the name would have them after a restart.
func TestRulesOfADatabaseThatWasDeletedMeanwhile(t *testing.T) {
	s := &Service{o: Options{Project: &projectfiles.Project{ID: "p", Production: true, Made: &release.Live{}}, Clock: clock.System()}}
	s.mu.current = &release.Release{Version: 1}
	_, err := s.swap(t.Context(), Request{By: "ann", Files: release.Files{"gone": {Rules: &release.File{Text: "rules"}}}})
	if !fault.Is(err, fault.FailedPrecondition) || s.Current().Version != 1 {
		t.Errorf("%v, version %d", err, s.Current().Version)
	}
	_, err = s.Release(t.Context(), Request{By: "ann", Files: release.Files{"gone": {Made: &release.Made{}}}})
	if !fault.Is(err, fault.InvalidArgument) {
		t.Errorf("a release that makes a database: %v", err)
	}
}

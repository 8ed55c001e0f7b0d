package config

import (
	"encoding/json"
	"errors"
	"io/fs"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
)

// noProject is the default project of the Emulator Suite. The suite's tools look for the hub under this name.
const noProject = "demo-no-project"

// rcFile is a .firebaserc.
type rcFile struct {
	Projects map[string]string `json:"projects"`
	// Targets are the resources of targets, such as the sites of hosting targets: by project, kind and target.
	Targets json.RawMessage `json:"targets"`
}

// readRC reads a .firebaserc, which is optional. As in the Firebase CLI, a file with a mistake is as good as none:
// remark is a line about it, or empty.
func readRC(path string) (rc *rcFile, remark string) {
	rc = &rcFile{}
	text, err := readProjectFile(path)
	if err == nil {
		text = jsontree.Plain(text)
		err = decodeAt(path, text, text, rc)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &rcFile{}, reason(err) + " The file has no effect."
	}
	return rc, ""
}

// reason returns the text of an error for the operator.
func reason(err error) string {
	if named := (*fault.Error)(nil); errors.As(err, &named) {
		return named.Message
	}
	return err.Error() + "."
}

// project returns the project id for a name, as the Firebase CLI does: an alias names its project, and any other name
// is the id itself. An empty name means the only project in the file, or the one with the alias default.
func (rc *rcFile) project(name string) string {
	if id := rc.Projects[name]; id != "" {
		return id
	}
	if name == "" && len(rc.Projects) == 1 {
		for _, id := range rc.Projects {
			return id
		}
	}
	if name == "" {
		return rc.Projects["default"]
	}
	return name
}

// targets returns the resources of a project's targets of a kind, such as the sites of hosting. Targets of another form
// are those of other tools.
func (rc *rcFile) targets(project, kind string) map[string][]string {
	var byProject map[string]json.RawMessage
	_ = json.Unmarshal(rc.Targets, &byProject)
	var kinds map[string]json.RawMessage
	_ = json.Unmarshal(byProject[project], &kinds)
	var targets map[string][]string
	_ = json.Unmarshal(kinds[kind], &targets)
	return targets
}

package config

import (
	"encoding/json"
	"os"
)

// noProject is the default project of the Emulator Suite. The suite's tools look for the hub under this name.
const noProject = "demo-no-project"

// rcFile is a .firebaserc.
type rcFile struct {
	Projects map[string]string `json:"projects"`
	// Targets are the resources of targets, such as the sites of hosting targets: by project, kind and target.
	Targets json.RawMessage `json:"targets"`
}

// readRC reads a .firebaserc, which is optional.
func readRC(path string) (*rcFile, error) {
	rc := &rcFile{}
	text, err := os.ReadFile(path)
	if err != nil {
		return rc, nil
	}
	text = PlainJSON(text)
	return rc, decodeAt(path, text, text, rc)
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

// hostingTargets returns the sites of a project's hosting targets. Targets of another form are those of other tools.
func (rc *rcFile) hostingTargets(project string) map[string][]string {
	var byProject map[string]json.RawMessage
	_ = json.Unmarshal(rc.Targets, &byProject)
	var kinds struct {
		Hosting map[string][]string `json:"hosting"`
	}
	_ = json.Unmarshal(byProject[project], &kinds)
	return kinds.Hosting
}

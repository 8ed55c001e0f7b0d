package config

import "os"

// noProject is the default project of the Emulator Suite. The suite's tools look for the hub under this name.
const noProject = "demo-no-project"

// projectOf returns the project id for a name, as the Firebase CLI does: an alias of .firebaserc names its project, and
// any other name is the id itself. An empty name means the only project in the file, or the one with the alias default.
func projectOf(path, name string) (string, error) {
	text, err := os.ReadFile(path)
	text = PlainJSON(text)
	if err != nil {
		return name, nil // .firebaserc is optional
	}
	var rc struct {
		Projects map[string]string `json:"projects"`
	}
	if err := decodeAt(path, text, text, &rc); err != nil {
		return "", err
	}
	if id := rc.Projects[name]; id != "" {
		return id, nil
	}
	if name == "" && len(rc.Projects) == 1 {
		for _, id := range rc.Projects {
			return id, nil
		}
	}
	if name == "" {
		return rc.Projects["default"], nil
	}
	return name, nil
}

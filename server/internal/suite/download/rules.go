package download

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"clave/server/internal/base/atomicfile"
	"clave/server/internal/base/fault"
	"clave/server/internal/model/resource"
)

// The names of the files of the default database; those of others begin with the database's id.
const (
	rulesFile   = "firestore.rules"
	indexesFile = "firestore.indexes.json"
)

// firestoreRelease is the name of the release of the default database's rules. Those of other databases have the id
// after a slash.
const firestoreRelease = "cloud.firestore"

// writeFile writes a file into the folder.
func (d *download) writeFile(path string, text []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicfile.Write(path, text, 0o600)
	}
	if err != nil {
		return fault.Wrap(err, fault.FailedPrecondition, "cannot write %s: %v", path, err)
	}
	return nil
}

// rules downloads the released rules of all databases.
func (d *download) rules(ctx context.Context) error {
	if d.o.NoRules {
		return nil
	}
	if d.o.Endpoints[APIRules] == "" {
		d.remark("security rules: the endpoint of rules is not named; give --rules")
		return nil
	}
	released := make(map[string]string)
	project := "projects/" + d.o.Project
	err := d.pages(ctx, APIRules, "/v1/"+project+"/releases", url.Values{"pageSize": {"100"}}, func(text json.RawMessage) (string, error) {
		var page struct {
			Releases []struct{ Name, RulesetName string } `json:"releases"`
			Next     string                               `json:"nextPageToken"`
		}
		err := json.Unmarshal(text, &page)
		for _, r := range page.Releases {
			released[strings.TrimPrefix(r.Name, project+"/releases/")] = r.RulesetName
		}
		return page.Next, err
	})
	if optional(err) {
		d.remark("security rules: " + fault.FromError(err).Message + " (the service account needs the role Firebase Rules Viewer); give --rules")
		return nil
	}
	if err != nil {
		return err
	}
	for _, db := range d.s.Databases {
		name := firestoreRelease
		if db.ID != resource.DefaultDatabase {
			name += "/" + db.ID
		}
		ruleset := released[name]
		delete(released, name)
		if ruleset == "" {
			d.remark(fmt.Sprintf("security rules of %s: none are released", db.ID))
			continue
		}
		if err := d.ruleset(ctx, db, ruleset); err != nil {
			return err
		}
	}
	for name := range released {
		if !strings.HasPrefix(name, firestoreRelease) {
			d.remark("security rules of " + name)
		}
	}
	return nil
}

// ruleset downloads a ruleset, which is named by the project.
func (d *download) ruleset(ctx context.Context, db *databaseState, name string) error {
	id, ok := strings.CutPrefix(name, "projects/"+d.o.Project+"/rulesets/")
	if !ok || strings.Contains(id, "/") {
		return fault.E(fault.DataLoss, "the ruleset %q of %s is not one of the project", name, db.ID)
	}
	var out struct {
		Source struct {
			Files []struct{ Content string } `json:"files"`
		} `json:"source"`
	}
	if err := d.get(ctx, APIRules, "/v1/projects/"+d.o.Project+"/rulesets/"+url.PathEscape(id), nil, &out); err != nil {
		return err
	}
	if len(out.Source.Files) != 1 {
		d.remark(fmt.Sprintf("security rules of %s: they are in %d files; give --rules", db.ID, len(out.Source.Files)))
		return nil
	}
	if err := d.writeFile(d.fileOf(db, rulesFile), []byte(out.Source.Files[0].Content)); err != nil {
		return err
	}
	db.Rules = true
	return nil
}

package seed

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// FuzzLoad loads texts as JSON and as YAML. What is loaded can be written, and equals itself when it is read again.
func FuzzLoad(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "school.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text), true)
	f.Add(`{"documents": {"a/b": {"x": [1, 1.5, {"$ref": "a/b"}], "$collections": {"c": {"d": {}}}}}, "users": {"a": {"claims": {"x": [1]}}}}`, false)
	f.Add("documents: &d\n  a/b: {x: *d, y: !!binary aGk=, z: 0x10, t: 2027-01-01, n: .nan}", true)
	f.Fuzz(func(t *testing.T, text string, isYAML bool) {
		name := "seed.json"
		if isYAML {
			name = "seed.yaml"
		}
		s, err := Load([]Source{{Name: name, Text: []byte(text)}}, Options{DB: resource.Database{Project: "p", ID: "(default)"}, Now: time.Unix(1e9, 0)})
		if err != nil {
			return
		}
		for _, d := range s.Documents {
			fields, _ := plain(d.fields).(value.Map)
			if err := document.Validate(document.Write{Name: d.Name, Fields: fields}); err != nil {
				t.Errorf("%s: a loaded document is invalid: %v", d.Name, err)
			}
			if !same(d.fields, fields) {
				t.Errorf("%s: a document differs from itself", d.Name)
			}
			text, err := json.Marshal(Form(s.db, fields))
			if err != nil {
				t.Fatalf("%s: a loaded document has no form: %v", d.Name, err)
			}
			if back, err := ParseValue(text, Options{DB: s.db}); err != nil || !value.Identical(back, fields) {
				t.Errorf("%s: %v has the form %s, which is %v, %v", d.Name, fields, text, back, err)
			}
			if _, err := (&Difference{Action: Add, document: d}).write(s.db); err != nil {
				t.Errorf("%s: a loaded document cannot be written: %v", d.Name, err)
			}
		}
		for _, u := range s.Users {
			if canonical(u.Claims) == "" {
				t.Errorf("%s: claims %q are no JSON", u.ID, u.Claims)
			}
		}
	})
}

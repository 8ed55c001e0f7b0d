package seed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Data is the content of a project.
type Data struct {
	Accounts  []Account
	Documents []Document
}

// Account is a user who can sign in.
type Account struct {
	UID         string         `json:"uid"`
	Email       string         `json:"email"`
	Password    string         `json:"password"`
	DisplayName string         `json:"displayName"`
	Claims      map[string]any `json:"claims"`
}

// Document is one document, its values ready for the Firestore client.
type Document struct {
	// Path is the document's path below the database's root.
	Path string
	// Fields are the document's values.
	Fields map[string]any
}

// Load reads accounts.json and every file in documents/ of fsys; dates in them are relative to now. Its error
// contains all errors of the files, each with its file.
func Load(ctx context.Context, fsys fs.FS, now time.Time) (*Data, error) {
	data := &Data{}
	var problems []error
	if err := readJSON(fsys, "accounts.json", &data.Accounts); err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, err)
	}
	for i, a := range data.Accounts {
		if a.UID == "" || a.Email == "" || a.Password == "" {
			problems = append(problems, fmt.Errorf("accounts.json: account %d needs uid, email and password", i+1))
		}
	}
	names, err := fs.Glob(fsys, "documents/*.json")
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		documents, err := loadFile(fsys, name, now)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		data.Documents = append(data.Documents, documents...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	return data, nil
}

// readJSON decodes a file, which must have no fields besides the target's.
func readJSON(fsys fs.FS, name string, into any) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	decoder := json.NewDecoder(f)
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if decoder.More() {
		return fmt.Errorf("%s: there is text after the end", name)
	}
	return nil
}

// loadFile reads the documents of one collection, in the order of their ids.
func loadFile(fsys fs.FS, name string, now time.Time) ([]Document, error) {
	var file struct {
		Collection string                    `json:"collection"`
		Documents  map[string]map[string]any `json:"documents"`
	}
	if err := readJSON(fsys, name, &file); err != nil {
		return nil, err
	}
	if file.Collection == "" || strings.HasPrefix(file.Collection, "/") || strings.Count(file.Collection, "/")%2 != 0 {
		return nil, fmt.Errorf("%s: %q is not a collection", name, file.Collection)
	}
	ids := make([]string, 0, len(file.Documents))
	for id := range file.Documents {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	documents := make([]Document, 0, len(ids))
	for _, id := range ids {
		fields, err := convertMap(file.Documents[id], now)
		if err != nil {
			return nil, fmt.Errorf("%s: document %s: %w", name, id, err)
		}
		documents = append(documents, Document{Path: path.Join(file.Collection, id), Fields: fields})
	}
	return documents, nil
}

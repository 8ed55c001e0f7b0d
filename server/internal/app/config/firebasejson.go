package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/jsontree"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/store/release"
)

// firebaseJSON is the part of firebase.json that Clave uses (firebase.google.com/docs/cli#the_firebasejson_file).
type firebaseJSON struct {
	// text is the file, without its comments.
	text []byte
	// root is the tree of text; nil if there is no file.
	root *jsontree.Value
	// found is false if there is no file.
	found bool
	// remarks are lines about members without an effect.
	remarks []string
	// sections holds the places of the sections that may be in files of their own.
	sections  map[string]*section
	Emulators struct {
		Firestore struct {
			Port          int    `json:"port"`
			Host          string `json:"host"`
			WebsocketPort int    `json:"websocketPort"`
			Edition       string `json:"edition"`
		} `json:"firestore"`
		Auth    endpointJSON `json:"auth"`
		Hosting endpointJSON `json:"hosting"`
		Hub     endpointJSON `json:"hub"`
		UI      struct {
			endpointJSON
			// An absent value means true.
			Enabled *bool `json:"enabled"`
		} `json:"ui"`
		// An absent value means true.
		SingleProject *bool `json:"singleProjectMode"`
	} `json:"emulators"`
	// enterprise are the databases with the Enterprise edition. databases sets it.
	enterprise []string
}

// endpointJSON is the address of an emulator.
type endpointJSON struct {
	Port int    `json:"port"`
	Host string `json:"host"`
}

// Database is the configuration of one Firestore database.
type Database = release.Paths

// databaseJSON is one element of firebase.json's firestore section.
type databaseJSON struct {
	Database string `json:"database"`
	Target   string `json:"target"`
	Rules    string `json:"rules"`
	Indexes  string `json:"indexes"`
	Edition  string `json:"edition"`
}

// readFirebaseJSON reads the file. A missing file is an error only if the command line names it.
func readFirebaseJSON(path string, required bool, mode Mode) (*firebaseJSON, error) {
	text, err := readProjectFile(path)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return &firebaseJSON{text: []byte("{}")}, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "%s: cannot be read (%v). Name the file with --config, or run in its folder.", path, unwrapPath(err))
	}
	parsed := &firebaseJSON{text: jsontree.Plain(text), found: true}
	if len(bytes.TrimSpace(parsed.text)) == 0 { // as in the Firebase CLI
		parsed.text = []byte("{}")
	}
	if err := parsed.tolerate(path, mode); err != nil {
		return nil, err
	}
	if err := decodeAt(path, parsed.text, parsed.text, parsed); err != nil {
		return nil, err
	}
	if s := parsed.sections["emulators"]; s != nil && s.path != path {
		if err := decodeAt(s.path, s.text, s.raw(), &parsed.Emulators); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// maxFile is the maximum size in bytes of firebase.json and .firebaserc.
const maxFile = 16 << 20

// readProjectFile reads a file of a project. The null device is an empty file.
func readProjectFile(path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	return regularfile.ReadText(path, maxFile)
}

// unwrapPath drops the path that an error of package os repeats.
func unwrapPath(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// decodeAt decodes a part of a file's JSON and names the line of a mistake in the file.
func decodeAt(path string, file, part []byte, into any) error {
	err := json.Unmarshal(part, into)
	var (
		syntax *json.SyntaxError
		typed  *json.UnmarshalTypeError
		base   = int64(max(bytes.Index(file, part), 0))
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fault.E(fault.InvalidArgument, "%s:%s: %s. Correct the JSON there.", path, position(file, base+syntax.Offset), syntax.Error())
	case errors.As(err, &typed):
		return fault.E(fault.InvalidArgument, "%s:%s: %q must be %s, not %s.", path, position(file, base+typed.Offset), typed.Field, kindName(typed.Type.Kind()), typed.Value)
	}
	return fault.E(fault.InvalidArgument, "%s: %v", path, err)
}

// kindName returns the name of the JSON type for a Go kind.
func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Int:
		return "a whole number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// position returns line:column, both from 1, of the byte before offset.
func position(text []byte, offset int64) string {
	line, column := jsontree.Place(text, int(offset-1))
	return fmt.Sprintf("%d:%d", line, column)
}

// databases reads the firestore section, which is one object or a list of them. targets are the databases of the
// targets in .firebaserc.
func (f *firebaseJSON) databases(root string, targets map[string][]string) ([]Database, error) {
	s := f.sections["firestore"]
	if s == nil || len(s.raw()) == 0 || s.raw()[0] == 'n' {
		return nil, nil
	}
	var list []databaseJSON
	if s.value.IsArray() {
		if err := decodeAt(s.path, s.text, s.raw(), &list); err != nil {
			return nil, err
		}
	} else {
		list = make([]databaseJSON, 1)
		if err := decodeAt(s.path, s.text, s.raw(), &list[0]); err != nil {
			return nil, err
		}
	}
	var databases []Database
	for _, d := range list {
		if err := checkEdition(d.Edition); err != nil {
			return nil, fault.Wrap(err, fault.InvalidArgument, "%s: %v", s.path, err)
		}
		ids := []string{cmp.Or(d.Database, "(default)")}
		if d.Target != "" {
			if ids = targets[d.Target]; len(ids) == 0 {
				f.remarks = append(f.remarks, fmt.Sprintf("%s: .firebaserc has no databases for the target %s of firestore", s.path, d.Target))
			}
		}
		for _, id := range ids {
			if strings.EqualFold(d.Edition, enterprise) {
				f.enterprise = append(f.enterprise, id)
			}
			databases = append(databases, Database{ID: id, RulesFile: under(root, d.Rules), IndexesFile: under(root, d.Indexes)})
		}
	}
	return databases, nil
}

// under returns a path relative to root; an empty path stays empty.
func under(root, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

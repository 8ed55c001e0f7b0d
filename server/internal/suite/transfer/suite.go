package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/resource"
)

// suite is the content of firebase-export-metadata.json.
type suite struct {
	Version   any          `json:"version"` // a string; readers ignore it
	Firestore *suiteExport `json:"firestore,omitempty"`
	Auth      *suiteExport `json:"auth,omitempty"`
	// Databases are exports of databases with a name, which the Emulator Suite does not export.
	Databases []suiteExport `json:"databases,omitempty"`
}

// suiteExport is one export in a folder.
type suiteExport struct {
	Version      any    `json:"version,omitempty"` // as above
	Path         string `json:"path"`
	MetadataFile string `json:"metadata_file,omitempty"`
	Database     string `json:"database,omitempty"`
}

// The parts of an export, by the names of their emulators.
const (
	Documents = "firestore"
	Accounts  = "auth"
)

// exportOf returns the folder and files of a database's export.
func exportOf(db resource.Database) suiteExport {
	folder, named := firestoreFolder, ""
	if db.ID != resource.DefaultDatabase {
		folder, named = firestoreFolder+"_"+db.ID, db.ID
	}
	return suiteExport{Version: FormatVersion, Path: folder, MetadataFile: folder + "/" + folder + overallSuffix, Database: named}
}

// numbered matches the number in the name of a part that could not get its own name.
var numbered = pattern.New(`\.[0-9]+$`)

// partName returns the name of a part without such a number.
func partName(folder string) string { return numbered.ReplaceAllString(folder, "") }

// suiteParts returns the folders that a description names and that are parts of an export by Clave or the Emulator
// Suite. wants reports which are replaced.
func suiteParts(description []byte, wants func(string) bool) []string {
	var content suite
	if json.Unmarshal(description, &content) != nil {
		return nil
	}
	var folders []string
	add := func(of, want string, e *suiteExport) {
		if e != nil && wants(of) && partName(e.Path) == want {
			folders = append(folders, e.Path)
		}
	}
	add(Documents, firestoreFolder, content.Firestore)
	for _, e := range content.Databases {
		if e.Database != "" {
			add(Documents, firestoreFolder+"_"+e.Database, &e)
		}
	}
	add(Accounts, authFolder, content.Auth)
	return folders
}

// suiteOrder is the order of the members of a description. Others follow.
var suiteOrder = []string{"version", "firestore", "database", "auth", "storage", "dataconnect", "databases"}

// mergedWith returns the text of a description. Its members for the parts that wants reports replace those of an
// earlier description; all others stay. place returns the names of the parts' folders.
func (s suite) mergedWith(old []byte, wants func(string) bool, place func(string) string) ([]byte, error) {
	members := make(map[string]any)
	var kept map[string]json.RawMessage
	if json.Unmarshal(old, &kept) == nil { // A damaged description has nothing to keep.
		for name, text := range kept {
			members[name] = text
		}
	}
	members["version"] = s.Version
	moved := func(e suiteExport) suiteExport {
		e.Path, e.MetadataFile = place(e.Path), strings.Replace(e.MetadataFile, e.Path, place(e.Path), 1)
		return e
	}
	if wants(Documents) {
		members["firestore"] = moved(*s.Firestore)
		delete(members, "databases")
		var databases []suiteExport
		for _, e := range s.Databases {
			databases = append(databases, moved(e))
			members["databases"] = databases
		}
	}
	if wants(Accounts) {
		members["auth"] = moved(*s.Auth)
	}
	var text bytes.Buffer
	for _, name := range append(slices.Clone(suiteOrder), slices.Sorted(maps.Keys(members))...) {
		value, ok := members[name]
		if !ok {
			continue
		}
		delete(members, name)
		member, err := json.Marshal(map[string]any{name: value})
		if err != nil {
			return nil, err
		}
		text.WriteByte(',')
		text.Write(bytes.TrimSuffix(bytes.TrimPrefix(member, []byte("{")), []byte("}")))
	}
	var out bytes.Buffer
	err := json.Indent(&out, []byte("{"+strings.TrimPrefix(text.String(), ",")+"}"), "", "  ")
	return out.Bytes(), err
}

// damagedSuite returns the error for a file that describes a folder of the Emulator Suite.
func damagedSuite(err error) error {
	return fault.Wrap(err, fault.DataLoss, "%s cannot be read: %v", suiteFile, err)
}

// contentOf returns the content of a folder.
func contentOf(dir string) (suite, error) {
	var content suite
	folder := regularfile.Folder(dir)
	text, err := folder.ReadText(suiteFile, maxMetadata)
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &content); err != nil {
			return content, damagedSuite(err)
		}
		return content, nil
	case !errors.Is(err, fs.ErrNotExist):
		return content, unreadable(suiteFile, err)
	}
	found, err := overallOf(folder)
	if err != nil {
		return content, fault.Wrap(err, fault.NotFound,
			"%s holds no export: neither %s nor one file NAME%s is in it", dir, suiteFile, overallSuffix)
	}
	content.Firestore = &suiteExport{MetadataFile: found}
	return content, nil
}

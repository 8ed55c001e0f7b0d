// Package resource defines the names of projects, databases, collections and documents, and parses, prints and orders
// them. Names are small comparable values.
//
// A document's full name is projects/P/databases/D/documents/C/ID[/C/ID…] (google/firestore/v1/document.proto).
package resource

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"clave/server/internal/base/fault"
)

// DefaultDatabase is the id of a project's default database.
const DefaultDatabase = "(default)"

// Database names one database of one project.
type Database struct {
	Project string
	ID      string
}

// String returns projects/P/databases/D.
func (d Database) String() string { return "projects/" + d.Project + "/databases/" + d.ID }

// Root returns the common prefix of all documents' names, projects/P/databases/D/documents.
func (d Database) Root() string { return d.String() + "/documents" }

// ParseDatabase parses projects/P/databases/D. It returns InvalidArgument for any other text.
func ParseDatabase(name string) (Database, error) {
	db, rest, err := splitDatabase(name)
	if err != nil || rest != "" {
		return Database{}, fault.E(fault.InvalidArgument, "Invalid database name: %q", name)
	}
	return db, nil
}

// splitDatabase cuts projects/P/databases/D off the front of a name; rest begins with a slash or is empty.
func splitDatabase(name string) (db Database, rest string, err error) {
	after, ok := strings.CutPrefix(name, "projects/")
	project, after, found := strings.Cut(after, "/")
	id, isDatabases := strings.CutPrefix(after, "databases/")
	if !ok || !found || !isDatabases || project == "" {
		return Database{}, "", fault.E(fault.InvalidArgument, "Invalid database name: %q", name)
	}
	if i := strings.IndexByte(id, '/'); i >= 0 {
		id, rest = id[:i], id[i:]
	}
	if id == "" {
		return Database{}, "", fault.E(fault.InvalidArgument, "Invalid database name: %q", name)
	}
	db = Database{Project: project, ID: id}
	return db, rest, db.check(name)
}

// check checks the ids: each has at most a segment's length and no control characters.
func (d Database) check(name string) error {
	for _, id := range []string{d.Project, d.ID} {
		if len(id) > maxSegment || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			return fault.E(fault.InvalidArgument, "Invalid database name: %q", name)
		}
	}
	return nil
}

// Document names one document. Path is relative to the database's documents: an even number of segments
// joined by slashes, such as "rooms/a/messages/1".
type Document struct {
	DB   Database
	Path string
}

// String returns the full name.
func (d Document) String() string {
	return "projects/" + d.DB.Project + "/databases/" + d.DB.ID + "/documents/" + d.Path
}

// ID returns the last segment.
func (d Document) ID() string { return d.Path[strings.LastIndexByte(d.Path, '/')+1:] }

// Collection returns the collection that holds the document.
func (d Document) Collection() Collection {
	parent, _ := cutLast(d.Path)
	grand, id := cutLast(parent)
	return Collection{DB: d.DB, Parent: grand, ID: id}
}

// Collection names one collection. Parent is the path of the parent document, or empty at the root.
type Collection struct {
	DB     Database
	Parent string
	ID     string
}

// Path returns the collection's path relative to the database's documents.
func (c Collection) Path() string {
	if c.Parent == "" {
		return c.ID
	}
	return c.Parent + "/" + c.ID
}

// String returns the full name.
func (c Collection) String() string { return c.DB.Root() + "/" + c.Path() }

// Doc returns the name of the collection's document with the given id.
func (c Collection) Doc(id string) Document { return Document{DB: c.DB, Path: c.Path() + "/" + id} }

// cutLast cuts the last segment off a path.
func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// ParseDocument parses a document's full name and checks every segment. It returns InvalidArgument with Firestore's
// texts.
func ParseDocument(name string) (Document, error) { return parseDocument("Document", name) }

// ParseReference parses the full name in a reference value. It differs from ParseDocument in its texts.
func ParseReference(name string) (Document, error) { return parseDocument("Resource", name) }

// ParseParent parses the name of a query's parent: that of a document, or projects/P/databases/D/documents, whose path
// is empty.
func ParseParent(name string) (db Database, path string, err error) {
	const what = "Document parent"
	db, path, err = splitName(what, name)
	if err != nil || path == "" {
		return db, "", err
	}
	d, err := parseDocument(what, name)
	return db, d.Path, err
}

// parseDocument parses a document's full name; what is the term for it in error texts.
func parseDocument(what, name string) (Document, error) {
	db, path, err := splitName(what, name)
	if err != nil {
		return Document{}, err
	}
	switch {
	case strings.HasSuffix(name, "/"):
		return Document{}, fault.E(fault.InvalidArgument, "%s name \"%s\" has invalid trailing \"/\".", what, name)
	case path == "":
		return Document{}, fault.E(fault.InvalidArgument, "%s name \"%s\" is invalid: Omit \"/documents\" when referencing a "+
			"database (except as the parent of a document).", what, name)
	}
	if err := checkPath(what, name, len(name)-len(path)); err != nil {
		return Document{}, err
	}
	if strings.Count(path, "/")%2 == 0 {
		return Document{}, missingWord(what, name, "/", len(name))
	}
	return Document{DB: db, Path: path}, nil
}

// SplitPath splits projects/P/databases/D/documents[/path] into database and relative path, which is empty
// for the root. The path's segments are not checked. It returns InvalidArgument if the text before the path is not of
// this form.
func SplitPath(name string) (Database, string, error) { return splitName("Document", name) }

// splitName is SplitPath; what is the term for the name in error texts. at is the position of rest in the name, which
// those texts contain.
func splitName(what, name string) (Database, string, error) {
	var db Database
	rest, at := name, 0
	for _, part := range []struct {
		word string
		into *string
	}{{"projects", &db.Project}, {"databases", &db.ID}, {"documents", nil}} {
		after, ok := strings.CutPrefix(rest, part.word)
		if !ok {
			return Database{}, "", missingWord(what, name, part.word, at)
		}
		if part.into == nil {
			rest, at = after, at+len(part.word)
			break
		}
		id, ok := strings.CutPrefix(after, "/")
		if !ok {
			return Database{}, "", missingWord(what, name, "/", at+len(part.word))
		}
		id, rest, ok = strings.Cut(id, "/")
		at += len(part.word) + 1
		if id == "" {
			return Database{}, "", fault.E(fault.InvalidArgument, "%s name \"%s\" lacks a %s id at index %d.",
				what, name, strings.TrimSuffix(part.word, "s"), at)
		}
		if at += len(id); !ok {
			return Database{}, "", missingWord(what, name, "/", at)
		}
		*part.into = id
		at++
	}
	if rest != "" && rest[0] != '/' {
		return Database{}, "", missingWord(what, name, "/", at)
	}
	return db, strings.TrimPrefix(rest, "/"), db.check(name)
}

// missingWord returns the error for a name without the given word at a position.
func missingWord(what, name, word string, at int) error {
	return fault.E(fault.InvalidArgument, "%s name \"%s\" lacks \"%s\" at index %d.", what, name, word, at)
}

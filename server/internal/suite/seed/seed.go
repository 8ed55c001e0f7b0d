package seed

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Seed is the state of a project that files describe.
type Seed struct {
	// Tenants are the tenants, in the order of the files.
	Tenants []Tenant
	// Users are the accounts of the project and of its tenants.
	Users []*User
	// Documents are the documents of a database.
	Documents []*Document
	// Dangling are notes about references to documents that the seed does not have.
	Dangling []string

	db resource.Database
}

// Document is a document of a seed.
type Document struct {
	// Name is the document's name.
	Name resource.Document
	// Place is the file and the line of the document.
	Place string
	// fields are the fields; timestamps may be near.
	fields value.Map
}

// Source is the text of a seed.
type Source struct {
	// Name is the name of the file in messages. Its ending decides the format: .yaml and .yml, or else JSON.
	Name string
	Text []byte
	// Value is set for the value of a module, whose lines are not those of its file.
	Value bool
}

// ReadFile reads a file of JSON or YAML.
func ReadFile(name string) (Source, error) {
	text, err := regularfile.ReadText(name, maxFile)
	if err != nil {
		return Source{}, fault.Wrap(err, fault.InvalidArgument, "cannot read the seed: %v", err)
	}
	return Source{Name: name, Text: text}, nil
}

// Options are the options of Load.
type Options struct {
	// DB is the database of the documents.
	DB resource.Database
	// Now is the time to which relative moments refer.
	Now time.Time
}

// Load reads a seed from its sources. Its errors name the file, the line and the member of each mistake.
func Load(sources []Source, o Options) (*Seed, error) {
	l := &loader{reader: reader{db: o.DB, references: make(map[string]reference)}, seed: &Seed{db: o.DB}, documents: make(map[string]string), users: make(map[string]string)}
	left := newBudget()
	for _, s := range sources {
		parse := parseJSON
		if ext := strings.ToLower(filepath.Ext(s.Name)); !s.Value && (ext == ".yaml" || ext == ".yml") {
			parse = parseYAML
		}
		at := place{file: s.Name}
		if len(s.Text) > maxFile {
			l.add(at, 0, "the file is larger than 16 MiB")
			continue
		}
		root, err := parse(s.Text, left)
		if failed := (*fileError)(nil); errors.As(err, &failed) {
			l.add(at, failed.line, "%s", failed.reason)
			continue
		}
		if err != nil {
			return nil, err
		}
		if s.Value {
			root.forgetLines()
		}
		l.now = o.Now.UTC()
		l.file(root, at)
	}
	if err := l.err(); err != nil {
		return nil, err
	}
	l.findDangling()
	return l.seed, nil
}

// forgetLines removes the lines of a value.
func (n *node) forgetLines() {
	n.line = 0
	for _, item := range n.items {
		item.forgetLines()
	}
	for i := range n.members {
		n.members[i].line = 0
		n.members[i].value.forgetLines()
	}
}

// loader builds a seed from nodes.
type loader struct {
	reader
	seed *Seed
	// documents and users hold the places of what was read, by path and by tenant and id.
	documents, users map[string]string
}

// The members of a file, and of a document that has subcollections.
const (
	memberZone      = "timeZone"
	memberTenants   = "tenants"
	memberUsers     = "users"
	memberDocuments = "documents"
	memberInner     = "$collections"
)

// file reads a file.
func (l *loader) file(root *node, at place) {
	members := l.object(root, at, "$schema", memberZone, memberTenants, memberUsers, memberDocuments)
	for _, m := range members { // first, because moments depend on it
		if m.name == memberZone {
			l.zone(m.value, at.at(m.name))
		}
	}
	for _, m := range members {
		switch inner := at.at(m.name); m.name {
		case memberTenants:
			l.tenants(m.value, inner)
		case memberUsers:
			l.accounts(m.value, inner, "")
		case memberDocuments:
			l.collections(m.value, inner, "")
		}
	}
}

// zone sets the time zone of a file.
func (l *loader) zone(n *node, at place) {
	zone, err := time.LoadLocation(n.text)
	if err != nil || n.kind != isText || n.text == "" || n.text == "Local" {
		l.add(at, n.line, "%q is no known time zone, such as Europe/Madrid", n.text)
		return
	}
	l.now = l.now.In(zone)
}

// collections reads an object whose names are paths of documents or of collections, below a document or the root. A
// path with an even number of ids is that of a document, and its value the fields; otherwise it is that of a
// collection, and its value has documents by their ids.
func (l *loader) collections(n *node, at place, above string) {
	for _, m := range l.object(n, at) {
		inner, path := at.at(m.name), above+strings.TrimPrefix(m.name, "/")
		if strings.Count(path, "/")%2 == 1 {
			l.document(path, m.value, inner, m.line)
			continue
		}
		for _, one := range l.object(m.value, inner) {
			if strings.Contains(one.name, "/") {
				l.add(inner.at(one.name), one.line, "the id of a document has no slash")
				continue
			}
			l.document(path+"/"+one.name, one.value, inner.at(one.name), one.line)
		}
	}
}

// document reads a document with its subcollections.
func (l *loader) document(path string, n *node, at place, line int) {
	name, err := resource.ParseDocument(l.db.Root() + "/" + path)
	if err != nil {
		l.add(at, line, "%q is no path of a document: %v", path, err)
		return
	}
	if n.kind != isObject {
		l.add(at, n.line, "expected the fields of a document, not %s", n.kind)
		return
	}
	here := placeOf(at.file, line)
	if before, ok := l.documents[name.Path]; ok {
		l.add(at, line, "the document is described in %s too", before)
		return
	}
	l.documents[name.Path] = here
	own := &node{line: n.line, kind: isObject}
	for _, m := range n.members {
		if m.name == memberInner {
			l.inner(m.value, at.at(m.name), name.Path)
			continue
		}
		own.members = append(own.members, m)
	}
	before := len(l.texts)
	d := &Document{Name: name, Place: here, fields: l.fields(own, at)}
	if len(l.texts) == before && l.more == 0 {
		w := document.Write{Name: name, Fields: value.Map{}}
		for name, v := range d.fields {
			w.Fields[name] = plain(v)
		}
		err := document.Validate(w)
		if err == nil {
			_, _, err = document.Apply(nil, w, clock.Version(1))
		}
		if err != nil {
			l.add(at, line, "%s", fault.Reason(err))
		}
	}
	l.seed.Documents = append(l.seed.Documents, d)
}

// inner reads the subcollections of a document: documents by their ids, by the collections' ids.
func (l *loader) inner(n *node, at place, above string) {
	for _, m := range l.object(n, at) {
		if strings.Contains(m.name, "/") {
			l.add(at.at(m.name), m.line, "expected the id of a collection")
			return
		}
	}
	l.collections(n, at, above+"/")
}

// findDangling notes references to documents that the seed does not have.
func (l *loader) findDangling() {
	for path, r := range l.references {
		if _, ok := l.documents[path]; !ok {
			l.seed.Dangling = append(l.seed.Dangling, placeOf(r.file, r.line)+": "+r.path+": the seed has no document "+path)
		}
	}
	slices.Sort(l.seed.Dangling)
}

// placeOf returns a place in a file for messages.
func placeOf(file string, line int) string {
	p := problems{}
	p.add(place{file: file}, line, "")
	return strings.TrimSuffix(p.texts[0], ": ")
}

package transfer

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/resource"
)

// exportStep is the number of documents after which an export reports its progress.
const exportStep = 1000

// Selection says which documents of a database are exported or imported, and from where on.
type Selection struct {
	// Collections are the ids of collection groups; empty for all.
	Collections []string
	// At is the time as of which documents are exported; the zero time means now.
	At time.Time
	// From is the progress of an import that was interrupted: the documents that it has read are not imported again.
	From Progress
	// Report, unless nil, receives the progress, of an import after each of its commits. Its error ends the transfer.
	Report func(Progress) error
}

// Progress is the progress of an export or an import.
type Progress struct {
	// Read is the number of documents of an export that an import has read, and Documents the number of those that were
	// selected, of Bytes bytes.
	Read      int64 `json:"read,omitempty"`
	Documents int64 `json:"documents,omitempty"`
	Bytes     int64 `json:"bytes,omitempty"`
	// AllDocuments and AllBytes are those of a whole import, which are known once it has verified the export.
	AllDocuments int64 `json:"allDocuments,omitempty"`
	AllBytes     int64 `json:"allBytes,omitempty"`
}

// has reports whether a document is selected.
func (s *Selection) has(name resource.Document) bool {
	return len(s.Collections) == 0 || slices.Contains(s.Collections, name.Collection().ID)
}

// report reports the progress.
func (s *Selection) report(p Progress) error {
	if s.Report == nil {
		return nil
	}
	return s.Report(p)
}

// LoadDocuments imports the selected documents of the managed export in a folder into a database, beside clients of a
// server. As in Import, everything is verified first. It leaves no marker: who calls it repeats it after an
// interruption, with the progress that it has reported.
func (t *Transfer) LoadDocuments(ctx context.Context, db resource.Database, dir string, sel Selection) error {
	folder := regularfile.Folder(dir)
	name, err := overallOf(folder)
	if err != nil {
		return err
	}
	check := &loader{db: db, pass: &pass{verify: true}, sel: sel}
	if _, err := check.all(ctx, folder, name); err != nil {
		return err
	}
	whole := check.found
	report := func(p Progress) error {
		p.AllDocuments, p.AllBytes = whole.Documents, whole.Bytes
		return sel.report(p)
	}
	if err := report(sel.From); err != nil {
		return err
	}
	of := sel
	of.Report = report
	l := &loader{authorizer: t.o.Authorizer, db: db, pass: &pass{}, sel: of}
	if _, err := l.all(ctx, folder, name); err != nil {
		return err
	}
	return report(l.found)
}

// overallOf returns the name of the only overall metadata file in a folder.
func overallOf(folder regularfile.Folder) (string, error) {
	entries, err := folder.ReadDir(".")
	if err == nil {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), overallSuffix) })
	}
	if err != nil || len(entries) != 1 {
		return "", fault.Wrap(err, fault.NotFound, "the folder holds no export: one file NAME%s must be in it", overallSuffix)
	}
	return entries[0].Name(), nil
}

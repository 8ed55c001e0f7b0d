package transfer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clave/server/internal/auth/token"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/document"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
)

// The bounds of one commit of an import.
const (
	commitDocuments = 500
	commitBytes     = 4 << 20
)

// commitAttempts is the number of attempts of a commit whose documents transactions of clients have locked.
const commitAttempts = 20

// owner is the caller of exports and imports. The rules do not apply to it.
func owner(db resource.Database) token.Caller {
	return token.Caller{Privileged: true, Project: db.Project}
}

// ExportDocuments writes the selected documents of a database, as of one moment, to a folder, and returns their number.
// The files are named after the folder. An earlier export in the folder is replaced when everything is written, and
// other files in it stay.
// ExportDocuments returns FailedPrecondition if the folder contains other files.
func (t *Transfer) ExportDocuments(ctx context.Context, db resource.Database, dir string, sel Selection) (documents int64, err error) {
	dir = filepath.Clean(dir)
	name, size := filepath.Base(dir), int64(0)
	e := &export{
		marker: name + overallSuffix,
		write: func(part string) error {
			documents, size, err = t.writeWhole(ctx, db, part, name, sel)
			return err
		},
		describe: func(_ []byte, place func(string) string) ([]byte, error) {
			return overall(place(wholeNamespaces), documents, size)
		},
		parts: overallParts,
	}
	err = e.replace(dir)
	return documents, err
}

// overallParts returns the folders beside an overall metadata file that have what it describes, if Clave wrote them.
func overallParts(text []byte) []string {
	var names []string
	for _, message := range unframed(text) {
		// A damaged file describes less.
		_ = eachField(message, func(f field) error {
			if f.number != overallPart {
				return nil
			}
			return eachField(f.bytes, func(f field) error {
				name, _, _ := strings.Cut(string(f.bytes), "/")
				if f.number == partPath && partName(name) == wholeNamespaces && !slices.Contains(names, name) {
					names = append(names, name)
				}
				return nil
			})
		})
	}
	return names
}

// exportDocuments writes an export of all documents of a database to an absent folder.
func (t *Transfer) exportDocuments(ctx context.Context, db resource.Database, dir, name string) (documents int64, err error) {
	documents, size, err := t.writeWhole(ctx, db, dir, name, Selection{})
	if err != nil {
		return documents, err
	}
	text, err := overall(wholeNamespaces, documents, size)
	if err != nil {
		return documents, err
	}
	return documents, writeFile(filepath.Join(dir, name+overallSuffix), text)
}

// writeWhole writes the selected documents of a database to the folder wholeNamespaces in dir.
func (t *Transfer) writeWhole(ctx context.Context, db resource.Database, dir, name string, sel Selection) (documents, size int64, err error) {
	began := t.o.Clock.Now()
	whole := filepath.Join(dir, wholeNamespaces, wholeKinds)
	out := &outputFiles{folder: whole, most: t.o.FileBytes}
	if err := out.begin(); err != nil {
		return 0, 0, err
	}
	documents, err = t.writeDocuments(ctx, db, out, sel)
	if err := errors.Join(err, out.end()); err != nil {
		return documents, out.size, err
	}
	return documents, out.size, writeFile(filepath.Join(whole, wholeMetadata), metadata(name, began, t.o.Clock.Now(), out.names...))
}

// writeDocuments writes the selected documents of a database.
func (t *Transfer) writeDocuments(ctx context.Context, db resource.Database, out *outputFiles, sel Selection) (documents int64, err error) {
	var bytes int64
	err = t.documents(ctx, db, query.NoLimit, sel.At, func(d *document.Document) error {
		if !sel.has(d.Name) {
			return nil
		}
		n, err := out.add(d)
		documents++
		bytes += int64(n)
		if err != nil || documents%exportStep != 0 {
			return err
		}
		return sel.report(Progress{Documents: documents, Bytes: bytes})
	})
	if err == nil {
		err = sel.report(Progress{Documents: documents, Bytes: bytes})
	}
	return documents, err
}

// documents calls yield with at most limit documents of a database, of all collections, in the order of their names, as
// they were at a time; the zero time means now.
func (t *Transfer) documents(ctx context.Context, db resource.Database, limit int, at time.Time, yield func(*document.Document) error) error {
	all, err := (&query.Query{DB: db, From: []query.From{{AllDescendants: true}}, Limit: limit}).Normalize()
	if err != nil {
		return err
	}
	var when request.At
	if !at.IsZero() {
		when.ReadTime = clock.VersionOf(at)
	}
	_, err = t.o.Authorizer.Query(ctx, owner(db), all, when, func(authz.Snapshot) error { return nil }, yield)
	return err
}

// ImportDocuments imports the export of one database that an overall metadata file describes, and returns the number of
// documents. As in Import, everything is verified first.
func (t *Transfer) ImportDocuments(ctx context.Context, db resource.Database, metadataFile string) (n int64, err error) {
	folder, name := regularfile.Folder(filepath.Dir(metadataFile)), filepath.Base(metadataFile)
	if _, err := t.importDocuments(ctx, db, folder, name, &pass{verify: true}); err != nil {
		return 0, err
	}
	err = t.marked(metadataFile, func() error {
		n, err = t.importDocuments(ctx, db, folder, name, &pass{})
		return err
	})
	return n, err
}

// importDocuments imports an export in a folder, or only verifies it, and returns the number of its documents.
func (t *Transfer) importDocuments(ctx context.Context, db resource.Database, folder regularfile.Folder, metadataFile string, p *pass) (int64, error) {
	return (&loader{authorizer: t.o.Authorizer, db: db, pass: p}).all(ctx, folder, metadataFile)
}

// all reads an export in a folder, and returns the number of its documents.
func (l *loader) all(ctx context.Context, folder regularfile.Folder, metadataFile string) (int64, error) {
	parts, err := partsOf(folder, metadataFile)
	if err != nil {
		return 0, err
	}
	for _, part := range parts {
		before := l.read
		var cut error // An incomplete record at the end of a file is that of a killed writer if all documents are there.
		for _, name := range part.outputs {
			err := l.load(ctx, folder, name)
			if err != nil {
				err = fault.Wrap(err, fault.CodeOf(err), "%s: %s", name, reason(err))
			}
			switch {
			case errors.Is(err, errCut):
				cut = err
			case err != nil:
				return l.read, err
			}
		}
		n := l.read - before
		switch complete := part.counted && n == part.documents; {
		case !complete && cut != nil:
			return l.read, cut
		case !complete && part.counted:
			return l.read, fault.E(fault.DataLoss, "the export is damaged: %s counts %d documents, and its files have %d",
				metadataFile, part.documents, n)
		}
	}
	return l.read, l.commit(ctx)
}

// pass is one reading of what is imported.
type pass struct {
	// verify is set if nothing is written.
	verify bool
	// tally counts what is read and has what is refused, which then is omitted; nil if it is an error.
	tally *Tally
	// again is set for files whose accounts were counted before.
	again bool
	// total counts documents. The first skip ones have been written before.
	total, skip int64
	// written, if not nil, is called with total after each commit.
	written func(documents int64) error
}

// loader commits documents in batches.
type loader struct {
	*pass
	authorizer *authz.Authorizer
	db         resource.Database
	// sel says which documents are imported, and from where on.
	sel    Selection
	writes []document.Write
	bytes  int
	// read counts the documents of the database, and found also those of the selection.
	read  int64
	found Progress
}

// load reads one file of documents.
func (l *loader) load(ctx context.Context, folder regularfile.Folder, name string) error {
	f, err := folder.Open(name)
	if err != nil {
		return unreadable(name, err)
	}
	defer func() { _ = f.Close() }() // a read
	return readRecords(f, func(entity []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, err := decodeDocument(l.db, entity)
		l.total++
		if err != nil && l.tally != nil && fault.Is(err, fault.InvalidArgument) {
			l.read++
			if l.verify { // once for both passes
				l.tally.refuse(Refused{Kind: KindDocuments, Name: w.Name.Path, Reason: reason(err)})
			}
			return nil
		}
		if err != nil {
			return err
		}
		l.read++
		l.found.Read = l.read
		selected := l.sel.has(w.Name)
		if selected {
			l.found.Documents++
			l.found.Bytes += int64(len(entity))
		}
		if l.verify && l.tally != nil {
			l.tally.document(w.Name, w.Fields)
		}
		if l.verify || !selected || l.read <= l.sel.From.Read || l.total <= l.skip {
			return nil
		}
		l.writes = append(l.writes, w)
		l.bytes += len(entity)
		if len(l.writes) < commitDocuments && l.bytes < commitBytes {
			return nil
		}
		return l.commit(ctx)
	})
}

// commit commits the documents that were read since the last commit.
func (l *loader) commit(ctx context.Context) error {
	if len(l.writes) == 0 {
		return nil
	}
	var err error
	for range commitAttempts {
		if _, err = l.authorizer.Commit(ctx, owner(l.db), l.db, request.Commit{Writes: l.writes}); !fault.Is(err, fault.Aborted) {
			break
		} // A transaction has locked one of the documents for longer than the lock timeout.
	}
	if err != nil {
		return err
	}
	l.writes, l.bytes = nil, 0
	if l.written != nil {
		return l.written(l.total)
	}
	return l.sel.report(l.found)
}

package transfer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"clave/server/internal/auth/service"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/regularfile"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
)

// How an import works. It reads everything twice: first to verify it, then to write it. A refused import therefore
// changes nothing. The second pass is not atomic: documents are committed in batches, and accounts are imported by
// requests of maxAccounts. It runs while a marker exists (marker.go), with which no server starts. Documents and
// accounts of the same names are replaced and all others stay, so the same import, repeated after an interruption,
// completes it.

// The names in a folder of the Emulator Suite.
const (
	suiteFile       = "firebase-export-metadata.json"
	firestoreFolder = "firestore_export"
	authFolder      = "auth_export"
)

// FormatVersion is the version of the Firebase CLI whose format of folders is used.
const FormatVersion = "15.28.2"

// Options configure a Transfer.
type Options struct {
	// Authorizer is the access to documents.
	Authorizer *authz.Authorizer
	// Identity is the access to accounts.
	Identity *service.Service
	// Project is the project whose data are exported and imported.
	Project string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Marker is a file that exists while an import changes the data, with the import's source as its content. A marker
	// that an earlier process has left shows that its import was interrupted. Empty for data in memory.
	Marker string
	// FileBytes is the number of bytes after which a file of documents ends and another one begins; zero means 4 GiB, so
	// that each fits into an object of S3.
	FileBytes int64
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.FileBytes == 0 {
		o.FileBytes = 4 << 30
	}
}

// Transfer exports and imports the data of one project.
type Transfer struct {
	o Options
	// importing is held while an import changes the data.
	importing *sync.Mutex
	// changed is set once an import changes the data.
	changed *atomic.Bool
}

// New returns a Transfer.
func New(o Options) *Transfer {
	o.EnsureDefaults()
	return &Transfer{o: o, importing: &sync.Mutex{}, changed: &atomic.Bool{}}
}

// Changed reports whether an import has begun to change the data: a refused import does not.
func (t *Transfer) Changed() bool { return t.changed.Load() }

// Summary counts what was exported or imported.
type Summary struct {
	// Documents and Accounts are counts.
	Documents, Accounts int64
	// Notes are messages for the operator about data that could not be transferred.
	Notes []string
}

// String returns the counts as text.
func (s Summary) String() string {
	return counted(s.Documents, "document") + ", " + counted(s.Accounts, "account")
}

// counted returns a number with its noun: "1 document", "2 documents".
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Export writes the project's documents and accounts, or only the named parts, to a folder of the Emulator Suite. The
// parts of an earlier export in the folder are replaced when everything is written; other parts and files stay. Export
// returns FailedPrecondition if the folder has other files and no export.
func (t *Transfer) Export(ctx context.Context, dir string, only ...string) (Summary, error) {
	var (
		sum     Summary
		content = suite{Version: FormatVersion}
		wants   = func(part string) bool { return len(only) == 0 || slices.Contains(only, part) }
	)
	e := &export{
		marker: suiteFile,
		write: func(part string) error {
			sum, content = Summary{}, suite{Version: FormatVersion} // It may be called a second time.
			return t.exportParts(ctx, part, wants, &content, &sum)
		},
		describe: func(old []byte, place func(string) string) ([]byte, error) {
			return content.mergedWith(old, wants, place)
		},
		parts: func(old []byte) []string { return suiteParts(old, wants) },
	}
	err := e.replace(filepath.Clean(dir))
	return sum, err
}

// exportParts writes parts to a folder that is empty, and records them in content.
func (t *Transfer) exportParts(ctx context.Context, dir string, wants func(string) bool, content *suite, sum *Summary) error {
	if wants(Documents) {
		if err := t.exportDatabases(ctx, dir, content, sum); err != nil {
			return err
		}
		if err := t.noteOthers(ctx, sum); err != nil {
			return err
		}
	}
	if !wants(Accounts) {
		return nil
	}
	content.Auth = &suiteExport{Version: FormatVersion, Path: authFolder}
	return t.exportAccounts(ctx, filepath.Join(dir, authFolder), sum)
}

// exportDatabases writes the documents of each database and records the folders in content.
func (t *Transfer) exportDatabases(ctx context.Context, dir string, content *suite, sum *Summary) error {
	for _, db := range t.databases() {
		e := exportOf(db)
		n, err := t.exportDocuments(ctx, db, filepath.Join(dir, e.Path), e.Path)
		if err != nil {
			return err
		}
		sum.Documents += n
		switch {
		case db.ID == resource.DefaultDatabase:
			content.Firestore = &e
		case n > 0:
			content.Databases = append(content.Databases, e)
		default:
			if err := os.RemoveAll(filepath.Join(dir, e.Path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteOthers records the other projects that have documents: a forgotten --project usually explains missing data.
func (t *Transfer) noteOthers(ctx context.Context, sum *Summary) error {
	for _, project := range t.o.Authorizer.Projects() {
		if project == t.o.Project {
			continue
		}
		other := *t
		other.o.Project = project
		filled, err := other.hasDocuments(ctx)
		if err != nil {
			return err
		}
		if filled {
			sum.Notes = append(sum.Notes, fmt.Sprintf("the documents of project %s; this export is of %s", project, t.o.Project))
		}
	}
	return nil
}

// databases returns the project's databases, the default one first.
func (t *Transfer) databases() []resource.Database {
	first := resource.Database{Project: t.o.Project, ID: resource.DefaultDatabase}
	all := []resource.Database{first}
	for _, db := range t.o.Authorizer.Databases(t.o.Project) {
		if db != first {
			all = append(all, db)
		}
	}
	return all
}

// Import reads a folder of the Emulator Suite, or of a managed export of Firestore. Existing documents and accounts
// with the same name or id are replaced. The whole folder is verified first: missing or damaged parts, counts that
// differ from the metadata, and accounts that would be refused are errors and change nothing.
func (t *Transfer) Import(ctx context.Context, dir string) (sum Summary, err error) {
	content, err := contentOf(dir)
	if err != nil {
		return sum, err
	}
	if err := t.importContent(ctx, dir, content, &pass{verify: true}, &Summary{}); err != nil {
		return sum, err
	}
	err = t.marked(dir, func() error { return t.importContent(ctx, dir, content, &pass{}, &sum) })
	return sum, err
}

// importContent imports the parts of a folder, or only verifies them.
func (t *Transfer) importContent(ctx context.Context, dir string, content suite, p *pass, sum *Summary) error {
	folder := regularfile.Folder(dir)
	exports := content.Databases
	if content.Firestore != nil {
		exports = append([]suiteExport{*content.Firestore}, exports...)
	}
	for _, e := range exports {
		db := resource.Database{Project: t.o.Project, ID: resource.DefaultDatabase}
		if e.Database != "" {
			db.ID = e.Database
		}
		name, err := locate(folder, ".", e.MetadataFile)
		if err != nil {
			return damagedSuite(err)
		}
		n, err := t.importDocuments(ctx, db, folder, name, p)
		sum.Documents += n
		if err != nil {
			return err
		}
	}
	if content.Auth == nil {
		return nil
	}
	name, err := locate(folder, ".", content.Auth.Path)
	if err != nil {
		return damagedSuite(err)
	}
	accounts, err := folder.Sub(name)
	if err != nil {
		return damagedSuite(err)
	}
	return t.importAccounts(ctx, accounts, p, sum)
}

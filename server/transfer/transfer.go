package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"clave/server/clock"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/identity"
	"clave/server/regularfile"
	"clave/server/resource"
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
	// Guard is the access to documents.
	Guard *guard.Guard
	// Identity is the access to accounts.
	Identity *identity.Service
	// Project is the project whose data are exported and imported.
	Project string
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Marker is a file that exists while an import changes the data, with the import's source as its content. A marker
	// that an earlier process has left shows that its import was interrupted. Empty for data in memory.
	Marker string
}

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
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

// Export writes the project's documents and accounts, or only the named parts, to a folder of the Emulator Suite. An
// earlier export in the folder is replaced atomically when everything is written. Export returns FailedPrecondition if
// the folder contains other files.
func (t *Transfer) Export(ctx context.Context, dir string, only ...string) (sum Summary, err error) {
	return sum, replace(filepath.Clean(dir), suiteFile, func(part string) error { return t.exportInto(ctx, part, only, &sum) })
}

// exportInto writes parts, or everything, to a folder that is empty.
func (t *Transfer) exportInto(ctx context.Context, dir string, only []string, sum *Summary) error {
	content := suite{Version: FormatVersion}
	wants := func(part string) bool { return len(only) == 0 || slices.Contains(only, part) }
	if wants(Documents) {
		if err := t.exportDatabases(ctx, dir, &content, sum); err != nil {
			return err
		}
		if err := t.noteOthers(ctx, sum); err != nil {
			return err
		}
	}
	if wants(Accounts) {
		content.Auth = &suiteExport{Version: FormatVersion, Path: authFolder}
		if err := t.exportAccounts(ctx, filepath.Join(dir, authFolder), sum); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, suiteFile), text)
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
	for _, project := range t.o.Guard.Projects() {
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
	for _, db := range t.o.Guard.Databases(t.o.Project) {
		if db != first {
			all = append(all, db)
		}
	}
	return all
}

// exportOf returns the folder and files of a database's export.
func exportOf(db resource.Database) suiteExport {
	folder, named := firestoreFolder, ""
	if db.ID != resource.DefaultDatabase {
		folder, named = firestoreFolder+"_"+db.ID, db.ID
	}
	return suiteExport{Version: FormatVersion, Path: folder, MetadataFile: folder + "/" + folder + overallSuffix, Database: named}
}

// Import reads a folder of the Emulator Suite, or of a managed export of Firestore. Existing documents and accounts
// with the same name or id are replaced. The whole folder is verified first: missing or damaged parts, counts that
// differ from the metadata, and accounts that would be refused are errors and change nothing.
func (t *Transfer) Import(ctx context.Context, dir string) (sum Summary, err error) {
	content, err := contentOf(dir)
	if err != nil {
		return sum, err
	}
	if err := t.importContent(ctx, dir, content, true, &Summary{}); err != nil {
		return sum, err
	}
	err = t.marked(dir, func() error { return t.importContent(ctx, dir, content, false, &sum) })
	return sum, err
}

// importContent imports the parts of a folder, or only verifies them.
func (t *Transfer) importContent(ctx context.Context, dir string, content suite, verify bool, sum *Summary) error {
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
		n, err := t.importDocuments(ctx, db, folder, name, verify)
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
	return t.importAccounts(ctx, accounts, verify, sum)
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
	entries, _ := folder.ReadDir(".") // The error below covers a folder that can't be read.
	var found []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), overallSuffix) {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		return content, fault.Wrap(err, fault.NotFound,
			"%s holds no export: neither %s nor one file NAME%s is in it", dir, suiteFile, overallSuffix)
	}
	content.Firestore = &suiteExport{MetadataFile: found[0]}
	return content, nil
}

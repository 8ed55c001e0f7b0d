package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/internal/auth/service/accountimport"
	"clave/server/internal/base/atomicfile"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// Collected is an export that its caller writes in steps: a folder of the Emulator Suite whose databases have any
// number of files with documents. The caller records which files are whole, and describes the folder at the end:
// without the description it is no export.
type Collected struct{ Dir string }

// CollectedDatabase is what a database of a Collected has.
type CollectedDatabase struct {
	DB resource.Database
	// Outputs are the names of its files.
	Outputs []string
	// Documents and Bytes are the totals of the files.
	Documents, Bytes int64
}

// kinds returns the folder of a database's files of documents.
func (c Collected) kinds(db resource.Database) string {
	return filepath.Join(c.Dir, exportOf(db).Path, wholeNamespaces, wholeKinds)
}

// DocumentFile is a file of documents that is being written.
type DocumentFile struct {
	file     *os.File
	buffered *bufio.Writer
	log      *record.Writer
	entity   []byte
	// Documents and Bytes are what it has.
	Documents, Bytes int64
}

// CreateDocuments begins a file of documents of a database. It replaces a file that was not finished.
func (c Collected) CreateDocuments(db resource.Database, name string) (*DocumentFile, error) {
	f, err := replaceFile(filepath.Join(c.kinds(db), name))
	if err != nil {
		return nil, err
	}
	d := &DocumentFile{file: f, buffered: bufio.NewWriter(f)}
	d.log = record.NewWriter(d.buffered)
	return d, nil
}

// replaceFile creates a file and its folder. A file that is there is removed.
func replaceFile(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotWrite(err)
	}
	return createFile(name)
}

// Add adds a document.
func (f *DocumentFile) Add(d *document.Document) error {
	f.entity = appendDocument(f.entity[:0], d)
	if _, err := f.log.WriteRecord(f.entity); err != nil {
		return cannotWrite(err)
	}
	f.Documents++
	f.Bytes += int64(len(f.entity))
	return nil
}

// Close ends the file, and waits until it is on disk with its name.
func (f *DocumentFile) Close() error {
	err := errors.Join(f.log.Close(), f.buffered.Flush(), f.file.Sync(), f.file.Close())
	if err == nil {
		err = atomicfile.SyncFolder(filepath.Dir(f.file.Name()))
	}
	if err != nil {
		return cannotWrite(err)
	}
	return nil
}

// AccountFile is a file of accounts that is being written.
type AccountFile struct {
	file *accountsFile
	// temporary is its path until it is whole, and path the one at the end.
	temporary, path string
}

// CreateAccounts begins the file of the accounts of a tenant, or of those without one.
func (c Collected) CreateAccounts(tenant string) (*AccountFile, error) {
	name := accountsName
	if tenant != "" {
		name += "-" + tenant
	}
	a := &AccountFile{path: filepath.Join(c.Dir, authFolder, name+jsonSuffix), temporary: filepath.Join(c.Dir, authFolder, unfinishedAccounts)}
	f, err := replaceFile(a.temporary)
	if err != nil {
		return nil, err
	}
	a.file = &accountsFile{file: f, w: bufio.NewWriter(f)}
	return a, a.file.begin()
}

// unfinishedAccounts is the name of a file of accounts that is being written. Imports do not read it.
const unfinishedAccounts = "unfinished"

// Add adds an account, in the form of accounts:batchGet.
func (a *AccountFile) Add(account json.RawMessage) error { return a.file.add(account) }

// Close ends the file, and waits until it is on disk with its name. hash has the parameters of the password hashes; nil
// if they are unknown. whole is false if the accounts are not complete: the file then is removed.
func (a *AccountFile) Close(hash *accountimport.Request, whole bool) error {
	members := ""
	var err error
	if hash != nil {
		members, err = hashText(hash)
	}
	err = errors.Join(err, a.file.end(members))
	switch {
	case err == nil && whole:
		err = errors.Join(os.Rename(a.temporary, a.path), atomicfile.SyncFolder(filepath.Dir(a.path)))
	default:
		err = errors.Join(err, os.Remove(a.temporary))
	}
	if err != nil {
		return cannotWrite(err)
	}
	return nil
}

// WriteTenants writes the settings of tenants, in the form of the Identity Platform API.
func (c Collected) WriteTenants(tenants any) error {
	text, err := json.MarshalIndent(tenants, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Join(c.Dir, authFolder)
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return cannotWrite(err)
	}
	if err := atomicfile.Write(filepath.Join(dir, tenantsName), text, fileMode); err != nil {
		return cannotWrite(err)
	}
	return nil
}

// Describe makes the folder an export of the databases, the first of which may be the default one. accounts is set if
// it has accounts. began and ended are when the documents were read.
func (c Collected) Describe(databases []CollectedDatabase, accounts bool, began, ended time.Time) error {
	content := suite{Version: FormatVersion}
	for _, d := range databases {
		e := exportOf(d.DB)
		text, err := overall(wholeNamespaces, d.Documents, d.Bytes)
		if err == nil {
			err = os.MkdirAll(c.kinds(d.DB), folderMode)
		}
		if err == nil {
			err = atomicfile.Write(filepath.Join(c.kinds(d.DB), wholeMetadata), metadata(e.Path, began, ended, d.Outputs...), fileMode)
		}
		if err == nil {
			err = atomicfile.Write(filepath.Join(c.Dir, path.Clean(e.MetadataFile)), text, fileMode)
		}
		if err != nil {
			return cannotWrite(err)
		}
		if d.DB.ID == resource.DefaultDatabase {
			content.Firestore = &e
		} else {
			content.Databases = append(content.Databases, e)
		}
	}
	if accounts {
		content.Auth = &suiteExport{Version: FormatVersion, Path: authFolder}
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetIndent("", "  ")
	if err := out.Encode(content); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(c.Dir, suiteFile), text.Bytes(), fileMode); err != nil {
		return cannotWrite(err)
	}
	return syncFolders(c.Dir)
}

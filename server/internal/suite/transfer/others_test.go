package transfer_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/record"
	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/fault"
)

// The files of testdata/suite that describe others.
const (
	overallFile  = "firestore_export/firestore_export.overall_export_metadata"
	metadataFile = "firestore_export/all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata"
	outputFile   = "firestore_export/all_namespaces/all_kinds/output-0"
)

// edit replaces the content of a file of an export.
func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(change(string(text))), 0o600))
}

// part is a message that an overall metadata file has of one file of metadata. A negative count is omitted.
func part(path string, count int) string {
	b := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), path)
	if count >= 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), uint64(count))
	}
	return string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), b))
}

// output is a message of a file of metadata that names a file of documents.
func output(path string) string {
	b := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), path)
	return string(protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), b))
}

// frame returns a log of records.
func frame(t *testing.T, records ...string) string {
	t.Helper()
	var out bytes.Buffer
	log := record.NewWriter(&out)
	for _, one := range records {
		_, err := log.WriteRecord([]byte(one))
		must(t, err)
	}
	must(t, log.Close())
	return out.String()
}

// to returns a function that replaces a text by another.
func to(text string) func(string) string { return func(string) string { return text } }

// suiteVariants change testdata/suite to what other programs and machines make of an export. All documents remain.
var suiteVariants = []struct {
	name string
	make func(t *testing.T, dir string)
}{
	{"padded to the block's end", func(t *testing.T, dir string) { must(t, os.Truncate(dir+"/"+outputFile, 32<<10)) }},
	{"padded by a block", func(t *testing.T, dir string) { must(t, os.Truncate(dir+"/"+outputFile, 64<<10)) }},
	{"a further record was begun", func(t *testing.T, dir string) {
		edit(t, dir+"/"+outputFile, func(s string) string { return s + s[:100] })
	}},
	{"a further header was begun", func(t *testing.T, dir string) {
		edit(t, dir+"/"+outputFile, func(s string) string { return s + s[:3] })
	}},
	{"backslashes", func(t *testing.T, dir string) {
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part(`all_namespaces\all_kinds\all_namespaces_all_kinds.export_metadata`, 4))))
		edit(t, dir+"/"+metadataFile, to(output(`.\output-0`)))
		edit(t, dir+"/firebase-export-metadata.json", func(s string) string { return strings.ReplaceAll(s, "/", `\\`) })
	}},
	{"absolute paths", func(t *testing.T, dir string) {
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part("/home/ana/seed/"+metadataFile, 4))))
		edit(t, dir+"/"+metadataFile, to(output("/home/ana/seed/"+outputFile)))
		edit(t, dir+"/firebase-export-metadata.json", func(s string) string {
			return strings.NewReplacer(`"firestore_export`, `"/home/ana/seed/firestore_export`, `"auth_export`, `"/home/ana/seed/auth_export`).Replace(s)
		})
	}},
	{"absolute paths of Windows", func(t *testing.T, dir string) {
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part(`C:\Users\Ana\seed\firestore_export\all_namespaces\all_kinds\all_namespaces_all_kinds.export_metadata`, 4))))
		edit(t, dir+"/"+metadataFile, to(output(`\\server\share\seed\output-0`)))
	}},
	{"paths in a bucket", func(t *testing.T, dir string) {
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part("gs://bucket/2026-11-01/"+strings.TrimPrefix(metadataFile, "firestore_export/"), 4))))
	}},
	{"paths through the folder's parent", func(t *testing.T, dir string) {
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part("../../.."+metadataFile, 4))))
		edit(t, dir+"/"+metadataFile, to(output("../../../../"+filepath.Base(dir)+"/"+outputFile)))
	}},
	{"a backslash in the name of a file", func(t *testing.T, dir string) {
		must(t, os.Rename(dir+"/"+outputFile, dir+"/"+outputFile+`\0`))
		edit(t, dir+"/"+metadataFile, to(output(`output-0\0`)))
	}},
	{"several outputs, some empty", func(t *testing.T, dir string) {
		text, err := os.ReadFile(dir + "/" + outputFile)
		must(t, err)
		first := 7 + int(text[4]) + int(text[5])<<8 // the end of the first record
		for i, content := range []string{"", string(text[:first]), string(make([]byte, 32<<10)), string(text[first:])} {
			must(t, os.WriteFile(dir+"/"+strings.TrimSuffix(outputFile, "0")+string(rune('0'+i)), []byte(content), 0o600))
		}
		edit(t, dir+"/"+metadataFile, to(output("output-0")+output("output-1")+output("output-2")+output("output-3")))
	}},
	{"a folder for each kind, deeper", func(t *testing.T, dir string) {
		must(t, os.MkdirAll(dir+"/firestore_export/a/b/kind_x", 0o700))
		must(t, os.Rename(dir+"/"+outputFile, dir+"/firestore_export/a/b/kind_x/output-7"))
		must(t, os.WriteFile(dir+"/firestore_export/a/b/kind_x/m.export_metadata", []byte(output("output-7")), 0o600))
		must(t, os.WriteFile(dir+"/firestore_export/a/b/none.export_metadata", nil, 0o600))
		edit(t, dir+"/"+overallFile, to(frame(t, "3", part("a/b/kind_x/m.export_metadata", -1)+part("a/b/none.export_metadata", 0))))
	}},
	{"a record for each part, padded", func(t *testing.T, dir string) {
		must(t, os.WriteFile(dir+"/firestore_export/none.export_metadata", nil, 0o600))
		text := frame(t, "3", part(strings.TrimPrefix(metadataFile, "firestore_export/"), 4), part("none.export_metadata", 0), "")
		edit(t, dir+"/"+overallFile, to(text+string(make([]byte, 32<<10-len(text)))))
	}},
	{"byte order marks", func(t *testing.T, dir string) {
		for _, name := range []string{"firebase-export-metadata.json", "auth_export/accounts.json", "auth_export/accounts-school.json", "auth_export/config.json"} {
			edit(t, dir+"/"+name, func(s string) string { return "\ufeff" + s })
		}
	}},
	{"ends of lines of Windows", func(t *testing.T, dir string) {
		edit(t, dir+"/firebase-export-metadata.json", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })
	}},
	{"versions that are numbers", func(t *testing.T, dir string) {
		edit(t, dir+"/firebase-export-metadata.json", func(s string) string { return strings.ReplaceAll(s, `"15.28.2"`, "15") })
	}},
	{"links to files elsewhere", func(t *testing.T, dir string) {
		for _, name := range []string{outputFile, "auth_export/accounts.json"} {
			elsewhere := filepath.Join(t.TempDir(), "x")
			must(t, os.Rename(dir+"/"+name, elsewhere))
			must(t, os.Symlink(elsewhere, dir+"/"+name))
		}
	}},
}

// TestExportsOfOthers imports what other programs and machines make of an export.
func TestExportsOfOthers(t *testing.T) {
	whole := newFixture(t, cheap)
	if _, err := whole.Import(t.Context(), "testdata/suite"); err != nil {
		t.Fatal(err)
	}
	want := whole.documents(everything)
	for _, v := range suiteVariants {
		t.Run(v.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "suite")
			must(t, os.CopyFS(dir, os.DirFS("testdata/suite")))
			v.make(t, dir)
			h := newFixture(t, cheap)
			sum, err := h.Import(t.Context(), dir)
			if err != nil || sum.Documents != 4 || len(sum.Notes) > 0 || !maps.Equal(h.documents(everything), want) {
				t.Errorf("imported %v, %v, notes %q; want the 4 documents of the export", sum, err, sum.Notes)
			}
		})
	}
}

// TestAManagedExportInAFolderWithBrackets imports a managed export from a folder whose name would be a pattern.
func TestAManagedExportInAFolderWithBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[2026-11-01]")
	must(t, os.CopyFS(dir, os.DirFS("testdata/suite/firestore_export")))
	if sum, err := newFixture(t, cheap).Import(t.Context(), dir); err != nil || sum.Documents != 4 {
		t.Errorf("imported %v, %v; want 4 documents", sum, err)
	}
}

// TestACutRecordWithoutACount imports an export whose last record is incomplete and that does not count its documents.
// Nothing then shows that no document is missing.
func TestACutRecordWithoutACount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	must(t, os.CopyFS(dir, os.DirFS("testdata/suite")))
	edit(t, dir+"/"+overallFile, to(frame(t, "3", part(strings.TrimPrefix(metadataFile, "firestore_export/"), -1))))
	edit(t, dir+"/"+outputFile, func(s string) string { return s[:len(s)-1] })
	if _, err := newFixture(t, cheap).Import(t.Context(), dir); !fault.Is(err, fault.DataLoss) || !strings.Contains(err.Error(), "last record is incomplete") {
		t.Errorf("Import = %v, want DATA_LOSS for the incomplete record", err)
	}
}

// TestAnExportWithoutAccounts imports an export whose folder of accounts has settings alone, as the Emulator Suite
// does, and notes it.
func TestAnExportWithoutAccounts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	must(t, os.CopyFS(dir, os.DirFS("testdata/suite")))
	must(t, os.Remove(dir+"/auth_export/accounts.json"))
	h := newFixture(t, cheap)
	if sum, err := h.Import(t.Context(), dir); err != nil || sum.String() != "4 documents, 1 account" || len(sum.Notes) > 0 {
		t.Errorf("with the accounts of a tenant alone: %v, %v, notes %q", sum, err, sum.Notes)
	}
	must(t, os.Remove(dir+"/auth_export/accounts-school.json"))
	sum, err := newFixture(t, cheap).Import(t.Context(), dir)
	if err != nil || sum.String() != "4 documents, 0 accounts" || len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "accounts") {
		t.Errorf("without accounts: %v, %v, notes %q; want a note", sum, err, sum.Notes)
	}
}

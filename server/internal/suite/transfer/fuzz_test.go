package transfer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"clave/server/internal/base/regularfile"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// FuzzEntity parses any bytes as an entity. It must not panic, and a parsed entity must be unchanged after it was
// written and read again.
func FuzzEntity(f *testing.F) {
	text, err := os.ReadFile("testdata/suite/firestore_export/all_namespaces/all_kinds/output-0")
	if err != nil {
		f.Fatal(err)
	}
	if err := readRecords(bytes.NewReader(text), func(one []byte) error { f.Add(bytes.Clone(one)); return nil }); err != nil {
		f.Fatal(err)
	}
	db := resource.Database{Project: "p", ID: "d"}
	f.Fuzz(func(t *testing.T, entity []byte) {
		w, err := decodeDocument(db, entity)
		if err != nil {
			return
		}
		again, err := decodeDocument(db, appendDocument(nil, &document.Document{Name: w.Name, Fields: w.Fields, Layout: w.Layout}))
		if err != nil {
			t.Fatalf("written again it cannot be read: %v", err)
		}
		order := func(w document.Write) []byte { return w.Layout.AppendStored(nil, w.Fields, value.SortedKeys(w.Fields)) }
		if a, b := order(w), order(again); !bytes.Equal(a, b) {
			t.Errorf("written again its layout is %x, want %x", b, a)
		}
		w.Layout, again.Layout = value.Layout{}, value.Layout{}
		if a, b := fmt.Sprintf("%#v", w), fmt.Sprintf("%#v", again); a != b {
			t.Errorf("written again it is\n%s\nwant\n%s", b, a)
		}
	})
}

// FuzzLog parses any bytes as a log of documents and as metadata. It must not panic or accept a path outside the
// folder.
func FuzzLog(f *testing.F) {
	text, err := overall(wholeNamespaces, 1, 2)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(append(text, make([]byte, blockSize-len(text)%blockSize)...))
	for _, name := range []string{`C:\u\all_namespaces\all_kinds\output-0`, "/srv/../output-0", `..\output-0`} {
		f.Add(appendBytes(nil, exportOutput, appendText(nil, outputPath, name)))
	}
	folder := regularfile.Folder(f.TempDir())
	if err := os.MkdirAll(filepath.Join(string(folder), "a"), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		total := 0
		_ = readRecords(bytes.NewReader(text), func(one []byte) error { total += len(one); return nil }) // only panics matter
		if total > len(text) {
			t.Errorf("%d bytes in a log of %d", total, len(text))
		}
		if err := os.WriteFile(filepath.Join(string(folder), "a", "m"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		paths, err := outputs(folder, "a/m")
		if err != nil {
			return
		}
		_, _ = partsOf(folder, "a/m") // only panics matter
		for _, p := range paths {
			if !filepath.IsLocal(p) {
				t.Errorf("%q is outside the folder", p)
			}
		}
	})
}

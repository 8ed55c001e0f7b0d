package docfile

import (
	"io"
	"maps"
	"slices"

	"clave/server/internal/model/value"
)

// File writes documents to a writer. Close ends the file, without closing the writer.
type File interface {
	// Write writes a document with its id, or with its path where documents of several collections are in the file.
	Write(id string, fields value.Map) error
	// Close writes the end of the file.
	Close() error
}

// NewJSON returns a file with a JSON object of documents by id. root precedes the paths of the documents of their
// database, without the last slash.
func NewJSON(w io.Writer, root string) File { return &jsonFile{encoder: encoder{root}, w: w} }

// jsonFile is a file of JSON.
type jsonFile struct {
	encoder
	w      io.Writer
	n      int
	buffer []byte
}

// Write writes a document.
func (f *jsonFile) Write(id string, fields value.Map) error {
	b := append(append(f.buffer[:0], begin('{', f.n)...), "  "...)
	b = append(appendText(b, id), ": "...)
	f.buffer = f.appendFields(b, fields, "  ")
	f.n++
	_, err := f.w.Write(f.buffer)
	return err
}

// Close writes the end of the file.
func (f *jsonFile) Close() error {
	end := "\n}\n"
	if f.n == 0 {
		end = "{}\n"
	}
	_, err := io.WriteString(f.w, end)
	return err
}

// NewCSV returns a file of CSV with some columns, a header line, and the ids in the column __id__. Fields of documents
// without a column are left out. root is that of NewJSON.
func NewCSV(w io.Writer, root string, columns Columns) File {
	return &csvFile{encoder: encoder{root}, w: w, names: slices.Sorted(maps.Keys(columns))}
}

// csvFile is a file of CSV.
type csvFile struct {
	encoder
	w      io.Writer
	names  []string
	began  bool
	buffer []byte
}

// Write writes a document.
func (f *csvFile) Write(id string, fields value.Map) error {
	b := f.header()
	b = appendCell(b, nameCell(id))
	for _, name := range f.names {
		b = append(b, ',')
		if v, ok := fields[name]; ok {
			b = appendCell(b, f.cellOf(v))
		}
	}
	f.buffer = append(b, "\r\n"...)
	_, err := f.w.Write(f.buffer)
	return err
}

// header returns the empty buffer, or, for the first time, the header line in it.
func (f *csvFile) header() []byte {
	b := f.buffer[:0]
	if f.began {
		return b
	}
	f.began = true
	b = append(b, idColumn...)
	for _, name := range f.names {
		b = appendCell(append(b, ','), nameCell(name))
	}
	return append(b, "\r\n"...)
}

// Close writes the header line if there were no documents.
func (f *csvFile) Close() error {
	_, err := f.w.Write(f.header())
	return err
}

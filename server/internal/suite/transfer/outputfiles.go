package transfer

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cockroachdb/pebble/v2/record"

	"clave/server/internal/model/document"
)

// outputFiles writes documents to files of a folder. Once one has most bytes, the next document begins another one.
type outputFiles struct {
	folder string
	most   int64
	// names are those of the files, and size is the number of bytes in those that have ended.
	names []string
	size  int64
	// file is the last one, to which log writes by buffered, and written its number of bytes.
	file     *os.File
	buffered *bufio.Writer
	log      *record.Writer
	written  int64
	entity   []byte
}

// begin begins a file.
func (o *outputFiles) begin() (err error) {
	name := outputPrefix + strconv.Itoa(len(o.names))
	if o.file, err = createFile(filepath.Join(o.folder, name)); err != nil {
		return err
	}
	o.names, o.written = append(o.names, name), 0
	o.buffered = bufio.NewWriter(o.file) // a log writes after each record
	o.log = record.NewWriter(o.buffered)
	return nil
}

// add writes a document, and returns the number of its bytes.
func (o *outputFiles) add(d *document.Document) (bytes int, err error) {
	if o.written >= o.most {
		if err := o.end(); err != nil {
			return 0, err
		}
		if err := o.begin(); err != nil {
			return 0, err
		}
	}
	o.entity = appendDocument(o.entity[:0], d)
	o.written, err = o.log.WriteRecord(o.entity)
	return len(o.entity), err
}

// end ends the last file, and waits until it is on disk. It does nothing without a file.
func (o *outputFiles) end() error {
	if o.file == nil {
		return nil
	}
	o.size += o.written
	err := errors.Join(o.log.Close(), o.buffered.Flush(), o.file.Sync(), o.file.Close())
	o.file = nil
	return err
}

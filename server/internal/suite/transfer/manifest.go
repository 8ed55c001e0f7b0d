package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/cockroachdb/pebble/v2/record"
	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/regularfile"
)

// The names of an export's files.
const (
	overallSuffix   = ".overall_export_metadata"
	wholeNamespaces = "all_namespaces"
	wholeKinds      = "all_kinds" // in wholeNamespaces
	wholeMetadata   = "all_namespaces_all_kinds.export_metadata"
	outputPrefix    = "output-"
)

// overallVersion is the first record of an overall metadata file.
const overallVersion = "3"

// The fields of the metadata.
const (
	overallPart    = 1 // of all exports of one kind
	partScope      = 1
	partPath       = 2 // path of the export_metadata, relative to the folder of this file
	partCount      = 3
	partBytes      = 4
	scopeKind      = 1
	scopeNamespace = 3
	exportAbout    = 1
	aboutName      = 1
	aboutBegan     = 2 // microseconds since the Unix epoch
	aboutEnded     = 3
	exportOutput   = 2
	outputScope    = 1
	outputPath     = 2 // from the folder of this file
	allKinds       = 2
	allNamespaces  = 3
)

// overall returns the overall metadata of an export of all documents into one file. namespaces is the name that the
// folder wholeNamespaces has.
func overall(namespaces string, documents, size int64) ([]byte, error) {
	scope := appendInt(appendInt(nil, scopeKind, allKinds), scopeNamespace, allNamespaces)
	part := appendBytes(nil, partScope, scope)
	part = appendText(part, partPath, path.Join(namespaces, wholeKinds, wholeMetadata))
	part = appendInt(appendInt(part, partCount, documents), partBytes, size)
	var out bytes.Buffer
	log := record.NewWriter(&out)
	_, err := log.WriteRecord([]byte(overallVersion))
	if err == nil {
		_, err = log.WriteRecord(appendBytes(nil, overallPart, part))
	}
	return out.Bytes(), errors.Join(err, log.Close())
}

// metadata returns the metadata of one export into the files of these names.
func metadata(name string, began, ended time.Time, outputs ...string) []byte {
	about := appendText(nil, aboutName, name)
	about = appendInt(appendInt(about, aboutBegan, began.UnixMicro()), aboutEnded, ended.UnixMicro())
	out := appendBytes(nil, exportAbout, about)
	for _, file := range outputs {
		out = appendBytes(out, exportOutput, appendText(appendText(nil, outputScope, ""), outputPath, file))
	}
	return out
}

// exportPart is the description of one export in an overall metadata file.
type exportPart struct {
	// outputs are the paths of its files, from the root of the folder.
	outputs []string
	// documents is the number of documents in them, if counted is set.
	documents int64
	counted   bool
}

// partsOf returns the parts of an export, at least one, by its overall metadata file.
func partsOf(folder regularfile.Folder, name string) ([]exportPart, error) {
	// The overall file names a file of metadata for each part, which names the part's files of documents. A file that
	// is named twice is refused, because a small export could otherwise have one file read any number of times.
	var parts []exportPart
	named := make(map[string]bool)
	err := messages(folder, name, overallPart, func(message []byte) error {
		var part exportPart
		metadata := ""
		err := eachField(message, func(f field) (err error) {
			switch f.number {
			case partPath:
				metadata, err = locate(folder, path.Dir(name), string(f.bytes))
			case partCount:
				part.documents, part.counted = int64(f.bits), true
			}
			return err
		})
		if err != nil || metadata == "" {
			return errors.Join(err, checkNamed("file of metadata", metadata))
		}
		if named[metadata] {
			return namedTwice(metadata)
		}
		named[metadata] = true
		if part.outputs, err = outputs(folder, metadata); err != nil {
			return err
		}
		parts = append(parts, part)
		return nil
	})
	if err == nil && len(parts) == 0 {
		err = fault.E(fault.DataLoss, "%s cannot be read: it does not describe an export", name)
	}
	return parts, err
}

// maxMetadata is the maximum size in bytes of a file that describes an export. Files of documents and of accounts have
// other limits. A larger file describes none, and would have to fit into the memory.
const maxMetadata = 16 << 20

// checkNamed returns an error if a name of a kind is empty.
func checkNamed(kind, name string) error {
	if name != "" {
		return nil
	}
	return fmt.Errorf("it names no %s", kind)
}

// namedTwice returns the error for a file that is named twice. A small file of metadata could otherwise have a large
// one read any number of times.
func namedTwice(name string) error { return fmt.Errorf("it names %s twice", name) }

// outputs returns the paths of the files with documents that a file of metadata names.
func outputs(folder regularfile.Folder, name string) ([]string, error) {
	var paths []string
	named := make(map[string]bool)
	err := messages(folder, name, exportOutput, func(message []byte) error {
		return eachField(message, func(f field) error {
			if f.number != outputPath {
				return nil
			}
			p, err := locate(folder, path.Dir(name), string(f.bytes))
			if err == nil && named[p] {
				err = namedTwice(p)
			}
			named[p] = true
			paths = append(paths, p)
			return err
		})
	})
	return paths, err
}

// messages calls yield with the messages of a field in a file of metadata.
func messages(folder regularfile.Folder, name string, number protowire.Number, yield func([]byte) error) error {
	text, err := folder.Read(name, maxMetadata)
	if err != nil {
		return unreadable(name, err)
	}
	for _, message := range unframed(text) {
		err = eachField(message, func(f field) error {
			if f.number != number {
				return nil
			}
			return yield(f.bytes)
		})
		var named *fault.Error
		if err != nil && !errors.As(err, &named) {
			return fault.Wrap(err, fault.DataLoss, "%s cannot be read: %v", name, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unreadable returns the error for a file of an export that cannot be read. Errors with a code remain as they are.
func unreadable(name string, err error) error {
	var named *fault.Error
	switch {
	case errors.As(err, &named):
		return err
	case errors.Is(err, regularfile.ErrIrregular), errors.Is(err, regularfile.ErrTooLarge):
		return fault.Wrap(err, fault.DataLoss, "%s is damaged: %v", name, errors.Unwrap(err))
	}
	return fault.Wrap(err, fault.NotFound, "the export is incomplete: %v", err)
}

// unframed returns the messages in the records of a log, or the text itself if it is not a log. The official emulator
// writes one of the two kinds of metadata as a log, whose first record is a version.
func unframed(text []byte) [][]byte {
	var all [][]byte
	err := readRecords(bytes.NewReader(text), func(one []byte) error {
		if string(one) != overallVersion {
			all = append(all, bytes.Clone(one))
		}
		return nil
	})
	if err != nil {
		return [][]byte{text}
	}
	return all
}

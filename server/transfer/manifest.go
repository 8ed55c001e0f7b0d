package transfer

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/record"
	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/fault"
)

// The names of an export's files.
const (
	overallSuffix = ".overall_export_metadata"
	wholeFolder   = "all_namespaces/all_kinds"
	wholeMetadata = "all_namespaces_all_kinds.export_metadata"
	outputName    = "output-0"
)

// overallVersion is the first record of an overall metadata file.
const overallVersion = "3"

// The fields of the metadata.
const (
	overallPart    = 1 // of all exports of one kind
	partScope      = 1
	partPath       = 2 // of the export_metadata, from the folder of this file
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

// overall returns the overall metadata of an export of all documents into one file.
func overall(documents, size int64) ([]byte, error) {
	scope := appendInt(appendInt(nil, scopeKind, allKinds), scopeNamespace, allNamespaces)
	part := appendBytes(nil, partScope, scope)
	part = appendText(part, partPath, wholeFolder+"/"+wholeMetadata)
	part = appendInt(appendInt(part, partCount, documents), partBytes, size)
	var out bytes.Buffer
	log := record.NewWriter(&out)
	_, err := log.WriteRecord([]byte(overallVersion))
	if err == nil {
		_, err = log.WriteRecord(appendBytes(nil, overallPart, part))
	}
	return out.Bytes(), errors.Join(err, log.Close())
}

// metadata returns the metadata of one export into one file.
func metadata(name string, began, ended time.Time) []byte {
	about := appendText(nil, aboutName, name)
	about = appendInt(appendInt(about, aboutBegan, began.UnixMicro()), aboutEnded, ended.UnixMicro())
	output := appendText(appendText(nil, outputScope, ""), outputPath, outputName)
	return appendBytes(appendBytes(nil, exportAbout, about), exportOutput, output)
}

// outputs returns the paths of the files with documents that an overall metadata leads to.
func outputs(folder fs.FS, name string) ([]string, error) {
	parts, err := pathsIn(folder, name, overallPart, partPath)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, part := range parts {
		files, err := pathsIn(folder, part, exportOutput, outputPath)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	return all, nil
}

// pathsIn returns the paths that a file of metadata names, one in each message of a field, from the root of the folder.
func pathsIn(folder fs.FS, name string, message, inside protowire.Number) ([]string, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fault.Because(err, fault.NotFound, "the export is not whole: %v", err)
	}
	var paths []string
	err = eachField(unframed(text), func(f field) error {
		if f.number != message {
			return nil
		}
		return eachField(f.bytes, func(f field) error {
			if f.number != inside {
				return nil
			}
			p := path.Join(path.Dir(name), string(f.bytes))
			if !fs.ValidPath(p) || strings.HasPrefix(string(f.bytes), "/") {
				return errors.New("it names a file outside the folder")
			}
			paths = append(paths, p)
			return nil
		})
	})
	if err != nil {
		return nil, fault.Because(err, fault.DataLoss, "%s cannot be read: %v", name, err)
	}
	return paths, nil
}

// unframed returns the last record of a log, or the text itself when it is no log: the official emulator writes one of the two
// kinds of metadata as a log.
func unframed(text []byte) []byte {
	message := text
	err := readRecords(bytes.NewReader(text), func(one []byte) error {
		message = bytes.Clone(one)
		return nil
	})
	if err != nil {
		return text
	}
	return message
}

// Package records encodes what the store holds under the keys of documents and commits: a document's record, and a
// commit's record with the documents that it changed, before and after.
package records

import (
	"encoding/binary"

	"clave/server/internal/base/clock"
	"clave/server/internal/database/engine/keys"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// A document's record is its create time and its update time, 8 bytes each, its fields (value.AppendBinary), and their
// layout (value.Layout.AppendStored), which is empty in records of earlier versions. times is the length of the times,
// and update the position of the update time.
const (
	times  = 16
	update = 8
)

// Append appends a document's record. names are the names of its fields in order.
func Append(dst []byte, d *document.Document, names []string) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.CreateTime))
	dst = binary.BigEndian.AppendUint64(dst, uint64(d.UpdateTime))
	return d.Layout.AppendStored(value.AppendMap(dst, d.Fields, names), d.Fields, names)
}

// UsualSize returns the usual size of a document's record in bytes.
func UsualSize(d *document.Document) int { return times + 64 + 32*len(d.Fields) }

// Decode decodes a document's record. It returns keys.ErrCorrupt for other bytes.
func Decode(name resource.Document, b []byte) (*document.Document, error) {
	if len(b) < times {
		return nil, keys.ErrCorrupt
	}
	v, layout, err := value.Decode(b[times:])
	if err != nil {
		return nil, err
	}
	fields, ok := v.(value.Map)
	if !ok {
		return nil, keys.ErrCorrupt
	}
	return &document.Document{
		Name: name, Fields: fields, Layout: value.StoredLayout(layout),
		CreateTime: clock.Version(binary.BigEndian.Uint64(b)),
		UpdateTime: clock.Version(binary.BigEndian.Uint64(b[update:])),
	}, nil
}

// SetTimes writes the update time into a document's record, and the create time if the document is new.
func SetTimes(record []byte, v clock.Version, created bool) {
	if created {
		binary.BigEndian.PutUint64(record, uint64(v))
	}
	binary.BigEndian.PutUint64(record[update:], uint64(v))
}

// Image is a change with its documents' records; nil means absent.
type Image struct {
	Path          string
	Before, After []byte
}

// AppendImage appends an image to a commit's record: path, before and after, each with its length. The length of a
// record is stored plus one; 0 means absent. It returns the offset of the after record.
func AppendImage(dst []byte, i Image) (out []byte, after int) {
	dst = binary.AppendUvarint(dst, uint64(len(i.Path)))
	dst = append(dst, i.Path...)
	dst = appendRecord(dst, i.Before)
	dst = appendRecord(dst, i.After)
	return dst, len(dst) - len(i.After)
}

// appendRecord appends a document's record, which may be absent, with its length.
func appendRecord(dst, record []byte) []byte {
	if record == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(record))+1)
	return append(dst, record...)
}

// Images decodes a commit's record. The images share memory with it.
func Images(record []byte) ([]Image, error) {
	var out []Image
	for len(record) > 0 {
		i, rest, err := cutImage(record)
		if err != nil {
			return nil, err
		}
		out, record = append(out, i), rest
	}
	return out, nil
}

// Paths calls yield with the path of each image of a commit's record. yield must not keep it.
func Paths(record []byte, yield func(path []byte)) error {
	for len(record) > 0 {
		path, rest, err := cutBytes(record, 0)
		if err != nil {
			return err
		}
		for range 2 {
			if _, rest, err = cutBytes(rest, 1); err != nil {
				return err
			}
		}
		yield(path)
		record = rest
	}
	return nil
}

// Changes returns the changes of documents of a database that images hold.
func Changes(db resource.Database, images []Image) ([]document.Change, error) {
	out := make([]document.Change, len(images))
	for i, im := range images {
		var err error
		if out[i], err = im.Change(db); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cutImage decodes an image at the front of a commit's record. It shares memory with b.
func cutImage(b []byte) (i Image, rest []byte, err error) {
	path, b, err := cutBytes(b, 0)
	if err != nil {
		return Image{}, nil, err
	}
	if i.Before, b, err = cutBytes(b, 1); err != nil {
		return Image{}, nil, err
	}
	if i.After, b, err = cutBytes(b, 1); err != nil {
		return Image{}, nil, err
	}
	i.Path = string(path)
	return i, b, nil
}

// Cut returns the bytes with their length at the front of b, and what follows them.
func Cut(b []byte) (cut, rest []byte, err error) { return cutBytes(b, 0) }

// cutBytes decodes bytes with their length at the front of b. With shift 1 the length is stored plus one, and 0 means
// absent.
func cutBytes(b []byte, shift uint64) (cut, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return nil, nil, keys.ErrCorrupt
	}
	b = b[size:]
	if shift == 1 && n == 0 {
		return nil, b, nil
	}
	n -= shift
	if n > uint64(len(b)) {
		return nil, nil, keys.ErrCorrupt
	}
	return b[:n:n], b[n:], nil
}

// Change returns the change of a document of a database that an image holds.
func (i Image) Change(db resource.Database) (document.Change, error) {
	c := document.Change{Name: resource.Document{DB: db, Path: i.Path}}
	var err error
	if i.Before != nil {
		if c.Before, err = Decode(c.Name, i.Before); err != nil {
			return document.Change{}, err
		}
	}
	if i.After != nil {
		if c.After, err = Decode(c.Name, i.After); err != nil {
			return document.Change{}, err
		}
	}
	return c, nil
}

package engine

import (
	"encoding/binary"

	"clave/server/clock"
	"clave/server/document"
	"clave/server/engine/keys"
	"clave/server/resource"
	"clave/server/value"
)

// A document's record is its create time and its update time, 8 bytes each, and its fields (value.AppendBinary).
const (
	recordTimes  = 16
	recordUpdate = 8
)

// encodeDocument returns a document's record.
func encodeDocument(d *document.Document) []byte {
	b := make([]byte, recordTimes, recordTimes+64+32*len(d.Fields))
	binary.BigEndian.PutUint64(b, uint64(d.CreateTime))
	binary.BigEndian.PutUint64(b[recordUpdate:], uint64(d.UpdateTime))
	return value.AppendBinary(b, d.Fields)
}

// decodeDocument decodes a document's record.
func decodeDocument(name resource.Document, b []byte) (*document.Document, error) {
	if len(b) < recordTimes {
		return nil, keys.ErrCorrupt
	}
	v, _, err := value.Decode(b[recordTimes:])
	if err != nil {
		return nil, err
	}
	fields, ok := v.(value.Map)
	if !ok {
		return nil, keys.ErrCorrupt
	}
	return &document.Document{
		Name: name, Fields: fields,
		CreateTime: clock.Version(binary.BigEndian.Uint64(b)),
		UpdateTime: clock.Version(binary.BigEndian.Uint64(b[recordUpdate:])),
	}, nil
}

// setTimes writes the update time into a document's record, and the create time if the document is new.
func setTimes(record []byte, v clock.Version, created bool) {
	if created {
		binary.BigEndian.PutUint64(record, uint64(v))
	}
	binary.BigEndian.PutUint64(record[recordUpdate:], uint64(v))
}

// image is a change with its documents' records; nil means absent.
type image struct {
	path          string
	before, after []byte
}

// appendImage appends an image to a commit's record: path, before and after, each with its length. The length of a
// record is stored plus one; 0 means absent. It returns the offset of the after record.
func appendImage(dst []byte, i image) (out []byte, after int) {
	dst = binary.AppendUvarint(dst, uint64(len(i.path)))
	dst = append(dst, i.path...)
	dst = appendRecord(dst, i.before)
	dst = appendRecord(dst, i.after)
	return dst, len(dst) - len(i.after)
}

// appendRecord appends a document's record, which may be absent, with its length.
func appendRecord(dst, record []byte) []byte {
	if record == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(record))+1)
	return append(dst, record...)
}

// cutImage decodes an image at the front of a commit's record. It shares memory with b.
func cutImage(b []byte) (i image, rest []byte, err error) {
	path, b, err := cutBytes(b, 0)
	if err != nil {
		return image{}, nil, err
	}
	if i.before, b, err = cutBytes(b, 1); err != nil {
		return image{}, nil, err
	}
	if i.after, b, err = cutBytes(b, 1); err != nil {
		return image{}, nil, err
	}
	i.path = string(path)
	return i, b, nil
}

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

// decodeImage returns the change of an image.
func decodeImage(db resource.Database, i image) (document.Change, error) {
	c := document.Change{Name: resource.Document{DB: db, Path: i.path}}
	var err error
	if i.before != nil {
		if c.Before, err = decodeDocument(c.Name, i.before); err != nil {
			return document.Change{}, err
		}
	}
	if i.after != nil {
		if c.After, err = decodeDocument(c.Name, i.after); err != nil {
			return document.Change{}, err
		}
	}
	return c, nil
}

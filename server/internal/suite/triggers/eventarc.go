package triggers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/value"
)

// Message is an event as an HTTP service receives it: a CloudEvent in binary content mode.
type Message struct {
	Header http.Header `json:"header"`
	Body   []byte      `json:"-"`
}

// ID returns the event's id.
func (m *Message) ID() string { return m.Header.Get("Ce-Id") }

// Eventarc returns the message of a change as Eventarc sends it in production, with its data as JSON or as the
// serialized DocumentEventData. The emulator's events, which are of another form, are the Dispatcher's.
func (t *Trigger) Eventarc(at clock.Version, c *Change, asJSON bool) (Message, error) {
	header := make(http.Header)
	for name, v := range cloudEvent(t, at, c) {
		header.Set(name, escapeHeader(v))
	}
	header.Set("Ce-Source", "//firestore.googleapis.com/"+c.Name.DB.String())
	header.Set("Ce-Time", at.Time().Format(time.RFC3339Nano))
	header.Del("Ce-Location")
	header.Del("Ce-Authid") // the log does not name the writer: the type is unknown
	mask := updateMask(c)
	if asJSON {
		header.Set("Content-Type", "application/json")
		header.Set("Ce-Datacontenttype", "application/json")
		body, err := eventJSON(c, mask)
		return Message{header, body}, err
	}
	data, err := appendDocument(nil, fieldValue, c.After)
	if err != nil {
		return Message{}, err
	}
	if data, err = appendDocument(data, fieldOldValue, c.Before); err != nil {
		return Message{}, err
	}
	if c.kind() == updated {
		var paths []byte
		for _, p := range mask {
			paths = protowire.AppendString(protowire.AppendTag(paths, 1, protowire.BytesType), p)
		}
		data = protowire.AppendBytes(protowire.AppendTag(data, fieldUpdateMask, protowire.BytesType), paths)
	}
	return Message{header, data}, nil
}

// eventJSON returns DocumentEventData as JSON.
func eventJSON(c *Change, mask []string) ([]byte, error) {
	type fieldPaths struct {
		FieldPaths []string `json:"fieldPaths"`
	}
	var data struct {
		Value      json.RawMessage `json:"value,omitempty"`
		OldValue   json.RawMessage `json:"oldValue,omitempty"`
		UpdateMask *fieldPaths     `json:"updateMask,omitempty"`
	}
	var err error
	if data.Value, err = documentJSON(c.After); err != nil {
		return nil, err
	}
	if data.OldValue, err = documentJSON(c.Before); err != nil {
		return nil, err
	}
	if c.kind() == updated {
		data.UpdateMask = &fieldPaths{append([]string{}, mask...)}
	}
	body, err := json.Marshal(&data)
	if err != nil {
		return nil, fmt.Errorf("event for %s: %w", c.Name, err)
	}
	return body, nil
}

// updateMask returns the paths of the fields that an update has changed, in order; nil for other changes.
func updateMask(c *Change) []string {
	if c.kind() != updated {
		return nil
	}
	return changedPaths(nil, nil, c.Before.Fields, c.After.Fields)
}

// changedPaths appends the paths at which two maps differ. Maps that both have are compared field by field.
func changedPaths(out []string, prefix value.FieldPath, before, after value.Map) []string {
	names := value.SortedKeys(before)
	for _, name := range value.SortedKeys(after) {
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path := append(slices.Clone(prefix), name)
		old, had := before[name]
		now, has := after[name]
		oldMap, wasMap := plainMap(old)
		newMap, isMap := plainMap(now)
		switch {
		case had && has && wasMap && isMap:
			out = changedPaths(out, path, oldMap, newMap)
		case !had || !has || !value.Equal(old, now):
			out = append(out, path.String())
		}
	}
	return out
}

// plainMap returns a value as a map. It returns false for a vector.
func plainMap(v value.Value) (value.Map, bool) {
	m, ok := v.(value.Map)
	if _, vector := value.AsVector(m); !ok || vector {
		return nil, false
	}
	return m, true
}

// escapeHeader percent-encodes characters that a header of a CloudEvent can't contain (CloudEvents' HTTP binding,
// 3.1.3.2).
func escapeHeader(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == '"' || c == '%' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

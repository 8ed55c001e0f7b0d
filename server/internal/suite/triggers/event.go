package triggers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"clave/server/internal/base/clock"
	"clave/server/internal/model/document"
	"clave/server/internal/model/wire"
)

// message is an event as a functions emulator receives it: the headers and the body of a POST.
type message struct {
	header http.Header
	body   []byte
}

// encode returns the message of a change for a trigger.
func encode(t *Trigger, at clock.Version, c *Change) (message, error) {
	if t.generation == First {
		return encodeFirst(t, at, c)
	}
	return encodeSecond(t, at, c)
}

// eventID returns the id of an event, in the form of a UUID. It is the same whenever the event is made again, so that a
// function can recognize a repeated delivery.
func eventID(at clock.Version, c *Change, key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", at, c.Name, key))
	const version, variant = 0x80, 0x80 // version 8: the content is up to the generator (RFC 9562)
	sum[6] = sum[6]&0x0f | version
	sum[8] = sum[8]&0x3f | variant
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// firstTime returns a time in the form of events of the 1st generation: like the times of their documents, with zero,
// three or six fractional digits (proto3's JSON mapping).
func firstTime(at clock.Version) string {
	const milli, second = 1_000, 1_000_000
	switch {
	case at%second == 0:
		return at.Time().Format("2006-01-02T15:04:05Z")
	case at%milli == 0:
		return at.Time().Format("2006-01-02T15:04:05.000Z")
	}
	return at.Time().Format("2006-01-02T15:04:05.000000Z")
}

// encodeFirst creates an event of the 1st generation. As the official emulator's, its updateMask is always empty.
func encodeFirst(t *Trigger, at clock.Version, c *Change) (message, error) {
	type data struct {
		Value      json.RawMessage `json:"value,omitempty"`
		OldValue   json.RawMessage `json:"oldValue,omitempty"`
		UpdateMask struct{}        `json:"updateMask"`
	}
	type eventResource struct {
		Name    string `json:"name"`
		Service string `json:"service"`
	}
	type eventContext struct {
		EventID   string        `json:"eventId"`
		Timestamp string        `json:"timestamp"`
		EventType string        `json:"eventType"`
		Resource  eventResource `json:"resource"`
	}
	var event struct {
		Data    data         `json:"data"`
		Context eventContext `json:"context"`
	}
	var err error
	if event.Data.Value, err = documentJSON(c.After); err != nil {
		return message{}, err
	}
	if event.Data.OldValue, err = documentJSON(c.Before); err != nil {
		return message{}, err
	}
	event.Context = eventContext{
		EventID: eventID(at, c, ""), Timestamp: firstTime(at), EventType: t.event,
		Resource: eventResource{Name: c.Name.String(), Service: serviceName},
	}
	body, err := json.Marshal(&event)
	if err != nil {
		return message{}, fmt.Errorf("event for %s: %w", c.Name, err)
	}
	return message{header: http.Header{"Content-Type": {"application/json"}}, body: body}, nil
}

// documentJSON returns a document as JSON, or nil if it does not exist.
func documentJSON(d *document.Document) (json.RawMessage, error) {
	if d == nil {
		return nil, nil
	}
	return wire.AppendDocumentJSON(nil, d)
}

// schema is the URL of the definition of the message of events of the 2nd generation:
// google.events.cloud.firestore.v1.DocumentEventData.
const schema = "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"

// The fields of DocumentEventData. Its documents have the form of google.firestore.v1.Document.
const (
	fieldValue      protowire.Number = 1
	fieldOldValue   protowire.Number = 2
	fieldUpdateMask protowire.Number = 3
)

// encodeSecond creates a CloudEvent in binary mode. As the official emulator's, its body is the base64 text of the
// message.
func encodeSecond(t *Trigger, at clock.Version, c *Change) (message, error) {
	var data []byte
	var err error
	if data, err = appendDocument(data, fieldValue, c.After); err != nil {
		return message{}, err
	}
	if data, err = appendDocument(data, fieldOldValue, c.Before); err != nil {
		return message{}, err
	}
	data = protowire.AppendTag(data, fieldUpdateMask, protowire.BytesType)
	data = protowire.AppendBytes(data, nil)
	header := make(http.Header)
	for name, value := range cloudEvent(t, at, c) {
		header.Set(name, value)
	}
	return message{header: header, body: []byte(base64.StdEncoding.EncodeToString(data))}, nil
}

// cloudEvent returns the headers of an event of the 2nd generation.
func cloudEvent(t *Trigger, at clock.Version, c *Change) map[string]string {
	db := c.Name.DB
	h := map[string]string{
		"Content-Type":   "application/protobuf",
		"Ce-Specversion": "1.0",
		"Ce-Id":          eventID(at, c, t.key),
		"Ce-Time":        at.Time().Format(time.RFC3339),
		"Ce-Type":        t.event,
		// The official emulator writes projects twice.
		"Ce-Source":          "//firestore.googleapis.com/projects/" + db.String(),
		"Ce-Subject":         "documents/" + c.Name.Path,
		"Ce-Datacontenttype": "application/protobuf",
		"Ce-Dataschema":      schema,
		"Ce-Location":        "us-central1",
		"Ce-Project":         db.Project,
		"Ce-Database":        db.ID,
		"Ce-Namespace":       defaultNamespace,
		"Ce-Document":        c.Name.Path,
	}
	if t.auth {
		// The official emulator does not name the writer either.
		h["Ce-Authtype"] = "unknown"
		h["Ce-Authid"] = "fake-auth-id@gmail.com"
	}
	return h
}

// appendDocument appends a field with a document, or nothing for one that does not exist.
func appendDocument(data []byte, field protowire.Number, d *document.Document) ([]byte, error) {
	if d == nil {
		return data, nil
	}
	body, err := wire.AppendDocument(nil, d)
	if err != nil {
		return nil, fmt.Errorf("event for %s: %w", d.Name, err)
	}
	data = protowire.AppendTag(data, field, protowire.BytesType)
	return protowire.AppendBytes(data, body), nil
}

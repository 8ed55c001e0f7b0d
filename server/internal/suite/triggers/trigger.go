package triggers

import (
	"bytes"
	"encoding/json"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
)

// Generation is a trigger's generation of Cloud Functions.
type Generation uint8

// The generations.
const (
	First Generation = iota + 1
	Second
)

// kind is the kind of changes that a trigger receives.
type kind uint8

// The kinds.
const (
	written kind = iota
	created
	updated
	deleted
)

// Trigger is a function that is called when documents change.
type Trigger struct {
	generation Generation
	// key names the function in the functions emulator.
	key      string
	database resource.Database
	// event is the event type of events: that of the registration.
	event   string
	kind    kind
	auth    bool // events carry who made the change
	pattern pattern
}

// Database returns the database whose documents the trigger is for.
func (t *Trigger) Database() resource.Database { return t.database }

// firstKinds are the event types of the 1st generation.
var firstKinds = map[string]kind{
	"providers/cloud.firestore/eventTypes/document.write":  written,
	"providers/cloud.firestore/eventTypes/document.create": created,
	"providers/cloud.firestore/eventTypes/document.update": updated,
	"providers/cloud.firestore/eventTypes/document.delete": deleted,
}

// secondKinds are the event types of the 2nd generation; each also exists with authSuffix.
var secondKinds = map[string]kind{
	"google.cloud.firestore.document.v1.written": written,
	"google.cloud.firestore.document.v1.created": created,
	"google.cloud.firestore.document.v1.updated": updated,
	"google.cloud.firestore.document.v1.deleted": deleted,
}

// eventPrefix begins the event types of the 2nd generation.
const eventPrefix = "google.cloud.firestore.document.v1."

// authSuffix ends the event types whose events name the writer of the change.
const authSuffix = ".withAuthContext"

// service is the only service of a trigger of the 1st generation.
const serviceName = "firestore.googleapis.com"

// ParseFirst parses the body of a registration of the 1st generation:
//
//	{"eventTrigger": {"resource": "projects/P/databases/D/documents/PATTERN", "eventType": …, "service": …}}
func ParseFirst(project, key string, body []byte) (*Trigger, error) {
	var request struct {
		EventTrigger struct {
			Resource  string `json:"resource"`
			EventType string `json:"eventType"`
			Service   string `json:"service"`
		} `json:"eventTrigger"`
	}
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	event := request.EventTrigger
	if event.Service != serviceName {
		return nil, fault.E(fault.InvalidArgument, "The service of a trigger must be %q, not %q.", serviceName, event.Service)
	}
	t := &Trigger{generation: First, key: key, event: event.EventType}
	var ok bool
	if t.kind, ok = firstKinds[event.EventType]; !ok {
		return nil, fault.E(fault.InvalidArgument, "Unknown event type %q.", event.EventType)
	}
	db, path, err := resource.SplitPath(event.Resource)
	if err != nil {
		return nil, err
	}
	if db.Project != project {
		return nil, fault.E(fault.InvalidArgument, "The trigger is of project %q, but its resource is of project %q.", project, db.Project)
	}
	t.database = db
	t.pattern, err = parsePattern(path)
	return t, err
}

// ParseSecond parses the body of a registration of the 2nd generation:
//
//	{
//		"eventType": …, "database": "(default)", "namespace": "(default)",
//		"document": {"value": PATTERN, "matchType": "PATH_PATTERN"}
//	}
//
// Without a document the trigger is for all documents of the database.
func ParseSecond(project, key string, body []byte) (*Trigger, error) {
	var request struct {
		EventType string `json:"eventType"`
		Database  string `json:"database"`
		Namespace string `json:"namespace"`
		Document  *struct {
			Value     string `json:"value"`
			MatchType string `json:"matchType"`
		} `json:"document"`
	}
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	t, err := newSecond(key, request.EventType)
	if err != nil {
		return nil, err
	}
	if request.Namespace != "" && request.Namespace != defaultNamespace {
		return nil, fault.E(fault.InvalidArgument, "Unknown namespace %q: Firestore has only %s.", request.Namespace, defaultNamespace)
	}
	if t.database, err = resource.ParseDatabase("projects/" + project + "/databases/" + request.Database); err != nil {
		return nil, err
	}
	switch d := request.Document; {
	case d == nil:
		t.pattern.all = true
	case d.MatchType == "EXACT":
		t.pattern = exactPattern(d.Value)
	case d.MatchType == "PATH_PATTERN":
		t.pattern, err = parsePattern(d.Value)
	default:
		err = fault.E(fault.InvalidArgument, "Payload isn't valid for request.")
	}
	return t, err
}

// newSecond returns a trigger of the 2nd generation for an event type.
func newSecond(key, event string) (*Trigger, error) {
	t := &Trigger{generation: Second, key: key, event: event}
	plain, auth := strings.CutSuffix(event, authSuffix)
	var ok bool
	if t.kind, ok = secondKinds[plain]; !ok {
		return nil, fault.E(fault.InvalidArgument, "Unknown event type %q.", event)
	}
	t.auth = auth
	return t, nil
}

// NewTrigger returns a trigger of the 2nd generation for the documents of a database that match a pattern of paths, or
// for all if the pattern is empty. event is the end of the event type: created, updated, deleted or written, optionally
// followed by .withAuthContext.
func NewTrigger(key, event string, db resource.Database, document string) (*Trigger, error) {
	t, err := newSecond(key, eventPrefix+event)
	if err != nil {
		return nil, fault.E(fault.InvalidArgument, "unknown event %q: expected created, updated, deleted or written, with or without .withAuthContext", event)
	}
	t.database = db
	if document == "" {
		t.pattern.all = true
		return t, nil
	}
	t.pattern, err = parsePattern(document)
	return t, err
}

// defaultNamespace is the only namespace of Firestore's events.
const defaultNamespace = "(default)"

// decode reads a registration's body.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(into); err != nil {
		return fault.Wrap(err, fault.InvalidArgument, "Payload isn't valid for request.")
	}
	return nil
}

// Change is the change of one document by a commit. A nil side means that the document does not exist.
type Change struct {
	Name          resource.Document
	Before, After *document.Document
}

// kind returns the kind of the change.
func (c *Change) kind() kind {
	switch {
	case c.Before == nil:
		return created
	case c.After == nil:
		return deleted
	}
	return updated
}

// Matches reports whether the trigger is for a change of its database.
func (t *Trigger) Matches(c *Change) bool { return t.matches(c) }

// matches reports whether the trigger is for a change of its database. Functions of the 1st generation support only the
// default database: a trigger of another one is accepted and receives no events, as in the official emulator.
func (t *Trigger) matches(c *Change) bool {
	if t.generation == First && t.database.ID != resource.DefaultDatabase {
		return false
	}
	return (t.kind == written || t.kind == c.kind()) && t.pattern.match(c.Name.Path)
}

package triggers

import (
	"encoding/json"
	"testing"

	"clave/server/internal/model/document"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

func TestEventarcAsJSON(t *testing.T) {
	db := resource.Database{Project: "p", ID: "(default)"}
	trigger, err := NewTrigger("k", "updated.withAuthContext", db, "a/{id}")
	if err != nil {
		t.Fatal(err)
	}
	name := resource.Document{DB: db, Path: "a/größe 1"}
	before := value.Map{"same": value.Int(1), "gone": value.Int(1), "m": value.Map{"x": value.Int(1), "y": value.Int(2)}, "v": value.Vector(1, 2), "t": value.Int(1)}
	after := value.Map{"same": value.Int(1), "new field": value.Null{}, "m": value.Map{"x": value.Int(1), "y": value.Int(3)}, "v": value.Vector(1, 3), "t": value.Map{}}
	change := &Change{Name: name, Before: &document.Document{Name: name, Fields: before}, After: &document.Document{Name: name, Fields: after}}
	m, err := trigger.Eventarc(1_700_000_000_123_456, change, true)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"Ce-Subject": "documents/a/gr%C3%B6%C3%9Fe%201", "Ce-Authtype": "unknown", "Ce-Authid": "", "Ce-Time": "2023-11-14T22:13:20.123456Z",
		"Ce-Type": "google.cloud.firestore.document.v1.updated.withAuthContext", "Content-Type": "application/json",
	} {
		if got := m.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	var data struct {
		Value, OldValue struct{ Name string }
		UpdateMask      struct{ FieldPaths []string }
	}
	if err := json.Unmarshal(m.Body, &data); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(data.UpdateMask.FieldPaths)
	if want := "[\"gone\",\"m.y\",\"`new field`\",\"t\",\"v\"]"; err != nil || string(got) != want || data.Value.Name != name.String() || data.OldValue.Name != name.String() {
		t.Errorf("data %+v with mask %s, want %s", data, got, want)
	}
}

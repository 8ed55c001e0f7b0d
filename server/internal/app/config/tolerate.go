package config

import (
	"slices"
	"strings"

	"clave/server/internal/base/jsontree"
)

// The members of firebase.json that have a meaning in the Firebase CLI. Those that Clave does not use are the subject
// of noteAbsent, or change nothing that an emulator does.
var (
	sections        = append([]string{"$schema", "firestore", "hosting", "emulators", "auth", "remoteconfig", "run", "ailogic"}, absent...)
	emulators       = append([]string{"firestore", "auth", "hosting", "hub", "ui", "logging", "singleProjectMode"}, absent...)
	databaseMembers = []string{"database", "target", "rules", "indexes", "predeploy", "postdeploy", "location", "edition", "dataAccessMode"}
	endpointMembers = map[string][]string{
		"firestore": {"port", "host", "websocketPort", "edition"}, "ui": {"port", "host", "enabled"},
		"auth": {"port", "host"}, "hosting": {"port", "host"}, "hub": {"port", "host"},
	}
)

// tolerate returns remarks on the members of a firebase.json that have no effect, each with its line. In text it
// replaces values of other types that the Firebase CLI accepts by those that they mean, at the same place. root is the
// tree of text.
func tolerate(path string, text []byte, root *jsontree.Value) []string {
	if !root.IsObject() {
		return nil
	}
	remarks := jsontree.NewRemarks(text)
	remarks.Unknown(root, sections...)
	firestore := root.Member("firestore")
	if on, ok := firestore.Bool(); ok && !on {
		replace(text, firestore, "null")
	}
	for _, d := range append([]*jsontree.Value{firestore}, itemsOf(firestore)...) {
		if !d.IsObject() {
			continue
		}
		remarks.Unknown(d, databaseMembers...)
		for _, m := range d.Members {
			if slices.Contains(databaseMembers[4:], m.Name) {
				remarks.Add(m, "has no effect here")
			}
		}
	}
	list := root.Member("emulators")
	if !list.IsObject() {
		return remarks.Lines(path)
	}
	remarks.Unknown(list, emulators...)
	for _, e := range list.Members {
		known, ok := endpointMembers[e.Name]
		switch {
		case !ok:
		case e.IsObject():
			remarks.Unknown(e, known...)
			for _, m := range e.Members {
				toleratePort(text, m)
			}
		case !e.IsNull():
			remarks.Add(e, "is "+e.Kind()+", not an object, and has no effect")
			replace(text, e, "{}")
		}
	}
	return remarks.Lines(path)
}

// itemsOf returns the items of an array, or none.
func itemsOf(v *jsontree.Value) []*jsontree.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// toleratePort replaces a port that is a string of digits by the number, and an empty one by null.
func toleratePort(text []byte, m *jsontree.Value) {
	port, ok := m.Text()
	if !ok || m.Name != "port" && m.Name != "websocketPort" {
		return
	}
	if port == "" {
		port = "0"
	}
	if strings.Trim(port, "0123456789") == "" && (port == "0" || port[0] != '0') {
		replace(text, m, port)
	}
}

// replace replaces a value in a text by a shorter one and blanks. A longer one is not put there.
func replace(text []byte, v *jsontree.Value, by string) {
	if len(by) > len(v.Raw) {
		return
	}
	copy(text[v.Offset:], by+strings.Repeat(" ", len(v.Raw)-len(by)))
}

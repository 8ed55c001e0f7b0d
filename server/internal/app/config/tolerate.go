package config

import (
	"maps"
	"slices"
	"strings"

	"clave/server/internal/base/jsontree"
)

// The members of firebase.json that have a meaning in the Firebase CLI. Those that Clave does not use are the subject
// of noteAbsent, or change nothing that an emulator does.
var (
	sections        = append([]string{"$schema", "firestore", "hosting", "emulators", "auth", "remoteconfig", "run", "ailogic"}, absent...)
	emulators       = append([]string{"firestore", "auth", "hosting", "hub", "ui", "logging", "singleProjectMode"}, absent...)
	databaseMembers = []string{"database", "target", "rules", "indexes", "edition", "predeploy", "postdeploy", "location", "dataAccessMode"}
	endpointMembers = map[string][]string{
		"firestore": {"port", "host", "websocketPort", "edition"}, "ui": {"port", "host", "enabled"},
		"auth": {"port", "host"}, "hosting": {"port", "host"}, "hub": {"port", "host"},
	}
)

// tolerate finds the sections of a firebase.json and sets remarks on the members that have no effect, each with its
// line. In the texts it replaces values of other types that the Firebase CLI accepts by those that they mean, at the
// same place. It does nothing to a text that is not JSON.
func (f *firebaseJSON) tolerate(path string, mode Mode) error {
	root, err := jsontree.Parse(f.text)
	if err != nil || !root.IsObject() { // decodeAt reports the mistake
		return nil
	}
	f.root = root
	byFile := map[string]*jsontree.Remarks{path: jsontree.NewRemarks(f.text)}
	files := []string{path}
	byFile[path].Unknown(root, sections...)
	if err := f.findSections(path, root); err != nil {
		return err
	}
	remarksOn := func(s *section) *jsontree.Remarks {
		if byFile[s.path] == nil {
			byFile[s.path], files = jsontree.NewRemarks(s.text), append(files, s.path)
		}
		return byFile[s.path]
	}
	tolerateAuth(root.Member("auth"), byFile[path], mode)
	tolerateFirestore(f.sections["firestore"], remarksOn(f.sections["firestore"]))
	tolerateEmulators(f.sections["emulators"], remarksOn(f.sections["emulators"]))
	for _, file := range files {
		f.remarks = append(f.remarks, byFile[file].Lines(file)...)
	}
	return nil
}

// authProviders are the members of auth.providers in the Firebase CLI, with what sets them here.
var authProviders = map[string]string{
	"anonymous":     "has an effect in clave serve only",
	"emailPassword": "has an effect in clave serve only",
	"googleSignIn":  "has no effect here: clave providers add google",
}

// signInProviders are the members of auth.providers that have an effect in clave serve.
var signInProviders = []string{"anonymous", "emailPassword"}

// tolerateAuth adds remarks on the auth section, by which the Firebase CLI configures a project.
func tolerateAuth(auth *jsontree.Value, remarks *jsontree.Remarks, mode Mode) {
	if auth == nil {
		return
	}
	for _, section := range auth.Members {
		if section.Name != "providers" || !section.IsObject() {
			remarks.Add(section, "has no effect here")
			continue
		}
		remarks.Unknown(section, slices.Collect(maps.Keys(authProviders))...)
		for _, p := range section.Members {
			text := authProviders[p.Name]
			if mode == ModeServe && slices.Contains(signInProviders, p.Name) {
				if text = ""; !isBool(p) {
					text = "is not true or false, and has no effect"
				}
			}
			if text != "" && !p.Repeated {
				remarks.Add(p, text)
			}
		}
	}
}

// isBool reports whether a value is true or false.
func isBool(v *jsontree.Value) bool {
	_, ok := v.Bool()
	return ok
}

// readSignIn reads which ways to sign in auth.providers turns off. Administrators may turn them on again: their
// settings have precedence.
func (c *Config) readSignIn(f *firebaseJSON) {
	if c.Mode != ModeServe {
		return
	}
	off := func(name string) bool {
		on, ok := f.root.Member("auth").Member("providers").Member(name).Bool()
		return ok && !on
	}
	c.Auth.NoAnonymous, c.Auth.NoPasswords = off("anonymous"), off("emailPassword")
}

// tolerateFirestore is tolerate for the firestore section.
func tolerateFirestore(s *section, remarks *jsontree.Remarks) {
	if on, ok := s.value.Bool(); ok && !on {
		replace(s.text, s.value, "null")
	}
	for _, d := range append([]*jsontree.Value{s.value}, itemsOf(s.value)...) {
		if !d.IsObject() {
			continue
		}
		remarks.Unknown(d, databaseMembers...)
		for _, m := range d.Members {
			if slices.Contains(databaseMembers[5:], m.Name) {
				remarks.Add(m, "has no effect here")
			}
		}
	}
}

// tolerateEmulators is tolerate for the emulators section.
func tolerateEmulators(s *section, remarks *jsontree.Remarks) {
	if !s.value.IsObject() {
		return
	}
	remarks.Unknown(s.value, emulators...)
	for _, e := range s.value.Members {
		known, ok := endpointMembers[e.Name]
		switch {
		case !ok:
		case e.IsObject():
			remarks.Unknown(e, known...)
			for _, m := range e.Members {
				toleratePort(s.text, m)
			}
		case !e.IsNull():
			remarks.Add(e, "is "+e.Kind()+", not an object, and has no effect")
			replace(s.text, e, "{}")
		}
	}
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

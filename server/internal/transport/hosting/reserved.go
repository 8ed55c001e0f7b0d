package hosting

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"

	"clave/server/internal/base/pattern"
)

// ReservedPrefix is the prefix of the paths that Firebase Hosting reserves.
const ReservedPrefix = "/__/firebase/"

// AppConfig is the configuration of a web app: the argument of initializeApp.
type AppConfig struct {
	ProjectID     string `json:"projectId"`
	DatabaseURL   string `json:"databaseURL,omitempty"`
	StorageBucket string `json:"storageBucket,omitempty"`
	APIKey        string `json:"apiKey"`
	AuthDomain    string `json:"authDomain"`
}

// Emulator is the address of an emulator for pages.
type Emulator struct {
	Host        string `json:"host"`
	Port        int    `json:"port"`
	HostAndPort string `json:"hostAndPort"`
}

// Reserved serves the paths that Firebase Hosting reserves for the configuration of web apps:
//
//	/__/firebase/init.json               the configuration
//	/__/firebase/init.js                 initializes the SDK of a page that loads it by script elements
//	/__/firebase/init.js?useEmulator=true   the same, and connects it to the emulators
//	/__/firebase/VERSION/firebase-….js   redirects to Google, which serves the SDK
type Reserved struct {
	// App is the configuration.
	App AppConfig
	// Emulators are the emulators that a page may use, by their names.
	Emulators map[string]Emulator
	// Origin is the origin of all services, for a server that replaces Firebase. It is empty if pages use Firebase, or the
	// emulators on request.
	Origin string
}

// initJS initializes the SDK from the variables that are defined before it.
//
//go:embed init.js
var initJS string

// sdkPath is a path of a part of the SDK.
var sdkPath = pattern.New(`^[0-9A-Za-z][0-9A-Za-z.-]*/firebase[0-9a-z-]*\.js(\.map)?$`)

// ServeHTTP serves GET and HEAD.
func (s *Reserved) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	name := strings.TrimPrefix(r.URL.Path, ReservedPrefix)
	switch {
	case name == "init.json":
		w.Header().Set("Content-Type", "application/json") // without a charset, as Firebase Hosting
		_, _ = w.Write([]byte(indented(s.App)))            // it fails only if the client has disconnected
	case name == "init.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write([]byte(s.script(r.URL.Query().Get("useEmulator") == "true")))
	case sdkPath.MatchString(name):
		http.Redirect(w, r, "https://www.gstatic.com/firebasejs/"+name, http.StatusFound)
	default:
		http.Error(w, "Not Found", http.StatusNotFound)
	}
}

// script returns the content of init.js.
func (s *Reserved) script(useEmulator bool) string {
	emulators, origin := "undefined", "undefined"
	if useEmulator && s.Origin == "" {
		emulators = indented(s.Emulators)
	}
	if s.Origin != "" {
		origin = indented(s.Origin)
	}
	return "var firebaseConfig = " + indented(s.App) + ";\nvar firebaseEmulators = " + emulators + ";\nvar firebaseOrigin = " + origin + ";\n" + initJS
}

// indented returns a value as JSON, which is JavaScript too: package json escapes the line separators that JavaScript
// does not allow.
func indented(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // these values are all JSON
	}
	return string(text)
}

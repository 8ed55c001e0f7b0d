package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Ports are the TCP ports. 0 means any free port, -1 none.
type Ports struct {
	Firestore, Auth, Hosting, Websocket, Hub, UI int
}

// Hosts are the addresses on which the parts listen. An empty one means 127.0.0.1.
type Hosts struct {
	Firestore, Auth, Hosting, Hub, UI string
}

// setPorts sets the ports and addresses from firebase.json. The defaults are the ports of the official emulators.
func (c *Config) setPorts(f *firebaseJSON) {
	e := f.Emulators
	for _, p := range []struct {
		name       string
		given, def int
		port       *int
	}{
		{"firestore", e.Firestore.Port, 8080, &c.Ports.Firestore},
		{"auth", e.Auth.Port, 9099, &c.Ports.Auth},
		{"hosting", e.Hosting.Port, 5000, &c.Ports.Hosting},
		{"websocketPort", e.Firestore.WebsocketPort, 9150, &c.Ports.Websocket},
		{"hub", e.Hub.Port, 4400, &c.Ports.Hub},
		{"console", e.UI.Port, 4000, &c.Ports.UI},
	} {
		*p.port = p.given
		if p.given == 0 {
			*p.port = p.def
			c.Loose = append(c.Loose, p.name)
		}
	}
	c.Hosts = Hosts{Firestore: e.Firestore.Host, Auth: e.Auth.Host, Hosting: e.Hosting.Host, Hub: e.Hub.Host, UI: e.UI.Host}
}

// HostFor returns the address on which a part listens: --host, or else the part's own.
func (c *Config) HostFor(own string) string {
	switch {
	case c.Host != "":
		return c.Host
	case own != "":
		return own
	}
	return "127.0.0.1"
}

// tempDir returns the folder of temporary files that Node uses, because the tools of the Emulator Suite run on Node.
func tempDir(getenv func(string) string) string {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		if dir := getenv(name); dir != "" {
			return dir
		}
	}
	return os.TempDir()
}

// addDomain adds the value of one --acme-domain.
func (c *Config) addDomain(name string) error {
	if name == "" || strings.ContainsAny(name, "/:,* ") || !strings.Contains(name, ".") {
		return errors.New("expected a host name such as data.example.org")
	}
	c.ACMEDomains = append(c.ACMEDomains, strings.ToLower(name))
	return nil
}

// findProject returns the path of the firebase.json in this folder or the nearest folder above it, as the Firebase CLI
// does. If there is none, it returns the path in this folder.
func findProject() string {
	const name = "firebase.json"
	here, err := filepath.Abs(".")
	if err != nil {
		return name
	}
	up := ""
	for dir := here; ; dir, up = filepath.Dir(dir), filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(up, name)
		}
		if dir == filepath.Dir(dir) {
			return name
		}
	}
}

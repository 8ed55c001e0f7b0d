package config_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"clave/server/internal/app/config"
)

// write creates a project folder with the given files and returns the path of its firebase.json.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "firebase.json")
}

// noEnv is an empty environment.
func noEnv(string) string { return "" }

func TestParseReadsTheProject(t *testing.T) {
	path := write(t, map[string]string{
		"firebase.json": `{"firestore":{"rules":"firestore.rules","indexes":"i.json"},"emulators":{"firestore":{"port":8081,"websocketPort":9151}}}`,
		".firebaserc":   `{"projects":{"default":"demo-x"}}`,
	})
	c, err := config.Parse(config.ModeStart, []string{"--config", path, "--only", "firestore,auth"}, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Ports{Firestore: 8081, Auth: 9099, Hosting: 5000, Websocket: 9151, Hub: 4400, UI: 4000}); c.Ports != want {
		t.Errorf("Ports = %+v, want %+v", c.Ports, want)
	}
	if c.Project != "demo-x" || !c.Runs("auth") || c.Runs("hosting") || c.Production() {
		t.Errorf("project %q, auth %v, hosting %v, production %v", c.Project, c.Runs("auth"), c.Runs("hosting"), c.Production())
	}
	want := config.Database{ID: "(default)", RulesFile: filepath.Join(filepath.Dir(path), "firestore.rules"), IndexesFile: filepath.Join(filepath.Dir(path), "i.json")}
	if len(c.Databases) != 1 || c.Databases[0] != want {
		t.Errorf("Databases = %+v, want %+v", c.Databases, want)
	}
}

func TestDefaultOfIndexes(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"firestore":{"rules":"firestore.rules"}}`, "firestore.rules": ""})
	for mode, want := range map[config.Mode]string{config.ModeStart: "auto", config.ModeServe: "enforce"} {
		args := []string{"--config", path, "--project", "x"}
		if mode == config.ModeServe {
			args = append(args, "--public-url", "https://x.example", "--trust-proxy")
		}
		if c, err := config.Parse(mode, args, noEnv, io.Discard); err != nil || c.Indexes != want {
			t.Errorf("clave %s: Indexes = %+v, %v; want %q", mode, c, err, want)
		}
	}
}

func TestParseSeveralDatabases(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"firestore":[{"rules":"a.rules"},{"database":"second","rules":"b.rules"}]}`})
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil || len(c.Databases) != 2 || c.Databases[1].ID != "second" {
		t.Errorf("Parse = %+v, %v; want two databases", c, err)
	}
}

// serving returns flags that clave serve needs.
func serving() []string {
	return []string{"--project", "p", "--public-url", "https://p.example.org"}
}

func TestParseRefuses(t *testing.T) {
	good := `{"firestore":{"rules":"firestore.rules"}}`
	tests := []struct {
		name, json string
		mode       config.Mode
		args       []string
		want       string
	}{
		{"broken JSON names the line", "{\n  \"firestore\": oops\n}", config.ModeStart, nil, "firebase.json:2:16: "},
		{"a wrong type names the field of Firestore", `{"emulators":{"firestore":{"port":"x"}}}`, config.ModeStart, nil, `firebase.json:1:37: "emulators.firestore.port" must be a whole number, not string`},
		{"a wrong type names the field", `{"emulators":{"auth":{"port":"x"}}}`, config.ModeStart, nil, `firebase.json:1:32: "emulators.auth.port" must be a whole number, not string`},
		{"a word for true", `{"emulators":{"singleProjectMode":"yes"}}`, config.ModeStart, nil, `must be true or false, not string`},
		{"a wrong type in a section is found in the file", "{\n  \"firestore\": {\"rules\": 7}\n}", config.ModeStart, nil, `firebase.json:2:26: "rules" must be a string, not number`},
		{"an unknown flag", good, config.ModeStart, []string{"--prot", "1"}, "unknown flag: --prot; clave start --help"},
		{"two places for a deployment", good, config.ModeDeploy, []string{"--admin-api", "https://data.example.org:4001", "--key", "key.json", "--store", "postgres://db/clave"}, "give --admin-api or --store, not both"},
		{"a deployment without a key", good, config.ModeDeploy, []string{"--admin-api", "https://data.example.org:4001"}, "name the key of a service account"},
		{"a key without a server", good, config.ModeDeploy, []string{"--key", "key.json"}, "--key is for the server that --admin-api names"},
		{"a read time without a live project", good, config.ModeFromFirebase, []string{"--project", "p", "--read-time", "2026-11-21T14:05:00Z"}, "--read-time is for a live project"},
		{"a read time that is none", good, config.ModeFromFirebase, []string{"--project", "p", "--key", "key.json", "--read-time", "yesterday"}, "--read-time yesterday: expected a time"},
		{"index mode", good, config.ModeStart, []string{"--indexes", "maybe"}, "--indexes maybe"},
		{"a service without an address", good, config.ModeStart, []string{"--service", "x"}, "expected ID=URL"},
		{"a service with half an address", good, config.ModeServe, []string{"--service", "x=127.0.0.1:80"}, "is not an origin"},
		{"a service with a path", good, config.ModeStart, []string{"--service", "x=http://127.0.0.1:80/a"}, "is not an origin"},
		{"a service with two addresses", good, config.ModeStart, []string{"--service", "x=http://a", "--service", "x=http://b"}, "two addresses"},
		{"part", good, config.ModeStart, []string{"--only", "cellar"}, "expected one or more of"},
		{"metrics at no address", good, config.ModeStart, []string{"--metrics", "there"}, "expected a port, or a host and a port"},
		{"metrics at the public port", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--port", "8443", "--metrics", "127.0.0.1:8443"}, "this is the public port"},
		{"prices that nothing shows", good, config.ModeServe, append(serving(), "--usage-prices", "prices.json", "--metrics", "9464"), "give --console and --metrics too"},
		{"backups at no interval", good, config.ModeServe, append(serving(), "--backup-to", "b", "--backup-every", "often"), "--backup-every often: expected a time"},
		{"backups all the time", good, config.ModeServe, append(serving(), "--backup-to", "b", "--backup-every", "1ms"), "at least a second"},
		{"backups kept for no period", good, config.ModeServe, append(serving(), "--backup-to", "b", "--backup-keep", "7"), `--backup-keep "7": expected numbers of days`},
		{"an interval of backups without a folder", good, config.ModeServe, append(serving(), "--backup-every", "1d"), "--backup-every needs --backup-to"},
		{"backups of data in memory", good, config.ModeServe, append(serving(), "--backup-to", "b", "--memory"), "--backup-to and --memory exclude each other"},
		{"a history of less than an hour", good, config.ModeServe, append(serving(), "--history", "30m"), "--history 30m: expected a time from 1h to 366d"},
		{"a history of no time", good, config.ModeServe, append(serving(), "--history", "long"), "--history long: expected a time"},
		{"a history of no size", good, config.ModeServe, append(serving(), "--history", "7d", "--history-bytes", "much"), `--history-bytes: "much" is not a size`},
		{"a size of no history", good, config.ModeServe, append(serving(), "--history-bytes", "1GiB"), "--history-bytes needs --history"},
		{"a history in memory", good, config.ModeServe, append(serving(), "--history", "7d", "--memory"), "--history and --memory exclude each other"},
		{"backups to a bucket of another kind", good, config.ModeServe, append(serving(), "--backup-to", "gs://bucket/prefix"), "expected a folder or s3://BUCKET/PREFIX"},
		{"the key of no backups", good, config.ModeServe, append(serving(), "--backup-key-file", "k"), "--backup-key-file needs --backup-to"},
		{"an emulator that is not here", good, config.ModeStart, []string{"--only", "auth,storage:x"}, "--only storage: Clave has no such emulator"},
		{"more than one line", good, config.ModeExec, []string{"npm test", "--only", "auth", "npm run x"}, `unexpected argument "npm run x"`},
		{"an unknown flag behind a line", good, config.ModeExec, []string{"npm test", "--onyl", "auth"}, "unknown flag: --onyl"},
		{"administration APIs at the public port", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--port", "8443", "--admin-api", "127.0.0.1:8443"}, "this is the public port"},
		{"administration APIs without a host", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-api", ":4001"}, "expected a host and a port"},
		{"exports of no administration APIs", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-exports", "exports"}, "--admin-exports needs --admin-api"},
		{"exports around the backups", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-api", "127.0.0.1:4001", "--backup-to", "s3://b/all/backups", "--admin-exports", "s3://b/all/"}, "one is in the other"},
		{"exports in the backups", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-api", "127.0.0.1:4001", "--backup-to", "s3://b", "--admin-exports", "s3://b/exports"}, "one is in the other"},
		{"exports and backups in one place", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-api", "127.0.0.1:4001", "--backup-to", "s3://b/x/", "--admin-exports", "s3://b//x"}, "one is in the other"},
		{"administration APIs for other machines without TLS", good, config.ModeServe, []string{"--project", "p", "--public-url", "https://p.example.org", "--admin-api", "0.0.0.0:4001"}, "sends tokens in the clear"},
		{"serve with a flag of the emulators", good, config.ModeServe, []string{"--ui"}, "unknown flag: --ui"},
		{"stray argument", good, config.ModeStart, []string{"now"}, `unexpected argument "now"`},
		{"exec without a command", good, config.ModeExec, nil, "name the command to run"},
		{"serve without a project", good, config.ModeServe, nil, "--project"},
		{"serve with a demo project", good, config.ModeServe, []string{"--project", "demo-x"}, "demo project"},
		{"serve without rules", `{}`, config.ModeServe, []string{"--project", "x", "--public-url", "https://x.org"}, "without rules"},
		{"serve without its origin", good, config.ModeServe, []string{"--project", "x"}, "--public-url"},
		{"serve with a path behind its origin", good, config.ModeServe, []string{"--project", "x", "--public-url", "https://x.org/a"}, "expected an origin"},
		{"serve with half a certificate", good, config.ModeServe, []string{"--project", "x", "--tls-cert", "c.pem"}, "go together"},
		{"credentials without a project", good, config.ModeCredentials, nil, "--project"},
		{"credentials with a server's flag", good, config.ModeCredentials, []string{"--port", "1"}, "unknown flag: --port"},
		{"two sources of certificates", good, config.ModeServe, []string{"--project", "x", "--acme-domain", "a.example", "--tls-cert", "c", "--tls-key", "k"}, "not both"},
		{"certificates that nothing keeps", good, config.ModeServe, []string{"--project", "x", "--acme-domain", "a.example", "--memory"}, "--memory"},
		{"an invalid domain", good, config.ModeServe, []string{"--project", "x", "--acme-domain", "https://a.example"}, "host name"},
		{"an authority's address without a domain", good, config.ModeServe, []string{"--project", "x", "--acme-email", "a@b.example"}, "--acme-domain"},
		{"on to https that is not there", good, config.ModeServe, []string{"--project", "x", "--http-port", "80"}, "--http-port"},
		{"codes in the open", good, config.ModeServe, []string{"--project", "x", "--sms-webhook", "http://sms.example"}, "need https"},
		{"an unknown mode of App Check", good, config.ModeServe, []string{"--project", "x", "--app-check", "firestore=on"}, `firestore has no mode "on"`},
		{"an unknown product of App Check", good, config.ModeServe, []string{"--project", "x", "--app-check", "storage=count"}, `"storage" is no product`},
		{"keys without App Check", good, config.ModeServe, []string{"--project", "x", "--app-check-keys", "https://keys.example"}, "--app-check-keys needs --app-check"},
		{"keys in the open", good, config.ModeServe, []string{"--project", "x", "--app-check", "auth=count", "--app-check-keys", "http://keys.example"}, "--app-check-keys http://keys.example: expected"},
		{"App Check in development", good, config.ModeStart, []string{"--app-check", "auth=count"}, "unknown flag: --app-check"},
		{"a webhook without address", good, config.ModeStart, []string{"--sms-webhook", "sms.example"}, "https://"},
		{"serve as the emulator", good, config.ModeServe, []string{"--project", "x", "--as-emulator"}, "unknown flag: --as-emulator"},
		{"serve with a choice of settings", good, config.ModeServe, []string{"--project", "x", "--production-settings"}, "unknown flag: --production-settings"},
		{"both ways at once", good, config.ModeStart, []string{"--as-emulator", "--production-settings"}, "exclude each other"},
		{"serve with unsigned tokens", good, config.ModeServe, []string{"--project", "x", "--sign-tokens=false"}, "unknown flag: --sign-tokens"},
	}
	for _, tt := range tests {
		path := write(t, map[string]string{"firebase.json": tt.json})
		c, err := config.Parse(tt.mode, append([]string{"--config", path}, tt.args...), noEnv, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Parse = %+v, %v; want an error with %q", tt.name, c, err, tt.want)
		}
	}
	if _, err := config.Parse(config.ModeStart, []string{"--config", "/does/not/exist.json"}, noEnv, io.Discard); err == nil {
		t.Error("a named firebase.json that does not exist must be refused")
	}
}

func TestParseAllowsComments(t *testing.T) {
	path := write(t, map[string]string{
		"firebase.json": "// the project\n{\"firestore\": {/* http://x */ \"rules\": \"a//b.rules\"}} // end",
		".firebaserc":   "{\"projects\": {\"default\": \"demo-x\"}} // ours",
	})
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(path), "a/b.rules"); len(c.Databases) != 1 || c.Databases[0].RulesFile != want || c.Project != "demo-x" {
		t.Errorf("Databases = %+v of project %q, want rules %s of demo-x", c.Databases, c.Project, want)
	}
}

func TestAddressesAndPortsOfFirebaseJSON(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"emulators":{"firestore":{"port":8081,"host":"0.0.0.0"},"auth":{"host":"::1"}}}`})
	c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{c.HostFor(c.Hosts.Firestore), c.HostFor(c.Hosts.Auth), c.HostFor(c.Hosts.Hosting)}; !slices.Equal(got, []string{"0.0.0.0", "::1", "127.0.0.1"}) {
		t.Errorf("addresses %q", got)
	}
	if want := []string{"auth", "hosting", "websocketPort", "hub", "console"}; !slices.Equal(c.Loose, want) {
		t.Errorf("Loose = %q, want %q: only the Firestore port was configured", c.Loose, want)
	}
	c, err = config.Parse(config.ModeStart, []string{"--config", path, "--host", "192.0.2.1"}, noEnv, io.Discard)
	if err != nil || c.HostFor(c.Hosts.Firestore) != "192.0.2.1" {
		t.Errorf("with --host: %q, %v, want it to win", c.HostFor(c.Hosts.Firestore), err)
	}
}

func TestTheEnvironmentNamesTheProjectBeforeTheFile(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": "{}", ".firebaserc": `{"projects":{"default":"demo-file"}}`})
	for _, tt := range []struct {
		env  map[string]string
		args []string
		want string
	}{
		{nil, nil, "demo-file"},
		{map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-b"}, nil, "demo-b"},
		{map[string]string{"GCLOUD_PROJECT": "demo-a", "GOOGLE_CLOUD_PROJECT": "demo-b"}, nil, "demo-a"},
		{map[string]string{"GCLOUD_PROJECT": "demo-a"}, []string{"--project", "demo-flag"}, "demo-flag"},
	} {
		c, err := config.Parse(config.ModeStart, append([]string{"--config", path}, tt.args...), func(name string) string { return tt.env[name] }, io.Discard)
		if err != nil || c.Project != tt.want {
			t.Errorf("env %v, args %v: project %q, %v, want %q", tt.env, tt.args, c.Project, err, tt.want)
		}
	}
}

func TestFirebaseJSONIsFoundFromAFolderBelow(t *testing.T) {
	path := write(t, map[string]string{"firebase.json": `{"firestore":{"rules":"x.rules"}}`})
	below := filepath.Join(filepath.Dir(path), "a", "b")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	c, err := config.Parse(config.ModeStart, nil, noEnv, io.Discard)
	if err != nil || len(c.Databases) != 1 || c.Databases[0].RulesFile != filepath.Join("..", "..", "x.rules") || c.DataDir != filepath.Join("..", "..", ".clave") {
		t.Errorf("Parse = %+v, %v, want the project two folders up", c, err)
	}
}

func TestHelpDescribesEveryFlag(t *testing.T) {
	for mode, want := range map[config.Mode]string{config.ModeStart: "--service", config.ModeExec: "--memory", config.ModeServe: "--tls-cert"} {
		var text strings.Builder
		if _, err := config.Parse(mode, []string{"--help"}, noEnv, &text); !errors.Is(err, pflag.ErrHelp) || !strings.Contains(text.String(), want) || !strings.Contains(text.String(), "--project") {
			t.Errorf("clave %s --help: %v, wrote %q", mode, err, text.String())
		}
	}
}

func FuzzFirebaseJSON(f *testing.F) {
	f.Add(`{"firestore":[{"rules":"a"}]}`)
	f.Add(`{"firestore":{"rules":1}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "firebase.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(config.ModeStart, []string{"--config", path}, noEnv, io.Discard)
		if (c == nil) && err == nil {
			t.Error("neither a configuration nor an error")
		}
	})
}

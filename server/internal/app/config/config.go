package config

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"clave/server/internal/limit/heap"
)

// Mode is the mode in which the program runs.
type Mode string

// The modes. Only ModeServe is for public networks: the others accept everything that the official emulators accept.
const (
	ModeStart Mode = "start"
	ModeExec  Mode = "exec"
	ModeServe Mode = "serve"
)

// The modes that change service accounts' keys in a data folder that no server uses: ModeCredentials lists and revokes
// keys.
const (
	ModeCredentials      Mode = "credentials"
	ModeCreateCredential Mode = "credentials create"
)

// ModeAppCheck changes the debug tokens of App Check, even while a server runs on the data folder.
const ModeAppCheck Mode = "appcheck"

// Config is the checked configuration of one run.
type Config struct {
	// Mode determines which fields are used. The modes of servers use all except Out.
	Mode Mode
	// Root is the folder of firebase.json, and File its path; empty when there is none.
	Root, File string
	// Project is the default project's id.
	Project string
	// SingleProject makes the server log requests for other projects.
	SingleProject bool
	// ClockAhead is the difference of the clock from the machine's, positive if it is ahead. It is for tests of nodes
	// with different clocks, and for start mode only.
	ClockAhead time.Duration
	clockAhead string // the value of clockVariable
	// DataDir is the data folder; unused with Memory.
	DataDir string
	// Store is the URL of the PostgreSQL database that holds the data, with its password; empty for the data folder.
	Store string
	// ClusterListen is the host:port on which other nodes reach this one; empty for a free port of the address from
	// which this machine reaches PostgreSQL.
	ClusterListen string
	// Memory keeps the data in memory only.
	Memory bool
	// Host is the address that all ports listen on; empty if each part has its own.
	Host string
	// Hosts are the addresses that firebase.json gives for parts.
	Hosts Hosts
	// Ports are the ports of the parts.
	Ports Ports
	// Loose are the names of ports that neither a flag nor a file sets. If such a port is in use, a free one near it is
	// used.
	Loose []string
	// Databases are the configured databases, with their rules and indexes.
	Databases []Database
	// Database is the database of the files that ModeDeploy releases; empty for the databases of firebase.json.
	Database string
	// Hosting is the site of firebase.json's hosting section that is served, or nil. Blanks stand for the file's text
	// before it, so that places in it are those in its file: HostingFile is firebase.json, or the section's own file.
	// HostingMember is its name: hosting, or hosting[1] in a list.
	Hosting       json.RawMessage
	HostingFile   string
	HostingMember string
	// HostingSite is the id of the site, as its section or .firebaserc names it; empty if they don't.
	HostingSite string
	// Only lists the parts to run; empty means all.
	Only []string
	// Indexes is off, record, auto or enforce.
	Indexes string
	// Edition is the edition of all databases to which firebase.json gives none: standard or enterprise. enterprise has
	// the databases to which it gives that one.
	Edition    string
	enterprise []string
	// SignTokens signs ID tokens in start mode too. ModeServe always signs.
	SignTokens bool
	// RateLimits turns on Auth's rate limits. ModeServe always has them.
	RateLimits bool
	// Functions is the host:port of the functions emulator that receives events of documents and accounts; empty if
	// there is none.
	Functions string
	// Events is the file with the triggers whose events ModeServe delivers to services; empty for none.
	Events string
	// Services are the origins of the services that firebase.json names in run rewrites, by serviceId.
	Services map[string]*url.URL
	// Ephemeral keeps the data in memory and uses free ports, for test runners.
	Ephemeral bool
	// UI runs the console on Ports.UI, in the modes of development.
	UI bool
	// Console is the host:port of ModeServe's console, or empty, and ConsolePlain allows other machines to reach it
	// without TLS.
	Console      string
	ConsolePlain bool
	// AdminURL is the URL of the administration APIs by which ModeDeploy releases files, and Key the file of the service
	// account's key; empty for a release by the store. ModeFromFirebase reads a live project with a Key.
	AdminURL, Key string
	// AdminAPI is the host:port of ModeServe's administration APIs; empty for none. AdminExports is the folder below which
	// they export and import documents; empty for none.
	AdminAPI, AdminExports string
	// Metrics is the host:port of the metrics for Prometheus; empty for none.
	Metrics string
	// Backups say where and how often ModeServe makes backups.
	Backups Backups
	// History is the past that ModeServe keeps.
	History History
	// Write makes ModeConsole's link open a session that may change data.
	Write bool
	// NoHub disables the Emulator Hub.
	NoHub bool
	// Mail is the SMTP server for codes as a URL, or empty.
	Mail string
	// Provider is the identity provider of ModeAddProvider, and its Tenant that of ModeProviders.
	Provider Provider
	// Auth is the configuration of Authentication.
	Auth Auth
	// TLSCert and TLSKey are files for ModeServe; empty if a proxy terminates TLS.
	TLSCert, TLSKey string
	// ACMEDomains are the domains for which ModeServe obtains certificates from an ACME authority; empty without ACME.
	// ACMEEmail is the contact address for the authority. ACMEDirectory is the authority's URL; empty means Let's Encrypt.
	ACMEDomains              []string
	ACMEEmail, ACMEDirectory string
	// HTTPPort is the port that redirects browsers to https; 0 for none.
	HTTPPort int
	// PublicURL is the origin under which clients reach ModeServe.
	PublicURL string
	// AnonymousWrites is the number of documents that an address may write per minute without a signed-in user, with
	// bursts of twice as many; zero sets no limit.
	AnonymousWrites int
	// TrustProxy takes a client's address from X-Forwarded-For.
	TrustProxy bool
	// Verbose logs each request.
	Verbose bool
	// Command is the command that ModeExec runs; in the modes of data folders it holds the arguments that are not
	// flags.
	Command []string
	// ExplainDenials adds to denials the reason in one sentence. RecordRequests is the file to which ModeExec writes the
	// requests that rules decided.
	ExplainDenials bool
	RecordRequests string
	// Usage prints what production would bill for the requests of ModeExec's command, and UsageBudget is the file that
	// limits its reads; empty for none.
	Usage       bool
	UsageBudget string
	// UsagePrices is the file of prices with which costs are printed and shown by the console.
	UsagePrices string
	// ImportDir is the folder of the export to import at the start, and ExportDir the folder of the export to write at
	// the end; empty for none.
	ImportDir, ExportDir string
	// Seeds are files of seeds that are applied at the start.
	Seeds []string
	// UsersFile is a file that firebase auth:export wrote, from which ModeImport reads accounts. HashFile holds the
	// parameters of their password hashes. Both are empty for none.
	UsersFile, HashFile string
	// Migration is what ModeFromFirebase and ModeToFirebase are asked for.
	Migration Migration
	// MemoryLimit is the maximum memory of the program in bytes; 0 without a flag.
	MemoryLimit int64
	// TempDir is the folder of temporary files, in which tools look up running emulators.
	TempDir string
	// Notes are messages for the operator about settings that have no effect here.
	Notes []string
	// sites are the sites or targets in --only, as in hosting:site. whole is set if it names hosting without one too.
	sites []string
	whole bool
	// given are the flags on the command line.
	given map[string]bool
	// Role is that of the account of a new key.
	Role string
	// Out is the file to which ModeCreateCredential writes a new key: - for standard output, empty for a file named after
	// the key.
	Out string
}

// Production reports whether the development features of the emulators are disabled.
func (c *Config) Production() bool { return c.Mode == ModeServe }

// Deployable reports whether versions of the site can be deployed to the server, which keeps them in its data folder or
// in the store that nodes share.
func (c *Config) Deployable() bool {
	return c.Production() && c.AdminAPI != "" && !c.Memory && c.Runs("hosting")
}

// Runs reports whether a part, such as "hosting", is enabled.
func (c *Config) Runs(part string) bool { return len(c.Only) == 0 || slices.Contains(c.Only, part) }

// ServesSite reports whether firebase.json has a site and hosting is enabled.
func (c *Config) ServesSite() bool { return len(c.Hosting) > 0 && c.Runs("hosting") }

// parts are the values of --only.
var parts = []string{"firestore", "auth", "hosting"}

// declare declares the flags of all modes that set fields of the Config.
func (c *Config) declare(flags *pflag.FlagSet) {
	flags.StringVarP(&c.Project, "project", "P", "", "the default project's `ID`, or its alias in .firebaserc (default: GCLOUD_PROJECT, GOOGLE_CLOUD_PROJECT, then .firebaserc)")
	if c.Mode != ModeDeploy { // ModeDeploy needs no data folder: access to the store is enough
		flags.StringVar(&c.DataDir, "data", ".clave", "`FOLDER` of the data, relative to the folder of firebase.json")
	}
	if c.Mode.storesShared() {
		flags.StringVar(&c.Store, "store", "", "`URL` of a PostgreSQL database for the data, which several nodes may share: postgres://user@host/database?sslmode=verify-full (default: CLAVE_STORE; the password may come from PGPASSWORD or .pgpass)")
	}
	if c.Mode.knowsOrigin() {
		flags.StringVar(&c.PublicURL, "public-url", "", "`URL` of the origin that clients use, such as https://data.example.org (default: CLAVE_PUBLIC_URL, then the first --acme-domain)")
	}
	c.declareProvider(flags)
	if c.Mode == ModeDeploy {
		flags.StringVar(&c.AdminURL, "admin-api", "", "`URL` of the administration APIs of a server (clave serve --admin-api), such as https://data.example.org:4001, to which to release in place of --store (default: CLAVE_ADMIN_API, unless there is a store)")
		flags.StringVar(&c.Key, "key", "", "`FILE` of the key of a service account for --admin-api (default: GOOGLE_APPLICATION_CREDENTIALS)")
		flags.StringVar(&c.Database, "database", "", "`ID` of the database that the named files are for (default: the databases that firebase.json gives these files, otherwise (default))")
	}
	c.declarePast(flags)
	if c.Mode == ModeConsole {
		flags.BoolVar(&c.Write, "write", false, "let the session change data")
	}
	c.declareMigration(flags)
	if c.Mode == ModeImport || c.Mode == ModeFromFirebase {
		flags.StringVar(&c.UsersFile, "users", "", "`FILE` of accounts to import, as firebase auth:export writes them: JSON, or CSV with the ending .csv")
		flags.StringVar(&c.HashFile, "hash-config", "", "`FILE` with the password hash parameters of --users, as shown by the Firebase console")
	}
	if c.Mode == ModeCreateCredential {
		flags.StringVar(&c.Role, "role", "owner", "`ROLE` of the account: owner, datastore-owner, index-admin, rules-admin, hosting-admin or viewer (see server/doc/administration.md)")
		flags.StringVar(&c.Out, "out", "", "`FILE` for the new key, or - for standard output (default: ACCOUNT.json)")
	}
}

// declareServer declares the flags of the modes that serve. A mode has only the flags that it accepts: those of
// production and those of development differ.
func (c *Config) declareServer(flags *pflag.FlagSet) {
	if c.Mode.storesShared() {
		flags.StringVar(&c.ClusterListen, "cluster-listen", "", "with --store, `HOST:PORT` at which other nodes reach this one (default: a free port of the address from which this machine reaches PostgreSQL)")
	}
	flags.BoolVar(&c.Memory, "memory", c.Mode == ModeExec, "keep data in memory only")
	flags.StringVar(&c.Host, "host", "", "`ADDRESS` to listen on; 0.0.0.0 for all addresses of the machine (default: from firebase.json per emulator, then 127.0.0.1)")
	indexes := "auto"
	if c.Mode == ModeServe {
		indexes = "enforce"
	}
	flags.StringVar(&c.Indexes, "indexes", indexes, "`MODE` for queries without their composite index: off (answer), record (answer, and add the index to the file), auto (as record, and build the index), enforce (refuse)")
	flags.StringVar(&c.Edition, "edition", standard, "`EDITION` of the databases to which firebase.json gives none: standard, or enterprise, which has pipelines")
	c.SignTokens, c.RateLimits = c.Production(), c.Production()
	if !c.Production() {
		flags.BoolVar(&c.SignTokens, "sign-tokens", false, "sign ID tokens with RS256")
		flags.BoolVar(&c.RateLimits, "rate-limits", false, "limit sign-ins, sign-ups and codes per address and account")
	}
	flags.StringVar(&c.Mail, "mail", "", "`URL` of the SMTP server for e-mail: smtp://user:password@host:587?from=name@host")
	c.declareAuth(flags)
	flags.Func("memory-limit", "`SIZE` of the memory limit, such as 512MiB or 4GiB; a higher limit caches more data (default: GOMEMLIMIT, then nine tenths of the memory of the control group or machine)", c.setMemoryLimit)
	flags.Func("service", "`ID=URL` of a service to which firebase.json rewrites (run.serviceId); repeatable", c.addService)
	flags.BoolVar(&c.Verbose, "verbose", false, "log each request")
	flags.StringVar(&c.UsagePrices, "usage-prices", "", "`FILE` of prices with their date (JSON), by which the console, and clave exec at the end, show what the requests would cost")
	if c.Mode != ModeExec {
		flags.StringVar(&c.Metrics, "metrics", "", "`ADDRESS` of Prometheus metrics, such as 9464 (on 127.0.0.1) or 10.0.0.5:9464; never the public port (default: none)")
	}
	if c.Mode == ModeServe {
		flags.IntVar(&c.Ports.Hosting, "port", 8080, "`PORT` that serves everything")
		flags.StringVar(&c.TLSCert, "tls-cert", "", "`FILE` of the certificate chain (PEM); reloaded when it changes")
		flags.StringVar(&c.TLSKey, "tls-key", "", "`FILE` of the private key (PEM)")
		flags.Func("acme-domain", "`DOMAIN` for which to obtain an ACME certificate, accepting the authority's terms; repeatable; requires --port 443, reachable from outside", c.addDomain)
		flags.StringVar(&c.ACMEEmail, "acme-email", "", "e-mail `ADDRESS` for messages from the certificate authority")
		flags.StringVar(&c.ACMEDirectory, "acme-directory", "", "`URL` of the authority's ACME directory (default: Let's Encrypt)")
		flags.IntVar(&c.HTTPPort, "http-port", 0, "`PORT` that redirects browsers to https, usually 80 (default: none)")
		flags.IntVar(&c.AnonymousWrites, "anonymous-writes", 300, "`DOCUMENTS` that an address may write per minute without a signed-in user, with bursts of twice as many; 0 for no limit")
		flags.StringVar(&c.Events, "events", "", "`FILE` of triggers that deliver document events to your services (see server/doc/events.md)")
		c.declareBackups(flags)
		c.declareHistory(flags)
		flags.StringVar(&c.Console, "console", "", "`HOST:PORT` of the console, such as 127.0.0.1:4000; the server prints a link that opens it (default: none)")
		flags.BoolVar(&c.ConsolePlain, "console-plain", false, "allow --console without TLS on addresses other than loopback, for a container whose port is published only on the host's loopback address")
		flags.StringVar(&c.AdminAPI, "admin-api", "", "`HOST:PORT` of the administration APIs, such as 127.0.0.1:4001, for firebase deploy and Admin clients with keys of service accounts; never the public port (default: none)")
		flags.StringVar(&c.AdminExports, "admin-exports", "", "`FOLDER`, or s3://BUCKET/PREFIX, below which the administration APIs export and import documents: gs://NAME/PATH is NAME/PATH in it (default: none)")
		flags.BoolVar(&c.TrustProxy, "trust-proxy", false, "take client addresses from X-Forwarded-For; requires that a reverse proxy terminates TLS and is the only client")
		return
	}
	flags.BoolVar(&c.UI, "ui", c.Mode == ModeStart, "run the console on the port of emulators.ui")
	flags.BoolVar(&c.ExplainDenials, "explain-denials", false, "end the messages of denied requests with the reason in one sentence, with the values that decided")
	flags.StringVar(&c.Functions, "functions-emulator", "", "`HOST:PORT` of a functions emulator that receives document and account events")
	if c.Mode == ModeExec {
		flags.BoolVar(&c.Usage, "usage", false, "print at the end which reads, writes and deletes production would bill, by call, collection and caller")
		flags.StringVar(&c.RecordRequests, "record-requests", "", "`FILE` to which the latest requests that rules decided are written at the end, for clave rules replay, explain and attack")
		flags.StringVar(&c.UsageBudget, "usage-budget", "", "`FILE` of the reads that the command may make (JSON); beyond them it fails, and the queries that read most are named")
	}
	if c.Mode == ModeStart {
		flags.BoolVar(&c.Ephemeral, "ephemeral", false, "for test runners: keep data in memory, use free ports, print the addresses as one line of JSON, and stop when standard input closes")
	}
	c.declareTransfer(flags)
	c.declareIgnored(flags)
}

// setMemoryLimit parses --memory-limit.
func (c *Config) setMemoryLimit(size string) (err error) {
	c.MemoryLimit, err = heap.Parse(size)
	return err
}

// readProject reads firebase.json and .firebaserc.
func (c *Config) readProject(path string) error {
	required := path != ""
	if !required {
		path = findProject()
	}
	parsed, err := readFirebaseJSON(path, required, c.Mode)
	if err != nil {
		return err
	}
	c.Root = filepath.Dir(path)
	if parsed.found {
		c.File = path
	}
	rc, remark := readRC(filepath.Join(c.Root, ".firebaserc"))
	if remark != "" {
		c.Notes = append(c.Notes, remark)
	}
	c.Project = rc.project(c.Project)
	if c.Databases, err = parsed.databases(c.Root, rc.targets(c.Project, "firestore")); err != nil {
		return err
	}
	c.enterprise = parsed.enterprise
	if e := parsed.Emulators.Firestore.Edition; e != "" && !c.Production() && !c.given["edition"] {
		c.Edition = e
	}
	c.Notes = append(c.Notes, parsed.remarks...)
	c.DataDir = under(c.Root, c.DataDir)
	if c.Backups.At != "" && !strings.Contains(c.Backups.At, "://") {
		c.Backups.At = under(c.Root, c.Backups.At)
	}
	if c.Backups.KeyFile != "" {
		c.Backups.KeyFile = under(c.Root, c.Backups.KeyFile)
	}
	if c.Mode != ModeServe {
		c.setPorts(parsed)
	}
	// The ports of firebase.json are overwritten, because other runs may use them at the same time.
	if c.Ephemeral {
		c.Memory, c.Ports = true, Ports{}
		c.UI = false
	}
	if on := parsed.Emulators.UI.Enabled; on != nil && !*on && !c.given["ui"] {
		c.UI = false
	}
	c.noteAbsent(parsed)
	c.readSignIn(parsed)
	c.SingleProject = parsed.Emulators.SingleProject == nil || *parsed.Emulators.SingleProject
	if err := c.readHosting(parsed, rc.targets(c.Project, "hosting")); err != nil {
		return err
	}
	if c.Project == "" && (c.Mode == ModeStart || c.Mode == ModeExec) {
		c.Project = noProject
	}
	return nil
}

// fromEnvironment sets the fields for which there was no flag.
func (c *Config) fromEnvironment(getenv func(string) string) {
	for _, name := range []string{"GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT"} {
		if c.Project == "" {
			c.Project = getenv(name)
		}
	}
	if c.PublicURL == "" && c.Mode.knowsOrigin() {
		c.PublicURL = getenv("CLAVE_PUBLIC_URL")
	}
	if c.PublicURL == "" && len(c.ACMEDomains) > 0 {
		c.PublicURL = "https://" + c.ACMEDomains[0]
	}
	if limit := getenv("GOMEMLIMIT"); limit != "" && c.MemoryLimit == 0 {
		c.MemoryLimit, _ = heap.Parse(limit) // the Go runtime refuses invalid values, and accepts smaller ones than Clave
	}
	c.TempDir = tempDir(getenv)
	c.clockAhead = getenv(clockVariable)
	c.Backups.FromEnvironment(getenv)
	if c.Store == "" && c.Mode.storesShared() {
		c.Store = getenv("CLAVE_STORE")
	}
	c.deployedTo(getenv)
	if c.Mail == "" {
		c.Mail = getenv("CLAVE_MAIL")
	}
	if c.Auth.SecretKeyFile == "" {
		c.Auth.SecretKeyFile = getenv("CLAVE_SECRET_KEY_FILE")
	}
	if c.Auth.SMSWebhook == "" {
		c.Auth.SMSWebhook = getenv("CLAVE_SMS_WEBHOOK")
	}
}

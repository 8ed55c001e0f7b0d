package events

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/randid"
	"clave/server/internal/httpx/loopback"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/triggers"
)

// Spec is a trigger of an events file: the changes that are delivered, their destination, and the parameters of
// delivery.
type Spec struct {
	// Name names the trigger; the cursor and dead letters are kept under it.
	Name string
	// trigger selects the changes that are delivered.
	trigger  *triggers.Trigger
	target   *url.URL
	asJSON   bool
	audience string // of OpenID Connect tokens; empty for none
	secret   []byte // of signatures; nil for none
	timeout  time.Duration
	parallel int
	attempts int
	age      time.Duration
}

// The limits and defaults of a file.
const (
	maxFile         = 1 << 20
	maxSpecs        = 100
	maxParallel     = 256
	defaultParallel = 16
	defaultAttempts = 100
	defaultTimeout  = 30 * time.Second
	maxTimeout      = 10 * time.Minute
	defaultAge      = 24 * time.Hour
	minSecret       = 24 // bytes, as Standard Webhooks requires
)

// specJSON is a trigger in the file's form.
type specJSON struct {
	Name        string `json:"name"`
	Event       string `json:"event"`
	Document    string `json:"document"`
	Database    string `json:"database"`
	URL         string `json:"url"`
	Unencrypted bool   `json:"unencrypted"`
	Content     string `json:"content"`
	OIDC        *struct {
		Audience string `json:"audience"`
	} `json:"oidc"`
	HMAC *struct {
		File string `json:"secretFile"`
		Env  string `json:"secretEnv"`
	} `json:"hmac"`
	Timeout     string `json:"timeout"`
	Concurrency int    `json:"concurrency"`
	Attempts    int    `json:"attempts"`
	Age         string `json:"age"`
}

// ReadFile reads an events file. Secrets come from files, relative to its folder, and the environment.
func ReadFile(name, project string, getenv func(string) string) ([]*Spec, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fault.Wrap(err, fault.FailedPrecondition, "--events: %v", err)
	}
	defer func() { _ = file.Close() }() // a read
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil || len(text) > maxFile {
		return nil, fault.Wrap(err, fault.InvalidArgument, "--events %s: expected a JSON file of at most %d bytes", name, maxFile)
	}
	secret := func(path, env string) ([]byte, error) { return readSecret(filepath.Dir(name), path, env, getenv) }
	specs, err := parse(text, project, secret)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "--events %s: %s", name, fault.FromError(err).Message)
	}
	return specs, nil
}

// readSecret reads a secret for signatures. It has the form of Standard Webhooks, whsec_ and base64, or is any text.
func readSecret(dir, path, env string, getenv func(string) string) ([]byte, error) {
	var text string
	switch {
	case (path == "") == (env == ""):
		return nil, fault.E(fault.InvalidArgument, "hmac must have either secretFile or secretEnv")
	case path != "":
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		read, err := os.ReadFile(path)
		if err != nil {
			return nil, fault.Wrap(err, fault.FailedPrecondition, "hmac.secretFile: %v", err)
		}
		text = string(read)
	default:
		text = getenv(env)
	}
	text = strings.TrimSpace(text)
	secret := []byte(text)
	if encoded, ok := strings.CutPrefix(text, "whsec_"); ok {
		var err error
		if secret, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, fault.E(fault.InvalidArgument, "hmac: the secret after whsec_ must be base64")
		}
	}
	if len(secret) < minSecret {
		return nil, fault.E(fault.InvalidArgument, "hmac: the secret must have at least %d bytes", minSecret)
	}
	if randid.Guessable(string(secret)) {
		return nil, fault.E(fault.InvalidArgument, "hmac: the secret is easy to guess, because it repeats characters or continues sequences; choose a random one, such as that of openssl rand -base64 32")
	}
	return secret, nil
}

// parse parses the text of an events file.
func parse(text []byte, project string, secret func(file, env string) ([]byte, error)) ([]*Spec, error) {
	var file struct {
		Triggers []specJSON `json:"triggers"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fault.Wrap(err, fault.InvalidArgument, "%v", err)
	}
	if len(file.Triggers) > maxSpecs {
		return nil, fault.E(fault.InvalidArgument, "more than %d triggers", maxSpecs)
	}
	var specs []*Spec
	names := make(map[string]bool)
	for i := range file.Triggers {
		in := &file.Triggers[i]
		s, err := in.spec(project, secret)
		if err == nil && names[in.Name] {
			err = fault.E(fault.InvalidArgument, "another trigger has this name")
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.CodeOf(err), "trigger %q: %s", in.Name, fault.FromError(err).Message)
		}
		names[s.Name] = true
		specs = append(specs, s)
	}
	return specs, nil
}

// validName matches the names of triggers.
var validName = pattern.New(`^[a-z][a-z0-9-]{0,62}$`)

// spec checks a trigger of the file, reads its secret, and sets the defaults of missing fields. Its errors name the
// field and the expected value.
func (in *specJSON) spec(project string, secret func(file, env string) ([]byte, error)) (*Spec, error) {
	if !validName.MatchString(in.Name) {
		return nil, fault.E(fault.InvalidArgument, "expected a name of a-z, 0-9 and -, at most 63 characters, that begins with a letter")
	}
	s := &Spec{Name: in.Name, parallel: defaultParallel, attempts: defaultAttempts}
	if in.Database == "" {
		in.Database = resource.DefaultDatabase
	}
	db, err := resource.ParseDatabase("projects/" + project + "/databases/" + in.Database)
	if err != nil {
		return nil, err
	}
	if s.trigger, err = triggers.NewTrigger(in.Name, in.Event, db, in.Document); err != nil {
		return nil, err
	}
	if s.target, err = target(in.URL, in.Unencrypted); err != nil {
		return nil, err
	}
	switch in.Content {
	case "", "application/protobuf":
	case "application/json":
		s.asJSON = true
	default:
		return nil, fault.E(fault.InvalidArgument, "content %q: expected application/protobuf or application/json", in.Content)
	}
	if in.OIDC != nil {
		if s.audience = in.OIDC.Audience; s.audience == "" {
			s.audience = in.URL
		}
	}
	if in.HMAC != nil {
		if s.secret, err = secret(in.HMAC.File, in.HMAC.Env); err != nil {
			return nil, err
		}
	}
	return s, in.limits(s)
}

// limits sets the limits of deliveries.
func (in *specJSON) limits(s *Spec) (err error) {
	if s.timeout, err = duration("timeout", in.Timeout, defaultTimeout, maxTimeout); err != nil {
		return err
	}
	if s.age, err = duration("age", in.Age, defaultAge, 365*24*time.Hour); err != nil {
		return err
	}
	if in.Concurrency < 0 || in.Concurrency > maxParallel || in.Attempts < 0 {
		return fault.E(fault.InvalidArgument, "the concurrency must be 1 to %d, and attempts 1 or more", maxParallel)
	}
	if in.Concurrency > 0 {
		s.parallel = in.Concurrency
	}
	if in.Attempts > 0 {
		s.attempts = in.Attempts
	}
	return nil
}

// duration parses a duration; an empty text stands for the default.
func duration(name, text string, otherwise, most time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > most {
		return 0, fault.E(fault.InvalidArgument, "%s %q: expected a duration such as 30s, at most %s", name, text, most)
	}
	return d, nil
}

// target parses the address of a service. Documents leave the machine by https only, unless the file allows http.
func target(text string, unencrypted bool) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return nil, fault.E(fault.InvalidArgument, "expected a url such as https://service.example.org/events")
	}
	if u.Scheme == "http" && !loopback.Is(u.Hostname()) && !unencrypted {
		return nil, fault.E(fault.InvalidArgument, `the url %s is not encrypted: documents leave this machine by https only, unless "unencrypted" is true`, shown(u))
	}
	return u, nil
}

// shown returns an address for logs, without the query, which may be secret.
func shown(u *url.URL) string { return fmt.Sprintf("%s://%s%s", u.Scheme, u.Host, u.EscapedPath()) }

// String implements fmt.Stringer. It shows no secret.
func (s *Spec) String() string { return s.Name + " to " + shown(s.target) }

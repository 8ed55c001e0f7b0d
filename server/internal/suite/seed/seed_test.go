package seed_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clave/server/clavetest"
	"clave/server/internal/model/resource"
	"clave/server/internal/suite/seed"
)

// load loads a seed from the text of a file.
func load(t *testing.T, target *seed.Target, name, text string) (*seed.Seed, error) {
	t.Helper()
	return seed.Load([]seed.Source{{Name: name, Text: []byte(text)}}, seed.Options{DB: target.DB, Now: target.Now(t.Context())})
}

// compare returns the differences between a seed and a target as text.
func compare(t *testing.T, target *seed.Target, s *seed.Seed, prune bool) string {
	t.Helper()
	found, err := seed.Compare(t.Context(), target, s, prune)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	seed.Print(&out, found)
	return out.String()
}

// apply applies a seed.
func apply(t *testing.T, target *seed.Target, s *seed.Seed, prune bool) {
	t.Helper()
	found, err := seed.Compare(t.Context(), target, s, prune)
	if err == nil {
		err = seed.Apply(t.Context(), target, found)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open starts a server and returns its project.
func open(t *testing.T) *seed.Target {
	t.Helper()
	s := clavetest.Start(t, clavetest.Options{})
	return seed.Emulator(s.Firestore, s.Auth, resource.Database{Project: s.ProjectID, ID: resource.DefaultDatabase})
}

// school returns the text of the seed with all kinds of values.
func school(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "school.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustLoad loads a seed without mistakes.
func mustLoad(t *testing.T, target *seed.Target, text string) *seed.Seed {
	t.Helper()
	s, err := load(t, target, "seed.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestApplyIsIdempotent applies a seed with all kinds of values twice, changes the project, and repairs it.
func TestApplyIsIdempotent(t *testing.T) {
	target := open(t)
	s := mustLoad(t, target, school(t))
	if got := compare(t, target, s, true); strings.Count(got, "+ document ") != 5 || strings.Count(got, "+ user ") != 3 {
		t.Fatalf("differences from an empty project:\n%s", got)
	}
	apply(t, target, s, false)
	again := mustLoad(t, target, school(t)) // moments in hours are some milliseconds later
	if got := compare(t, target, again, true); got != "" {
		t.Fatalf("differences after the seed was applied:\n%s", got)
	}
	other := mustLoad(t, target, `
users:
  ann: {email: ann@example.org, password: another, displayName: Anne, photoUrl: "https://example.org/a.png"}
  carl: {}
documents:
  users: {ann: {name: Ann, visits: 3.0, address: {city: Vic}}, carl: {}}
`)
	apply(t, target, other, false)
	want := `~ user ann  (seed.yaml:3)
    displayName: "Anne", in the seed "Ann"
    photoUrl: "https://example.org/a.png", in the seed none
    emailVerified: false, in the seed true
    claims: {}, in the seed {"role":"admin","level":3}
    providers.google.com: none, in the seed "42"
    password differs
- user carl
~ document users/ann  (seed.yaml:18)
    height: none, in the seed 1.7
    manager: none, in the seed null
    tags: none, in the seed ["a", "b"]
    visits: 3.0, in the seed 3
    address: {city: "Vic"}, in the seed none
- document users/carl
`
	if got := compare(t, target, again, true); got != want {
		t.Errorf("differences after changes:\n%s\nwant\n%s", got, want)
	}
	if got := compare(t, target, again, false); strings.Contains(got, "carl") {
		t.Errorf("differences without prune:\n%s", got)
	}
	apply(t, target, again, true)
	if got := compare(t, target, again, true); got != "" {
		t.Errorf("differences after the repair:\n%s", got)
	}
}

// TestOnlyWhatDiffersIsWritten compares the update times of documents before and after a seed is applied again.
func TestOnlyWhatDiffersIsWritten(t *testing.T) {
	target := open(t)
	apply(t, target, mustLoad(t, target, "documents: {a: {x: {n: 1}, y: {n: 1}}}"), false)
	found, err := seed.Compare(t.Context(), target, mustLoad(t, target, "documents: {a: {x: {n: 1}, y: {n: 2}}}"), false)
	if err != nil || len(found) != 1 || found[0].Name != "a/y" {
		t.Errorf("differences %v, %v, want one, of a/y", found, err)
	}
}

// TestManyDocuments applies more documents than one commit writes, and prunes them.
func TestManyDocuments(t *testing.T) {
	target := open(t)
	var text strings.Builder
	text.WriteString("documents:\n  a:\n")
	for i := range 1000 {
		text.WriteString("    d" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + time.Duration(i).String() + ": {n: 1}\n")
	}
	s := mustLoad(t, target, text.String())
	apply(t, target, s, true)
	if got := compare(t, target, s, true); got != "" {
		t.Errorf("differences of 1,000 documents: %.300s", got)
	}
	if got := compare(t, target, mustLoad(t, target, "documents: {a/one: {}}"), true); strings.Count(got, "- document") != 1000 {
		t.Errorf("prune removes %d documents, want 1000", strings.Count(got, "- document"))
	}
}

// TestMistakes lists what is wrong in files, with the places.
func TestMistakes(t *testing.T) {
	target := &seed.Target{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Token: func(context.Context) (string, error) { return "", nil }}
	for _, c := range []struct{ name, file, text, want string }{
		{"not JSON", "s.json", "{\n\"documents\": {,}}", "s.json:2: this is not JSON: invalid character ','"},
		{"not YAML", "s.yaml", "documents:\n  a: [", "s.yaml:2: this is not YAML"},
		{"unknown member", "s.yaml", "docs: {}", "s.yaml:1: docs: unknown member; known are $schema, timeZone, tenants, users, documents"},
		{"repeated in JSON", "s.json", "{\"documents\": {\"a/b\": {},\n\"a/b\": {}}}", "s.json:2: documents.a/b: the member is repeated"},
		{"repeated in YAML", "s.yaml", "documents:\n  a/b: {}\n  a/b: {}", "s.yaml:3: documents.a/b: the member is repeated"},
		{"twice", "s.yaml", "documents:\n  a/b: {}\n  a: {b: {}}", "s.yaml:3: documents.a.b: the document is described in s.yaml:2 too"},
		{"moment", "s.json", "{\"documents\": {\"a/b\": {\"t\":\n {\"$timestamp\": \"2d\"}}}}", "s.json:2: documents.a/b.t.$timestamp: \"2d\" is no moment"},
		{"unquoted time", "s.yaml", "documents:\n  a/b:\n    t: 2027-01-02", "s.yaml:3: documents.a/b.t: quote a text, or write {$timestamp: 2027-01-02}"},
		{"reference", "s.yaml", "documents: {a/b: {r: {$ref: users}}}", "\"users\" is no path of a document"},
		{"geopoint", "s.yaml", "documents: {a/b: {g: {$geo: [91, 0]}}}", "expected [latitude, longitude]"},
		{"bytes", "s.yaml", "documents: {a/b: {g: {$bytes: \"?\"}}}", "expected bytes as base64"},
		{"vector", "s.yaml", "documents: {a/b: {g: {$vector: [x]}}}", "documents.a/b.g.$vector[0]: expected a number"},
		{"special", "s.yaml", "documents: {a/b: {g: {$time: x}}}", "documents.a/b.g.$time: unknown special value"},
		{"large number", "s.json", `{"documents": {"a/b": {"n": 9223372036854775808}}}`, "is no 64-bit integer"},
		{"nested arrays", "s.json", `{"documents": {"a/b": {"n": [[1]]}}}`, "s.json:1: documents.a/b: "},
		{"large document", "s.json", `{"documents": {"a/b": {"n": "` + strings.Repeat("x", 1_048_400) + `", "m": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}}`, "exceeds the maximum allowed size"},
		{"reserved id", "s.yaml", "documents: {a: {__b__: {}}}", "s.yaml:1: documents.a.__b__: "},
		{"password", "s.yaml", "users: {ann: {email: a@b.example, password: abc}}", "users.ann.password: a password has at least 6 characters"},
		{"password without email", "s.yaml", "users: {ann: {password: abcdef}}", "users.ann: an account with a password needs an email"},
		{"claims", "s.yaml", "users: {ann: {claims: admin}}", "users.ann.claims: expected an object, not a text"},
		{"flag", "s.yaml", "users: {ann: {disabled: yes please}}", "expected true or false"},
		{"provider", "s.yaml", "users: {ann: {providers: [{providerId: google.com}]}}", "users.ann.providers[0]: expected providerId and uid"},
		{"zone", "s.yaml", "timeZone: Vic", "is no known time zone"},
		{"two documents", "s.yaml", "documents: {}\n---\ndocuments: {}", "several documents of YAML"},
		{"merge", "s.yaml", "documents:\n  a/b: &b {n: 1}\n  a/c:\n    <<: *b", "s.yaml:4: the names of members must be texts; merge keys"},
		{"alias in itself", "s.yaml", "documents: &d\n  a/b: {x: *d}", "nested more than 64 times"},
		{"tag", "s.yaml", "documents: {a/b: {x: !foo 1}}", "unknown tag !foo"},
		{"deep", "s.json", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "s.json:1: values are nested more than 64 times"},
		{"many values", "s.json", "[" + strings.Repeat("1,", 1<<20) + "1,1]", "s.json:1: there are more than 1,048,576 values"},
		{"large YAML", "s.yaml", "a: " + strings.Repeat("x", 4<<20), "s.yaml: a file of YAML has at most 4 MiB"},
		{"list", "s.json", "[]", "s.json:1: expected an object, not a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, target, c.file, c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load(%.200q) = %v, want %q", c.text, err, c.want)
			}
		})
	}
}

// TestAliasesAreBounded loads a file of YAML whose aliases would repeat a billion values.
func TestAliasesAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("documents:\n  a/b:\n    x0: &x0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n")
	for i := range 9 {
		one := "*x" + string(rune('0'+i))
		text.WriteString("    x" + string(rune('1'+i)) + ": &x" + string(rune('1'+i)) + " [" + strings.TrimSuffix(strings.Repeat(one+" , ", 10), " , ") + "]\n")
	}
	_, err := load(t, &seed.Target{DB: resource.Database{Project: "p", ID: resource.DefaultDatabase}, Token: func(context.Context) (string, error) { return "", nil }}, "s.yaml", text.String())
	if err == nil || !strings.Contains(err.Error(), "aliases repeat more than 65,536 values") {
		t.Errorf("Load of many aliases = %v, want a refusal", err)
	}
}

// TestMomentsFollowTheClock applies a relative moment while the project has a clock of its own.
func TestMomentsFollowTheClock(t *testing.T) {
	server := clavetest.Start(t, clavetest.Options{})
	target := seed.Emulator(server.Firestore, server.Auth, resource.Database{Project: server.ProjectID, ID: resource.DefaultDatabase})
	server.PinClock(t, time.Date(2030, 1, 1, 10, 0, 0, 0, time.UTC))
	apply(t, target, mustLoad(t, target, "documents: {a/b: {day: {$date: +2d}, at: {$timestamp: -1h}}}"), false)
	want := mustLoad(t, target, `documents: {a/b: {day: "2030-01-03", at: {$timestamp: "2030-01-01T09:00:00Z"}}}`)
	if got := compare(t, target, want, true); got != "" {
		t.Errorf("differences from moments at the clock's time:\n%s", got)
	}
}

// TestDifferencesControlNoTerminal prints the id and a value of a document with escape sequences.
func TestDifferencesControlNoTerminal(t *testing.T) {
	var out strings.Builder
	seed.Print(&out, []*seed.Difference{{Action: seed.Change, Kind: "document", Name: "a/\x1b[2J", Members: []seed.Member{{Path: "f", Have: "\x1b]0;x\a"}}}})
	if got := out.String(); strings.ContainsAny(got, "\x1b\a") || !strings.Contains(got, "a/?[2J") {
		t.Errorf("a difference with escape sequences is printed as %q", got)
	}
}

// TestDanglingReferences notes a reference to a document that the seed does not have.
func TestDanglingReferences(t *testing.T) {
	target := open(t)
	s := mustLoad(t, target, "documents:\n  a/b: {ok: {$ref: a/b},\n    gone: {$ref: users/anne}}")
	if want := "seed.yaml:3: documents.a/b.gone.$ref: the seed has no document users/anne"; len(s.Dangling) != 1 || s.Dangling[0] != want {
		t.Errorf("dangling references %q, want %q", s.Dangling, want)
	}
}

// TestSnapshots keeps the documents under a name, and restores them.
func TestSnapshots(t *testing.T) {
	target := open(t)
	one, two := mustLoad(t, target, "documents: {a/b: {n: 1}}"), mustLoad(t, target, "documents: {a/b: {n: 2}}")
	apply(t, target, one, false)
	if err := target.Snapshot(t.Context(), "snapshot", "first"); err != nil {
		t.Fatal(err)
	}
	apply(t, target, two, false)
	if err := target.Snapshot(t.Context(), "restore", "first"); err != nil {
		t.Fatal(err)
	}
	if got := compare(t, target, one, true); got != "" {
		t.Errorf("differences after restore:\n%s", got)
	}
	if err := target.Snapshot(t.Context(), "restore", "other"); err == nil || !strings.Contains(err.Error(), `no snapshot named "other"`) {
		t.Errorf("restore of an unknown name = %v", err)
	}
}

// TestPageOfTheLab applies the examples of doc/lab.md.
func TestPageOfTheLab(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "doc", "lab.md"))
	if err != nil {
		t.Fatal(err)
	}
	target, dir, files := open(t), t.TempDir(), []string(nil)
	for begin, name := range map[string]string{"```yaml seed\n": "seed.yaml", "```js module\n": "seed.mjs"} {
		_, text, ok := strings.Cut(string(page), begin)
		text, _, closed := strings.Cut(text, "```")
		if !ok || !closed {
			t.Fatalf("doc/lab.md has no example that begins with %q", begin)
		}
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := seed.Read(t.Context(), files, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := seed.Load(sources, seed.Options{DB: target.DB, Now: target.Now(t.Context())})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, target, s, false)
	if got := compare(t, target, s, true); got != "" || len(s.Documents) != 8 || len(s.Users) != 2 {
		t.Errorf("%d documents, %d accounts, want 8 and 2; differences after they were applied:\n%s", len(s.Documents), len(s.Users), got)
	}
}

// TestModules evaluates modules with values of JavaScript.
func TestModules(t *testing.T) {
	target, dir := open(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ok := write("seed.mjs", `
console.log('this is no part of the value')
class GeoPoint { latitude = 1; longitude = 2 }
export default async () => ({ documents: { 'a/b': { at: new Date(0), n: 1, big: 2n ** 60n, d: 1.5, nan: NaN, bytes: Buffer.from('x'), geo: new GeoPoint(), gone: undefined } } })
`)
	sources, err := seed.Read(t.Context(), []string{ok}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := seed.Load(sources, seed.Options{DB: target.DB, Now: target.Now(t.Context())})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, target, s, false)
	want := mustLoad(t, target, `documents: {a/b: {at: {$timestamp: "1970-01-01T00:00:00Z"}, n: 1, big: 1152921504606846976, d: 1.5, nan: .nan, bytes: {$bytes: eA==}, geo: {$geo: [1, 2]}}}`)
	if got := compare(t, target, want, true); got != "" {
		t.Errorf("differences between a module and YAML:\n%s", got)
	}
	for name, c := range map[string]struct{ text, want string }{
		"throws.mjs":   {"throw new Error('no')", "throws.mjs cannot be evaluated: Error: no"},
		"nothing.mjs":  {"export const a = 1", "the module has no default export"},
		"function.mjs": {"export default { documents: { 'a/b': { f() {} } } }", "a seed has no function"},
		"class.mjs":    {"class X {}; export default { documents: { 'a/b': { x: new X() } } }", "a seed has no X"},
	} {
		if _, err := seed.Read(t.Context(), []string{write(name, c.text)}, t.Output()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Read(%s) = %v, want %q", name, err, c.want)
		}
	}
}

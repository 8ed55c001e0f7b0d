package production

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"firebase.google.com/go/v4/auth"

	"clave/server/internal/base/clock"
	"clave/server/test/e2e/harness"
	"clave/server/test/kit/bucketserver"
	"clave/server/test/kit/wait"
)

// operationsPage is the page whose commands are run.
const operationsPage = "../../doc/operations.md"

// TestOperations runs all commands of operations.md: a server is installed, makes backups and restores one and a second
// for trial, documents are brought back from its history, its data are lost, and the backups bring the documents and
// accounts back.
func TestOperations(t *testing.T) {
	backups := filepath.Join(t.TempDir(), "backups")
	dir := operate(t, backups)
	wantDamageFound(t, dir, backups)
}

// TestOperationsInABucket is TestOperations with encrypted backups in a bucket.
func TestOperationsInABucket(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", bucketserver.Memory(t).URL)
	bucketserver.SetCredentials(t)
	keys := filepath.Join(t.TempDir(), "backup.key")
	if err := os.WriteFile(keys, []byte("AGE-SECRET-KEY-1LPMCWRC3EHFQEY0T5K5MMQ2HR3EXL2QZ60YSXP47HXAZUL0FXGQSGFNVFT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	operate(t, "s3://"+bucketserver.Bucket+"/clave", "--backup-key-file", keys)
}

// TestNamedCommandsExist checks the commands in the text of operations.md: each is one of the program, with the flags
// that are named with it.
func TestNamedCommandsExist(t *testing.T) {
	text, err := os.ReadFile(operationsPage)
	if err != nil {
		t.Fatal(err)
	}
	flags := make(map[string][]string)
	word, flag := regexp.MustCompile(`^[a-z][a-z-]*$`), regexp.MustCompile(`--[a-z-]+`)
	for _, found := range regexp.MustCompile("`clave ([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		words := strings.Fields(found[1])
		end := slices.IndexFunc(words, func(w string) bool { return !word.MatchString(w) })
		if end >= 0 {
			words = words[:end]
		}
		name := strings.Join(words, " ")
		flags[name] = append(flags[name], flag.FindAllString(found[1], -1)...)
	}
	if len(flags) < 8 {
		t.Fatalf("the page names the commands %v", flags)
	}
	for name, named := range flags {
		out, err := harness.Command(t, t.TempDir(), append(strings.Fields(name), "--help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Usage:\n  clave "+name) {
			t.Errorf("clave %s --help: %v\n%s", name, err, out)
		}
		for _, f := range named {
			if !strings.Contains(string(out), f+" ") {
				t.Errorf("clave %s has no flag %s", name, f)
			}
		}
	}
}

// blocksOf returns the blocks of commands of a page by their names: the section and the number of the block in it.
func blocksOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string][]string)
	section, name, n := "", "", 0
	for line := range strings.SplitSeq(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			section, n = strings.TrimPrefix(line, "## "), 0
		case line == "```":
			name = ""
		case strings.HasPrefix(line, "```"):
			n++
			name = fmt.Sprintf("%s %d", section, n)
		case name != "":
			blocks[name] = append(blocks[name], line)
		}
	}
	return blocks
}

// operations are the commands of operations.md, as the test runs them.
type operations struct {
	t *testing.T
	// dir is the folder of the project, data that of the data, and place the flags of the place of the backups.
	dir, data string
	place     []string
	blocks    map[string][]string
	// replaced are the names of the page and what the test has in their place, in turns.
	replaced []string
}

// words returns the words of a command after the name of the program.
func (o *operations) words(command string) []string {
	o.t.Helper()
	words := strings.Fields(strings.NewReplacer(o.replaced...).Replace(command))
	if words[0] != "clave" {
		o.t.Fatalf("%q is no command of clave, and the test does not run it", command)
	}
	if slices.Contains(words, "--from") {
		words = append(words, o.place...)
	}
	return words[1:]
}

// take returns the commands of a block, which no other call has taken.
func (o *operations) take(block string) []string {
	o.t.Helper()
	commands := o.blocks[block]
	if len(commands) == 0 {
		o.t.Fatalf("the page has no commands in %s, or they have run before", block)
	}
	delete(o.blocks, block)
	return commands
}

// run runs the commands of a block.
func (o *operations) run(block string) {
	o.t.Helper()
	for _, command := range o.take(block) {
		cmd := harness.Command(o.t, o.dir, o.words(command)...)
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(o.dir, "cert.pem"))
		if out, err := cmd.CombinedOutput(); err != nil {
			o.t.Fatalf("%s: %s: %v\n%s", block, command, err, out)
		}
	}
}

// served returns the flags of the page's server that are about its data, with short times.
func (o *operations) served() []string {
	words := o.words(o.take("Schedule 1")[0])
	if words[0] != "serve" {
		o.t.Fatalf("the schedule is that of %q", words)
	}
	var flags []string
	own := map[string]int{"--project": 2, "--data": 2, "--public-url": 2, "--trust-proxy": 1} // those that the test sets
	short := map[string]string{"--backup-every": "1s", "--backup-verify": "1s"}
	for i := 1; i < len(words); i++ {
		if n := own[words[i]]; n > 0 {
			i += n - 1
			continue
		}
		flags = append(flags, words[i])
		if time := short[words[i]]; time != "" {
			i++
			flags = append(flags, time)
		}
	}
	return append(append(flags, "--metrics", "127.0.0.1:0"), o.place...)
}

// lose moves the data folder away.
func (o *operations) lose(n int) {
	o.t.Helper()
	if err := os.Rename(o.data, filepath.Join(o.dir, fmt.Sprintf("lost-%d", n))); err != nil {
		o.t.Fatal(err)
	}
}

// status waits until the output of clave status matches an expression.
func (o *operations) status(what, expression string) {
	o.t.Helper()
	want := regexp.MustCompile(expression)
	wait.Until(o.t, what, func() bool {
		out, err := harness.Command(o.t, o.dir, "status", "--data", o.data).CombinedOutput()
		if err != nil {
			o.t.Fatalf("clave status: %v\n%s", err, out)
		}
		return want.Match(out)
	})
}

// operate runs the commands of operations.md with a place of backups and its flags, and returns the project's folder.
func operate(t *testing.T, backups string, place ...string) (dir string) {
	t.Helper()
	harness.Alone(t, "a backup is restored into a data folder")
	dir = harness.ProductionFolder(t)
	o := &operations{t: t, dir: dir, data: filepath.Join(dir, ".clave"), place: place, blocks: blocksOf(t, operationsPage)}
	o.replaced = []string{
		"/var/lib/clave-drill", filepath.Join(t.TempDir(), "drill"), "/var/lib/clave", o.data, "/backups/before-the-upgrade", filepath.Join(t.TempDir(), "copy"),
		"/backups", backups, "--project fundacion", "--project " + harness.RealProject, "create backend", "create programs", "backend.json", "programs.json",
	}
	o.run("Install 1")
	key := harness.CreateKey(t, dir, "backend")
	flags := o.served()
	p := harness.Serve(t, dir, true, flags...)
	accounts, documents := p.Admin(t, key)
	if _, err := accounts.CreateUser(t.Context(), (&auth.UserToCreate{}).UID("ana").Email("ana@example.org").Password("secreta1")); err != nil {
		t.Fatal(err)
	}
	set := func(path string, n int) {
		t.Helper()
		if _, err := documents.Doc(path).Set(t.Context(), map[string]any{"n": n}); err != nil {
			t.Fatal(err)
		}
	}
	set("open/kept", 1)
	set("rooms/lobby", 1)
	o.status("a backup and a second of the log to be restored for trial", `(?m)^Proved +20\S+Z, and the state at 20\S+Z, at .* ago\)$`)
	at := clock.System().Now()
	set("rooms/lobby", 2)
	wait.Until(t, "the log to be shipped up to the time to which the data are restored", func() bool {
		out, err := harness.Command(t, dir, append([]string{"backups", "list", "--from", backups}, place...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("backups list: %v\n%s", err, out)
		}
		ends := regexp.MustCompile(`up to (\S+)\n`).FindAllStringSubmatch(string(out), -1)
		return slices.ContainsFunc(ends, func(end []string) bool {
			until, err := time.Parse(time.RFC3339, end[1])
			return err == nil && until.After(at)
		})
	})
	o.replaced = append(o.replaced, "2026-11-21T14:05:00Z", at.UTC().Format(time.RFC3339Nano), "https://www.example.org", p.URL)
	for _, block := range []string{"Install 2", "History 1", "Watch 1", "Upgrade 1"} {
		o.run(block)
	}
	want := func(path string, n int) {
		t.Helper()
		d, err := documents.Doc(path).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.DataAt("n"); err != nil || got != int64(n) {
			t.Errorf("%s has n = %v, %v; want %d", path, got, err, n)
		}
	}
	want("rooms/lobby", 1) // by the history
	set("rooms/lobby", 3)
	p.Stop(t)
	o.lose(1)
	for _, block := range []string{"Drill 1", "Restore 1", "Restore 2"} {
		o.run(block)
	}
	o.lose(2)
	o.run("Disaster 1")
	o.run("Disaster 2")
	p = harness.Serve(t, dir, true, flags...)
	_, documents = p.Admin(t, key)
	want("open/kept", 1)
	want("rooms/lobby", 1) // as of the time
	p.Call(t, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=k", map[string]any{"email": "ana@example.org", "password": "secreta1", "returnSecureToken": true})
	p.Stop(t)
	o.lose(3)
	o.run("Upgrade 2")
	if left := slices.Sorted(maps.Keys(o.blocks)); len(left) > 0 {
		t.Errorf("the test does not run the commands of %q", left)
	}
	return dir
}

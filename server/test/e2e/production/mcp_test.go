package production

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clave/server/test/e2e/harness"
)

// TestMCPAndSeedsOfProduction applies a seed to clave serve with a key, and reads it by links of clave console.
func TestMCPAndSeedsOfProduction(t *testing.T) {
	harness.Alone(t, "a follower's port of the console does not answer")
	dir := harness.ProductionFolder(t)
	port := harness.FreePorts(t, 1)[0]
	console := fmt.Sprintf("127.0.0.1:%d", port)
	p := harness.Serve(t, dir, false, "--console", console)
	harness.CreateKeyFor(t, dir, "seeder", p.URL)
	harness.WriteFile(t, filepath.Join(dir, "seed.yaml"), "users: {ann: {email: ann@example.org, password: secret-of-ann}}\ndocuments: {seeded/a: {n: 1}}\n")
	harness.WriteFile(t, filepath.Join(dir, "other.yaml"), "users: {ann: {email: ann@example.org, password: another-secret}}\n")
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"seed", "diff", "seed.yaml", "--key", "seeder.json"}, "2 differences"},
		{[]string{"seed", "apply", "seed.yaml", "--key", "seeder.json"}, "2 differences written to"},
		{[]string{"seed", "diff", "seed.yaml", "--key", "seeder.json"}, "0 differences"},
		{[]string{"seed", "diff", "other.yaml", "--key", "seeder.json"}, "password differs"},
		{[]string{"seed", "apply", "seed.yaml", "--firestore", p.Host(), "--auth", p.Host(), "--project", harness.RealProject}, "401"},
		{[]string{"mcp", "--console", "http://" + console}, "needs a new link of `clave console`"},
		{[]string{"mcp", "--console", "http://192.0.2.1:4000/?link=x"}, "must begin with https:// unless it is on this machine"},
	} {
		out, _ := harness.Command(t, dir, step.args...).CombinedOutput()
		if !strings.Contains(string(out), step.want) {
			t.Errorf("clave %v: %s, want %q", step.args, out, step.want)
		}
	}
	link := func(flags ...string) string { return consoleLink(t, dir, flags...) }
	if out, err := harness.Command(t, dir, "mcp", "--allow-writes", "--console", link()).CombinedOutput(); err == nil || !strings.Contains(string(out), "the session may only read") {
		t.Errorf("--allow-writes with a link that may read: %v %s", err, out)
	}
	used := link()
	a := harness.Assist(t, harness.Command(t, dir, "mcp", "--console", used))
	for _, c := range []struct{ tool, arguments, want string }{
		{"query_documents", `{"collection": "seeded"}`, `{"path":"seeded/a","fields":{"n":1}`},
		{"list_users", `{}`, `"hasPassword":true`},
		{"diff_seed", `{"seed": "documents: {seeded/a: {n: 2}}"}`, `"action":"change"`},
		{"list_requests", `{}`, `{"items":[]}`},
		{"apply_seed", `{"seed": "documents: {seeded/a: {n: 2}}"}`, "apply_seed"},
		{"usage", `{}`, "usage"},
	} {
		if text, ok := a.Call(c.tool, c.arguments); !strings.Contains(text, c.want) || ok == (c.tool == "apply_seed" || c.tool == "usage") || strings.Contains(text, "passwordHash") {
			t.Errorf("%s %s: %v %s, want %s", c.tool, c.arguments, ok, text, c.want)
		}
	}
	if out, err := harness.Command(t, dir, "mcp", "--console", used).CombinedOutput(); err == nil || strings.Contains(string(out), "link=") {
		t.Errorf("a link for the second time: %v %s", err, out)
	}
	w := harness.Assist(t, harness.Command(t, dir, "mcp", "--allow-writes", "--console", link("--write")))
	if text, ok := w.Call("apply_seed", `{"seed": "documents: {seeded/a: {n: 2}}"}`); !ok {
		t.Errorf("apply_seed with a link that may write: %s", text)
	}
}

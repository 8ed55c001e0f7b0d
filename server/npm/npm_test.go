package npm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"clave/server/testprogram"
)

// vitestFile is a test as a project writes it: the web SDK against its worker's project.
const vitestFile = `import { expect, test } from 'vitest'
import { initializeApp } from 'firebase/app'
import { addDoc, collection, connectFirestoreEmulator, getDocs, getFirestore } from 'firebase/firestore'
import { worker } from 'clave'

const clave = worker()
const db = getFirestore(initializeApp({ projectId: clave.projectId }))
const [host, port] = clave.firestore.split(':')
connectFirestoreEmulator(db, host, Number(port))
const notes = collection(db, 'notes')

test('a snapshot brings the documents back', async () => {
  await addDoc(notes, { text: 'first' })
  const before = await clave.snapshot()
  await addDoc(notes, { text: 'second' })
  expect((await getDocs(notes)).size).toBe(2)
  await clave.restore(before)
  await clave.settle()
  expect((await getDocs(notes)).docs.map((d) => d.data().text)).toEqual(['first'])
})
`

// startFile uses the API without a runner.
const startFile = `import { start } from 'clave'
import { writeFileSync } from 'node:fs'
writeFileSync('closed.rules', "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /a/{id} { allow read: if true; } } }")
const clave = await start({ rules: 'closed.rules' })
const url = (path) => ` + "`http://${clave.firestore}/v1/projects/${clave.projectId}/databases/(default)/documents/${path}`" + `
const codes = [(await fetch(url('a/1'))).status, (await fetch(url('b/1'))).status]
await clave.stop()
const gone = await fetch(url('a/1')).then(() => false, () => true)
const broken = await start({ args: ['--nope'] }).then(() => 'started', (e) => e.message)
console.log(JSON.stringify({ codes, gone, broken: broken.includes('--nope') }))
`

// TestPackages packs the packages, installs them into an empty project and runs the command, the API and a vitest file,
// with nothing but Node on the PATH.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: npm takes seconds")
	}
	platform, ok := map[string]string{"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64", "darwin/amd64": "darwin-x64", "darwin/arm64": "darwin-arm64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		t.Skipf("skipped: no package is made on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	p := &project{t: t, dir: t.TempDir()}
	tarballs := t.TempDir()
	p.run(".", "node", "pack.mjs", "0.0.1-test", tarballs, platform+"="+program(t))
	found, err := filepath.Glob(filepath.Join(tarballs, "*.tgz"))
	if err != nil || len(found) != 2 {
		t.Fatalf("tarballs %v, %v, want two", found, err)
	}
	p.write("package.json", `{"name": "empty", "private": true, "type": "module"}`)
	p.run(p.dir, "npm", append([]string{"install", "--save-dev", "--no-audit", "--no-fund", "--silent"}, found...)...)
	for _, module := range []string{"firebase", "@firebase", "vitest"} {
		p.link(module)
	}
	p.write("vitest.config.mjs", `export default { test: { globalSetup: 'clave/vitest' } }`)
	p.write("notes.test.mjs", vitestFile)
	p.write("start.mjs", startFile)
	if out := p.run(p.dir, "npx", "clave", "exec", "node -p process.env.FIRESTORE_EMULATOR_HOST"); !strings.Contains(out, "127.0.0.1:") {
		t.Errorf("npx clave exec printed %q", out)
	}
	if out := p.run(p.dir, "node", "start.mjs"); !strings.Contains(out, `{"codes":[404,403],"gone":true,"broken":true}`) {
		t.Errorf("start printed %q", out)
	}
	if out := p.run(p.dir, "node", "node_modules/vitest/vitest.mjs", "run"); !strings.Contains(out, "1 passed") {
		t.Errorf("vitest printed %q", out)
	}
}

// program returns the built program.
func program(t *testing.T) string {
	t.Helper()
	path, err := testprogram.Clave()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// project is a folder of JavaScript.
type project struct {
	t   *testing.T
	dir string
}

// write writes a file.
func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// link makes a module of the site's available, in place of fetching it again.
func (p *project) link(module string) {
	p.t.Helper()
	from, err := filepath.Abs(filepath.Join("../../frontend/node_modules", module))
	if err == nil {
		_, err = os.Stat(from)
	}
	if err != nil {
		p.t.Skipf("skipped: %s is not installed for the site: %v", module, err)
	}
	if err := os.Symlink(from, filepath.Join(p.dir, "node_modules", module)); err != nil {
		p.t.Fatal(err)
	}
}

// run runs a command with Node alone on the PATH and returns what it printed.
func (p *project) run(dir, name string, args ...string) string {
	p.t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		p.t.Skip("skipped: no node")
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + os.Getenv("HOME"), "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

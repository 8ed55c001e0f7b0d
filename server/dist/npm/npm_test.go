package npm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	testprogram "clave/server/test/kit/program"
)

// vitestFile is a test file as in a project: it uses the web SDK with the project of its worker.
const vitestFile = `import { expect, test } from 'vitest'
import { initializeApp } from 'firebase/app'
import { addDoc, collection, connectFirestoreEmulator, getDocs, getFirestore } from 'firebase/firestore'
import { expectReads, seed, worker } from 'clave'

const clave = worker()
const db = getFirestore(initializeApp({ projectId: clave.projectId }))
const [host, port] = clave.firestore.split(':')
connectFirestoreEmulator(db, host, Number(port))
const notes = collection(db, 'notes')

test('a seed is applied', async () => {
  const ann = { joined: new Date('2026-01-02T03:04:05Z'), boss: { $ref: 'users/bob' } }
  await seed({ documents: { 'users/ann': ann }, users: { ann: { email: 'ann@example.org', password: 'secret-of-ann' } } })
  const [found] = (await getDocs(collection(db, 'users'))).docs
  expect(found.data().joined.toDate()).toEqual(ann.joined)
  expect(found.data().boss.path).toBe('users/bob')
  await expect(seed({ documents: { users: 1 } })).rejects.toThrow(/documents.users: expected an object/)
})

test('a snapshot brings the documents back', async () => {
  await addDoc(notes, { text: 'first' })
  const before = await clave.snapshot()
  await addDoc(notes, { text: 'second' })
  expect((await getDocs(notes)).size).toBe(2)
  await clave.restore(before)
  await clave.settle()
  expect((await getDocs(notes)).docs.map((d) => d.data().text)).toEqual(['first'])
  expect((await expectReads(1, () => getDocs(notes))).size).toBe(1)
  await addDoc(notes, { text: 'third' })
  await addDoc(notes, { text: 'fourth' })
  // The SDK resumes the query: it pays for the two documents that it has not read before.
  await worker().setFaults({ calls: 'reads', delay: 1 })
  await worker().setFaults()
  const own = worker().project()
  await own.pinClock()
  await own.drop()
  expect(await worker().dropStreams()).toBeGreaterThanOrEqual(0)
  await worker().pinClock('2030-01-01T00:00:00Z')
  await worker().advance('1m')
  await worker().setClock(new Date())
  await worker().resetClock()
  await expect(expectReads(1, () => getDocs(notes))).rejects.toThrow(/2 reads, 1 allowed\n  2 by listen notes/)
  await clave.resetUsage()
  expect((await clave.usage()).total.reads).toBe(0)
})
`

// projectFile follows the example of a project for each test in the documentation.
const projectFile = `
import { expect, test } from 'vitest'
const seen = new Set()
test.for([1, 2])('a project of its own', async () => {
  seen.add(clave.projectId)
  expect((await clave.usage()).total.writes).toBe(0)
  expect((await clave.usage({ stored: true })).stored.total).toMatchObject({ documents: expect.any(Number), indexBytes: expect.any(Number) })
  const url = ` + "`http://${clave.firestore}/v1/projects/${clave.projectId}/databases/(default)/documents/notes?documentId=a`" + `
  expect((await fetch(url, { method: 'POST', headers: { authorization: 'Bearer owner' }, body: '{}' })).status).toBe(200)
})
test('each had another one', () => expect(seen.size).toBe(2))
`

// startFile uses the API without a test runner.
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

// TestPackages packs the packages, installs them into an empty project and runs the command, the API and the test
// runners. The PATH has only Node.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: npm takes seconds")
	}
	p := install(t)
	p.write("start.mjs", startFile)
	if out := p.run(p.dir, "npx", "clave", "exec", "node -p process.env.FIRESTORE_EMULATOR_HOST"); !strings.Contains(out, "127.0.0.1:") {
		t.Errorf("npx clave exec printed %q", out)
	}
	if out := p.run(p.dir, "node", "start.mjs"); !strings.Contains(out, `{"codes":[404,403],"gone":true,"broken":true}`) {
		t.Errorf("start printed %q", out)
	}
	t.Run("admin", func(t *testing.T) { p.of(t).admin() })
	t.Run("vitest", func(t *testing.T) { p.of(t).vitest() })
	for _, r := range runners {
		t.Run(r.name+" with workers", func(t *testing.T) { p.of(t).workers(r) })
	}
}

// install packs the packages and installs them into an empty project.
func install(t *testing.T) *project {
	t.Helper()
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
		p.link(module, "../../../frontend/node_modules")
	}
	return p
}

// vitest runs two test files, one of them the example of the documentation, and logs the time that it takes.
func (p *project) vitest() {
	p.t.Helper()
	p.write("vitest.config.mjs", `export default { test: { globalSetup: 'clave/vitest', include: ['*.test.mjs'] } }`)
	p.write("notes.test.mjs", vitestFile)
	page, err := os.ReadFile("../../doc/lab.md")
	if err != nil {
		p.t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```js\n")
	example, _, _ = strings.Cut(example, "```")
	p.write("project.test.mjs", example+projectFile)
	began := time.Now()
	out, state := p.measured(p.dir, "node", "node_modules/vitest/vitest.mjs", "run")
	took := state.UserTime() + state.SystemTime()
	p.t.Logf("green in %v; processor time of the runner and the server %v", time.Since(began).Round(time.Millisecond), took)
	if !strings.Contains(out, "5 passed") {
		p.t.Errorf("vitest printed %q", out)
	}
}

// runner is a test runner with two files, each run by its own worker at the same time.
type runner struct {
	name string
	// from is the folder that contains its modules, and modules are those to link into the project.
	from    string
	modules []string
	// config is the content of its configuration file, file the name of the first test file, whose number is 1, and test
	// the source of a test.
	configFile, config, file string
	test                     func(body string) string
	command                  []string
}

// workersBody is the body of a test. It waits for the other worker, and expects only its own documents, and the reads
// of its own queries, in its project.
const workersBody = `
  const { projectId, firestore, settle } = worker()
  const [host, port] = firestore.split(':')
  const db = getFirestore(initializeApp({ projectId }, projectId))
  connectFirestoreEmulator(db, host, Number(port))
  await addDoc(collection(db, 'notes'), { pid: process.pid })
  await settle()
  await meet(projectId)
  const read = (name) => () => getDocs(collection(db, name))
  const found = (await expectReads(1, read('notes'))).docs.map((d) => d.data().pid)
  expect(found).toEqual([process.pid])
  await expect(expectReads(0, read('empty'))).rejects.toThrow(/1 reads, 0 allowed\n  1 by listen empty/)
`

// meetFile synchronizes two workers: each writes a file whose name contains its project's id, and waits for that of the
// other.
const meetFile = `const { readdirSync, writeFileSync } = require('node:fs')
exports.meet = async (projectId) => {
  writeFileSync('met-' + projectId, '')
  for (let i = 0; i < 3000; i++) {
    if (readdirSync('.').filter((name) => name.startsWith('met-')).length === 2) return
    await new Promise((done) => setTimeout(done, 10))
  }
  throw new Error('the other worker has not come, or has the same project')
}
`

// moduleTest returns the source of a test for a runner of ES modules.
func moduleTest(from string) func(body string) string {
	return func(body string) string {
		return "import { test, expect } from '" + from + "'\n" +
			"import { initializeApp } from 'firebase/app'\n" +
			"import { addDoc, collection, connectFirestoreEmulator, getDocs, getFirestore } from 'firebase/firestore'\n" +
			"import { expectReads, worker } from 'clave'\nimport { meet } from './meet.cjs'\ntest('alone', async () => {" + body + "})\n"
	}
}

// jestTest returns the source of a test for jest, which uses CommonJS.
func jestTest(body string) string {
	return "const { initializeApp } = require('firebase/app')\n" +
		"const { addDoc, collection, connectFirestoreEmulator, getDocs, getFirestore } = require('firebase/firestore')\n" +
		"const { expectReads, worker } = require('clave')\nconst { meet } = require('./meet.cjs')\ntest('alone', async () => {" + body + "}, 40_000)\n"
}

// runners lists the test runners that the package supports.
var runners = []runner{
	{
		name: "vitest", configFile: "workers.config.mjs", file: "workers1.vitest.mjs", test: moduleTest("vitest"),
		config:  `export default { test: { globalSetup: 'clave/vitest', include: ['*.vitest.mjs'], pool: 'forks', maxWorkers: 2, minWorkers: 2, testTimeout: 40_000 } }`,
		command: []string{"node_modules/vitest/vitest.mjs", "run", "--config", "workers.config.mjs"},
	},
	{
		name: "jest", from: "runners/node_modules", modules: []string{"jest"}, configFile: "jest.config.mjs", file: "workers1.jest.cjs", test: jestTest,
		config:  `export default { globalSetup: 'clave/jest', globalTeardown: 'clave/jest', testMatch: ['**/*.jest.cjs'], testEnvironment: 'node', transform: {}, maxWorkers: 2 }`,
		command: []string{"node_modules/jest/bin/jest.js"},
	},
	{
		name: "Playwright", from: "../../../frontend/node_modules", modules: []string{"@playwright", "playwright", "playwright-core"}, configFile: "playwright.config.mjs",
		file: "workers1.playwright.mjs", test: moduleTest("@playwright/test"),
		config:  `export default { globalSetup: 'clave/playwright', testMatch: '*.playwright.mjs', workers: 2, timeout: 40_000 }`,
		command: []string{"node_modules/@playwright/test/cli.js", "test"},
	},
}

// workers runs two files of a runner. Each must have its own project.
func (p *project) workers(r runner) {
	p.t.Helper()
	for _, module := range r.modules {
		p.link(module, r.from)
	}
	for _, old := range p.met() {
		if err := os.Remove(old); err != nil {
			p.t.Fatal(err)
		}
	}
	p.write("meet.cjs", meetFile)
	p.write(r.configFile, r.config)
	p.write(r.file, r.test(workersBody))
	p.write(strings.Replace(r.file, "1", "2", 1), r.test(workersBody))
	if out := p.run(p.dir, "node", r.command...); !strings.Contains(out, "2 passed") {
		p.t.Errorf("%s printed %q", r.name, out)
	}
	if met := p.met(); len(met) != 2 {
		p.t.Errorf("the workers of %s had the projects %v, want two", r.name, met)
	}
}

// met returns the files that the workers have written.
func (p *project) met() []string {
	p.t.Helper()
	met, err := filepath.Glob(filepath.Join(p.dir, "met-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return met
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

// project is a folder with a JavaScript project.
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

// of returns the project for a subtest.
func (p *project) of(t *testing.T) *project { return &project{t, p.dir} }

// link links a module that is installed in another folder, instead of downloading it.
func (p *project) link(module, folder string) {
	p.t.Helper()
	from, err := filepath.Abs(filepath.Join(folder, module))
	if err == nil {
		_, err = os.Stat(from)
	}
	if err != nil {
		p.t.Skipf("skipped: %s is not installed (make test does it): %v", module, err)
	}
	if err := os.Symlink(from, filepath.Join(p.dir, "node_modules", module)); err != nil {
		p.t.Fatal(err)
	}
}

// path returns a folder for the PATH with only Node and a shell: no Go and no Java.
func (p *project) path() string {
	p.t.Helper()
	dir := filepath.Join(p.dir, "path")
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		p.t.Fatal(err)
	}
	for _, name := range []string{"node", "npm", "npx", "sh"} {
		at, err := exec.LookPath(name)
		if err != nil {
			p.t.Skip("skipped: ", err)
		}
		if err := os.Symlink(at, filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			p.t.Fatal(err)
		}
	}
	return dir
}

// run runs a command with only Node on the PATH and returns its output.
func (p *project) run(dir, name string, args ...string) string {
	p.t.Helper()
	out, _ := p.measured(dir, name, args...)
	return out
}

// measured does the same as run and also returns the process's state, with the processor time.
func (p *project) measured(dir, name string, args ...string) (string, *os.ProcessState) {
	p.t.Helper()
	path := p.path()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(path, name), args...)
	cmd.Dir = dir
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = []string{"PATH=" + path, "HOME=" + os.Getenv("HOME"), "NO_COLOR=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), cmd.ProcessState
}

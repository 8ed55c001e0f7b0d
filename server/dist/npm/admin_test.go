package npm

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// adminImports use clave/admin as an ES module and as a CommonJS module. Both print parts of the options, and the error
// for a wrong key.
var adminImports = map[string]string{
	"admin.mjs": `import { createRequire } from 'node:module'
import * as admin from 'clave/admin'
` + adminBody + `if (admin.claveApp !== createRequire(import.meta.url)('clave/admin').claveApp) throw new Error('two copies')`,
	"admin.cjs": "const admin = require('clave/admin')\n" + adminBody,
}

// adminBody is the part of these programs that is the same in both.
const adminBody = `
const { credential, httpAgent, projectId } = admin.claveOptions({ key: 'backend.json' })
const { host, sslCreds } = admin.firestoreSettings({ key: 'backend.json' })
const wrong = (() => { try { admin.claveOptions({ key: '{}' }) } catch (error) { return error.message } })()
console.log([projectId, credential.clientEmail, typeof httpAgent.addRequest, host, sslCreds._isSecure(), wrong.includes('credentials create')].join(' '))
`

// adminTypes is a TypeScript program. The comments expect errors at the lines that follow.
const adminTypes = `import { initializeApp, type App } from 'firebase-admin/app'
import { getFirestore, type Firestore } from 'firebase-admin/firestore'
import { claveApp, claveFirestore, claveOptions, firestoreSettings } from 'clave/admin'

const app: App = claveApp({ key: new URL('file:///key.json'), ca: ['ca.pem', Buffer.from('')], firestore: { ignoreUndefinedProperties: true } }, 'name')
const other: App = initializeApp(claveOptions({ key: 'key.json', url: 'https://data.example.org', adminApi: 'https://data.example.org:4001' }))
const db: Firestore = claveFirestore(other, { databaseId: 'second', maxIdleChannels: 2 })
export const all = [getFirestore(app), db, claveApp({ key: {}, firestore: false }), firestoreSettings({ key: 'key.json' }).host]
// @ts-expect-error: a key is required
claveOptions({})
// @ts-expect-error: there is no such option
claveOptions({ key: 'key.json', cert: 'x' })
`

// admin uses clave/admin from ES modules, CommonJS and TypeScript.
func (p *project) admin() {
	p.t.Helper()
	for _, module := range []string{"firebase-admin", "@google-cloud", "google-gax", "typescript", "@types"} {
		p.link(module, "../../../frontend/node_modules")
	}
	create := exec.CommandContext(p.t.Context(), program(p.t), "credentials", "create", "backend", "--project", "real-project", "--public-url", "https://data.example.org",
		"--data", filepath.Join(p.dir, "data"), "--out", filepath.Join(p.dir, "backend.json"))
	if out, err := create.CombinedOutput(); err != nil {
		p.t.Fatalf("credentials create: %v\n%s", err, out)
	}
	want := "real-project backend@real-project.iam.gserviceaccount.com function data.example.org:443 true true"
	for name, text := range adminImports {
		p.write(name, text)
		if out := p.run(p.dir, "node", name); !strings.Contains(out, want) {
			p.t.Errorf("%s printed %q, want %q", name, out, want)
		}
	}
	for _, name := range []string{"types.mts", "types.cts"} {
		p.write(name, adminTypes)
	}
	p.run(p.dir, "node", "node_modules/typescript/bin/tsc", "--noEmit", "--strict", "--skipLibCheck", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2022", "--types", "node", "types.mts", "types.cts")
}

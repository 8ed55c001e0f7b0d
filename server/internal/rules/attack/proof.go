package attack

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// Proofs returns the findings that no comment explains as a program for Node's test runner. It uses
// @firebase/rules-unit-testing with the Firestore emulator, and each test fails as long as the rules of a file, which
// the program reads, allow the request.
func (r *Report) Proofs(rulesFile string) string {
	var b strings.Builder
	b.WriteString(`import { readFileSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { assertFails, initializeTestEnvironment } from '@firebase/rules-unit-testing'
import { Bytes, GeoPoint, Timestamp, collection, collectionGroup, deleteDoc, doc, getDoc, getDocs, limit, query, serverTimestamp, setDoc, where } from 'firebase/firestore'

let env
before(async () => {
  env = await initializeTestEnvironment({ projectId: 'demo-attack', firestore: { rules: readFileSync(` + text(rulesFile) + `, 'utf8') } })
})
beforeEach(() => env.clearFirestore())
after(() => env.cleanup())
const given = (documents) =>
  env.withSecurityRulesDisabled(async (context) => {
    for (const [path, fields] of Object.entries(documents)) await setDoc(doc(context.firestore(), path), fields)
  })
`)
	for i := range r.Findings {
		if f := &r.Findings[i]; f.world != nil && f.Explained == "" {
			b.WriteString(f.proof())
		}
	}
	return b.String()
}

// proof returns the test of a finding.
func (f *Finding) proof() string {
	w := f.world
	docs := make([]string, 0, len(w.docs)+1)
	for _, path := range slices.Sorted(maps.Keys(w.docs)) {
		docs = append(docs, text(path)+": "+literal(w.docs[path], false))
	}
	if w.before != nil && w.method != rules.List {
		docs = append(docs, text(w.name().Path)+": "+literal(w.before, false))
	}
	who := "env.unauthenticatedContext()"
	if w.uid != "" {
		claims := w.claims.Delete(value.FieldPath{"sub"}).Delete(value.FieldPath{"user_id"})
		who = "env.authenticatedContext(" + text(w.uid) + ", " + literal(claims, false) + ")"
	}
	name := fmt.Sprintf("line %d: %s %s %s: %s", f.Line, f.Kind, f.Method, f.Path, f.What)
	return fmt.Sprintf("\ntest(%s, async () => {\n  await given({ %s })\n  const db = %s.firestore()\n  await assertFails(%s)\n})\n",
		text(name), strings.Join(docs, ", "), who, w.operation())
}

// operation returns the call that makes the request.
func (w *world) operation() string {
	at := "doc(db, " + text(w.name().Path) + ")"
	switch w.method {
	case rules.Get:
		return "getDoc(" + at + ")"
	case rules.Delete:
		return "deleteDoc(" + at + ")"
	case rules.List:
		parts := []string{"collection(db, " + text(strings.Join(w.path[:len(w.path)-1], "/")) + ")"}
		if w.group {
			parts[0] = "collectionGroup(db, " + text(w.path[len(w.path)-2]) + ")"
		}
		for _, f := range w.where {
			parts = append(parts, "where("+text(f.path.String())+", '==', "+literal(f.value, false)+")")
		}
		if w.limit > 0 {
			parts = append(parts, fmt.Sprintf("limit(%d)", w.limit))
		}
		return "getDocs(query(" + strings.Join(parts, ", ") + "))"
	case rules.Create, rules.Update:
	}
	return "setDoc(" + at + ", " + literal(w.after, true) + ")"
}

// text returns a text as a literal of JavaScript.
func text(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts are JSON
	}
	return string(b)
}

// literal returns a value as an expression of JavaScript. With stamps the time of the request is the server's.
func literal(v value.Value, stamps bool) string { // long: one case a type
	switch x := v.(type) {
	case value.Bool:
		return fmt.Sprint(bool(x))
	case value.Int:
		return fmt.Sprint(int64(x))
	case value.Double:
		if f := float64(x); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return fmt.Sprint(f)
		}
		return "NaN"
	case value.String:
		if len(x) == longText && strings.Count(string(x), "a") == longText {
			return fmt.Sprintf("'a'.repeat(%d)", longText)
		}
		return text(string(x))
	case value.Bytes:
		return "Bytes.fromBase64String(" + text(base64.StdEncoding.EncodeToString([]byte(x))) + ")"
	case value.Timestamp:
		if stamps && value.Equal(x, now) {
			return "serverTimestamp()"
		}
		return fmt.Sprintf("new Timestamp(%d, %d)", x.Seconds, x.Nanos)
	case value.GeoPoint:
		return fmt.Sprintf("new GeoPoint(%v, %v)", x.Lat, x.Lng)
	case value.Array:
		if len(x) == longArray && value.Equal(x, longList()) {
			return fmt.Sprintf("Array(%d).fill('text')", longArray)
		}
		items := make([]string, len(x))
		for i, item := range x {
			items[i] = literal(item, false)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case value.Map:
		members := make([]string, 0, len(x))
		for _, key := range value.SortedKeys(x) {
			members = append(members, text(key)+": "+literal(x[key], stamps))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	}
	return "null"
}

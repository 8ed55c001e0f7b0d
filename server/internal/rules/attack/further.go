package attack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// longArray is the number of elements of a list that rules should refuse.
const longArray = 2000

// longList returns a list that rules should refuse.
func longList() value.Array {
	out := make(value.Array, longArray)
	for i := range out {
		out[i] = value.String("text")
	}
	return out
}

// number writes numbers far away on both sides, as increments make them.
func (a *attack) number(ctx context.Context, w *world, key string) {
	const far = 1_000_000_000_000
	high := w.clone()
	high.after = w.after.Set(value.FieldPath{key}, value.Int(far))
	low := w.clone()
	low.after = w.after.Set(value.FieldPath{key}, value.Int(-far))
	if high.allowed(ctx, a.ruleset) {
		a.try(ctx, low, "number-unchecked", key, fmt.Sprintf("%s is %d, and may be %d too", key, -far, far))
	}
}

// tenantPath is the place of the tenant in the claims.
var tenantPath = value.FieldPath{"firebase", "tenant"}

// otherTenant asks as a user of another tenant, who may have the same id, if the rules bind rights to tenants.
func (a *attack) otherTenant(ctx context.Context, w *world) {
	if w.uid == "" || !strings.Contains(a.ruleset.Source(), "firebase.tenant") {
		return
	}
	other := w.clone()
	other.claims = w.claims.Set(tenantPath, value.String("attack-tenant"))
	a.try(ctx, other, "other-tenant", "", "the user is one of another tenant, attack-tenant")
}

// widenGroup lists all collections of the name, unless a condition binds the list to the user.
func (a *attack) widenGroup(ctx context.Context, w *world) {
	bound := slices.ContainsFunc(w.where, func(f filter) bool { return w.uid != "" && value.Equal(f.value, value.String(w.uid)) })
	if bound || w.group {
		return
	}
	all := w.clone()
	all.group = true
	a.try(ctx, all, "collection-group", "", "all collections "+w.path[len(w.path)-2]+" are listed, wherever they are")
}

// fewLookups is the number of documents that rules may look up for a request without a user.
const fewLookups = 2

// bomb counts the documents that rules look up for a request without a user. Each is billed, also if the request is
// denied. The finding names the statement that the request is for.
func (a *attack) bomb(ctx context.Context, w *world) {
	nobody := w.clone()
	nobody.uid, nobody.claims, nobody.looked = "", nil, make(map[string]bool)
	a.report.Requests++
	nobody.allowed(ctx, a.ruleset)
	if len(nobody.looked) <= fewLookups {
		return
	}
	x := w.decide(ctx, a.ruleset)
	if x == nil || !x.Allowed {
		return
	}
	at := a.statementAt(x.Line)
	key := fmt.Sprint(at.Span.Line, "lookup-bomb", w.method)
	if a.seen[key] {
		return
	}
	a.seen[key] = true
	a.report.Findings = append(a.report.Findings, Finding{
		Kind: "lookup-bomb", Line: at.Span.Line, Path: rules.PathText(at.Path), Method: w.method.String(),
		What: fmt.Sprintf("nobody is signed in, and %d documents are looked up: check request.auth != null before get() and exists()", len(nobody.looked)),
	})
}

// steps writes first the documents that give the user a right, each as the user without it. Documents that belong to
// the user by their path are left to grant, and those whose fields only name the user are the user's own.
func (a *attack) steps(ctx context.Context, w *world) {
	for path, fields := range w.docs {
		parts := strings.Split(path, "/")
		if w.uid == "" || slices.Contains(parts, w.uid) || !gives(fields, w.uid) {
			continue
		}
		without := w.clone()
		delete(without.docs, path)
		if without.allowed(ctx, a.ruleset) {
			continue // the right does not depend on it
		}
		for _, first := range a.firsts(without, parts, fields) {
			if a.try(ctx, first, "two-writes", path, fmt.Sprintf("%s is written first, which gives the right to %s %s", path, w.method, strings.Join(w.path, "/"))) {
				break
			}
		}
	}
}

// gives reports whether fields have a value that is not the user's id.
func gives(fields value.Map, uid string) bool {
	for _, v := range fields {
		if !value.Equal(v, value.String(uid)) {
			return true
		}
	}
	return false
}

// firsts returns the writes by which a user may create a document with fields: as it is, and as the rules allow others
// of its collection.
func (a *attack) firsts(w *world, path []string, fields value.Map) []*world {
	first := w.clone()
	first.method, first.path, first.before, first.after, first.where, first.limit = rules.Create, path, nil, fields, nil, 0
	out := []*world{first}
	for _, known := range a.worlds {
		if known.method != rules.Create && known.method != rules.Update || collectionOf(strings.Join(known.path, "/")) != collectionOf(strings.Join(path, "/")) {
			continue
		}
		like := known.clone()
		like.path, like.uid, like.claims = path, w.uid, w.claims
		for key, v := range fields {
			like.after = like.after.Set(value.FieldPath{key}, v)
		}
		out = append(out, like)
	}
	return out
}

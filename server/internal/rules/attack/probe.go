package attack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"clave/server/internal/base/pattern"
	"clave/server/internal/model/value"
	"clave/server/internal/rules"
)

// Kinds describes the kinds of findings.
var Kinds = map[string]string{
	"anyone":           "Requests without a user are allowed.",
	"any-user":         "A user whom nothing connects with the document may get, list, update or delete it.",
	"any-collection":   "A collection that no rule names is open.",
	"takeover":         "A document of another user may be written in one's own name.",
	"owner-forged":     "A document may be written in another user's name.",
	"self-granted":     "Users may set, in their own document, a field by which rules give rights.",
	"unknown-field":    "Fields that the rules do not know may be set.",
	"type-unchecked":   "A field may have another type.",
	"size-unchecked":   "A text may have 100,000 characters.",
	"time-forged":      "A field such as createdAt may have any time.",
	"email-unverified": "An address that is not verified counts.",
	"query-widened":    "A query without its conditions or its limit is allowed.",
	"number-unchecked": "A number may have any value, also by increments.",
	"other-tenant":     "A user of another tenant may do what rules bind to one.",
	"collection-group": "A list may be widened to all collections of that name, wherever they are.",
	"lookup-bomb":      "Requests without a user make the rules look up several documents, each of which is billed.",
	"two-writes":       "A user may write first what gives a right, and then use the right.",
	"unreached":        "No request was found that the statement allows.",
}

// stamp matches the names of fields whose time should be that of the request.
var stamp = pattern.New(`(?i)^(created|updated|modified|changed|sent|posted)(_?(at|on|time|date))?$`)

// longText is the length of a text that rules should refuse.
const longText = 100_000

// probe changes a request that the rules allow. What anyone may do anyhow is no further finding.
func (a *attack) probe(ctx context.Context, w *world) {
	a.fields(ctx, w)
	a.bomb(ctx, w)
	a.steps(ctx, w)
	nobody := w.clone()
	nobody.uid, nobody.claims = "", nil
	if a.try(ctx, nobody, "anyone", "", "nobody is signed in") {
		a.collection(ctx, nobody)
		return
	}
	if w.method == rules.List {
		a.widen(ctx, w)
		a.widenGroup(ctx, w)
	}
	if a.anyUser(ctx, w) {
		return
	}
	a.owners(ctx, w)
	a.collection(ctx, w)
	a.unverified(ctx, w)
	a.otherTenant(ctx, w)
}

// anyUser asks as a stranger, except for new documents, which users may often create.
func (a *attack) anyUser(ctx context.Context, w *world) bool {
	if w.method == rules.Create || w.uid == "" {
		return false
	}
	other := w.clone()
	other.uid, other.claims = stranger, claimsOf(stranger, "anonymous", false)
	delete(other.claims, "email")
	if !a.try(ctx, other, "any-user", "", "the user is another one, signed in anonymously") {
		return false
	}
	a.collection(ctx, other)
	return true
}

// owned returns the fields whose value is the user's id.
func owned(fields value.Map, uid string) []string {
	return slices.DeleteFunc(value.SortedKeys(fields), func(key string) bool {
		return uid == "" || !value.Equal(fields[key], value.String(uid))
	})
}

// owners changes whose document is written.
func (a *attack) owners(ctx context.Context, w *world) {
	// Documents such as that of a role may give the user the right to take over documents.
	if w.method == rules.Update && len(w.docs) == 0 {
		for _, key := range owned(w.before, w.uid) {
			other := w.clone()
			other.before = w.before.Set(value.FieldPath{key}, value.String(victim))
			a.try(ctx, other, "takeover", key, fmt.Sprintf("%s was another user's before", key))
		}
	}
	if w.after == nil {
		return
	}
	for _, r := range a.learned.owners {
		key := r.field
		if _, has := w.after[key]; !has || w.uid == "" || r.collection != collectionOf(strings.Join(w.path, "/")) {
			continue
		}
		other := w.clone()
		other.after = w.after.Set(value.FieldPath{key}, value.String(victim))
		a.try(ctx, other, "owner-forged", key, fmt.Sprintf("%s is another user", key))
	}
	a.grant(ctx, w)
}

// grant sets fields by which rules give rights, in a document of the user.
func (a *attack) grant(ctx context.Context, w *world) {
	if w.uid == "" || !slices.Contains(w.path, w.uid) {
		return
	}
	for _, r := range a.learned.rights {
		if r.collection != collectionOf(strings.Join(w.path, "/")) {
			continue
		}
		if old, ok := w.before.Get(value.FieldPath{r.field}); ok && value.Equal(old, r.value) {
			if w.method == rules.Create {
				continue
			}
			other := w.clone()
			other.before = w.before.Delete(value.FieldPath{r.field})
			other.after = w.after.Set(value.FieldPath{r.field}, r.value)
			a.try(ctx, other, "self-granted", r.field, r.field+" gives rights")
			continue
		}
		other := w.clone()
		other.after = w.after.Set(value.FieldPath{r.field}, r.value)
		a.try(ctx, other, "self-granted", r.field, r.field+" gives rights")
	}
}

// fields changes what is written.
func (a *attack) fields(ctx context.Context, w *world) {
	if w.after == nil {
		return
	}
	change := func(key string, to value.Value, kind, what string) bool {
		other := w.clone()
		other.after = w.after.Set(value.FieldPath{key}, to)
		return a.try(ctx, other, kind, key, what)
	}
	change("attackExtra", value.Bool(true), "unknown-field", "a further field attackExtra is written")
	for _, key := range value.SortedKeys(w.after) {
		old := w.after[key]
		if w.uid != "" && value.Equal(old, value.String(w.uid)) {
			continue // owners changes it
		}
		if change(key, otherType(old), "type-unchecked", key+" has another type") {
			continue
		}
		switch old.(type) {
		case value.String:
			change(key, value.String(strings.Repeat("a", longText)), "size-unchecked", fmt.Sprintf("%s has %d characters", key, longText))
		case value.Array:
			change(key, longList(), "size-unchecked", fmt.Sprintf("%s has %d elements, as by arrayUnion", key, longArray))
		case value.Int, value.Double:
			a.number(ctx, w, key)
		case value.Timestamp:
			if value.Equal(old, now) && stamp.MatchString(key) {
				change(key, value.Timestamp{Seconds: 0}, "time-forged", key+" is long ago")
			}
		}
	}
}

// collection asks for a document of a collection that no rule names.
func (a *attack) collection(ctx context.Context, w *world) {
	other := w.clone()
	other.path[0] = "attackUnknown"
	a.try(ctx, other, "any-collection", "", "the collection is attackUnknown")
}

// unverified asks with an address that is not verified, if the rules need one.
func (a *attack) unverified(ctx context.Context, w *world) {
	if w.uid == "" {
		return
	}
	without := w.clone()
	without.claims = w.claims.Set(value.FieldPath{"email"}, value.String("other@example.org"))
	if without.allowed(ctx, a.ruleset) {
		return
	}
	other := w.clone()
	other.claims = w.claims.Set(value.FieldPath{"email_verified"}, value.Bool(false))
	a.try(ctx, other, "email-unverified", "", "the address of the user is not verified")
}

// widen leaves out conditions and the limit of a list.
func (a *attack) widen(ctx context.Context, w *world) {
	for i := range w.where {
		other := w.clone()
		other.where = slices.Delete(slices.Clone(w.where), i, i+1)
		a.try(ctx, other, "query-widened", w.where[i].path.String(), "the condition on "+w.where[i].path.String()+" is left out")
	}
	if w.limit > 0 {
		other := w.clone()
		other.limit = 0
		a.try(ctx, other, "query-widened", "limit", "the limit is left out")
	}
}

package attack

import (
	"context"
	"slices"
	"strings"

	"clave/server/internal/model/value"
	"clave/server/internal/rules"
	"clave/server/internal/rules/check"
	"clave/server/internal/rules/eval"
	"clave/server/internal/rules/syntax"
)

// maxRepairs is the maximum number of changes to a request until it is allowed, and maxPicks the number of attempts
// with other alternatives of disjunctions and lists.
const (
	maxRepairs = 80
	maxPicks   = 4
)

// solver changes a world so that a statement allows its request.
type solver struct {
	ruleset   *rules.Ruleset
	statement *rules.AllowStatement
	// world is the request; segments maps the slots of captured names to segments of its path.
	world    *world
	segments map[int]int
	// pick chooses between alternatives.
	pick int
	// learned receives what rules compare fields with.
	learned *learned
}

// learned is what the search for requests has shown about the rules.
type learned struct {
	// rights are the fields of documents that rules look up.
	rights []right
	// owners are the fields that rules compare with the user's id.
	owners []right
}

// right is a field of a collection's documents, with the value that rules want.
type right struct {
	collection string
	field      string
	value      value.Value
}

// seed returns a request that a statement allows, or nil if none is found.
func seed(ctx context.Context, r *rules.Ruleset, s *rules.AllowStatement, m rules.Method, l *learned) *world {
	for pick := range maxPicks {
		v := &solver{ruleset: r, statement: s, pick: pick, learned: l}
		if v.begin(m) && v.solve(ctx) {
			return v.world
		}
	}
	return nil
}

// begin makes the first request: of a signed-in user, for a document without fields.
func (v *solver) begin(m rules.Method) bool {
	w := &world{method: m, uid: user, claims: claimsOf(user, "password", true), docs: make(map[string]value.Map)}
	v.segments = make(map[int]int)
	slot := v.statement.Captured
	for _, s := range v.statement.Path {
		switch s.Kind {
		case syntax.Literal:
			w.path = append(w.path, s.Text)
			continue
		case syntax.Capture:
			v.segments[slot] = len(w.path)
			w.path = append(w.path, s.Text+"1")
		case syntax.Glob:
			w.path = append(w.path, s.Text+"1")
			if len(w.path)%2 == 1 {
				w.path = append(w.path, s.Text+"2")
			}
		}
		slot++
	}
	if len(w.path) == 0 || len(w.path)%2 == 1 {
		return false // no document has such a path
	}
	if m != rules.Create {
		w.before = value.Map{}
	}
	if m == rules.Create || m == rules.Update {
		w.after = value.Map{}
	}
	v.world = w
	return true
}

// solve changes the request until it is allowed.
func (v *solver) solve(ctx context.Context) bool {
	for range maxRepairs {
		x := v.world.decide(ctx, v.ruleset)
		if x == nil {
			return false
		}
		if x.Allowed {
			return true
		}
		i := slices.IndexFunc(x.Statements, func(s rules.ExplainedStatement) bool {
			return s.Condition != nil && s.Condition.Expr() == v.statement.Condition
		})
		if i < 0 || !v.repair(node{x.Statements[i].Condition, nil}, true) {
			return false
		}
	}
	return false
}

// node is an evaluated expression with the values of the names of the function around it.
type node struct {
	*rules.Evaluated
	locals []node
}

// children returns the expressions that were evaluated for n in the same function.
func (n node) children() []node {
	out := make([]node, len(n.Children))
	for i, c := range n.Children {
		out[i] = node{c, n.locals}
	}
	return out
}

// called returns the result of the declared function that n calls. ok is false if n calls none.
func (v *solver) called(n node) (result node, ok bool) {
	call, is := n.Expr().(*syntax.Call)
	if !is {
		return node{}, false
	}
	f := v.ruleset.Function(call)
	if f == nil || len(n.Children) < len(f.Params)+len(f.Lets)+1 {
		return node{}, false
	}
	locals := n.children()[:len(f.Params)]
	for i := range f.Lets {
		locals = append(slices.Clone(locals), node{n.Children[len(f.Params)+i], locals})
	}
	return node{n.Children[len(n.Children)-1], locals}, true
}

// repair changes the request so that a condition becomes true or false. It reports whether it has changed anything.
func (v *solver) repair(n node, want bool) bool { // long: one case a node
	if result, ok := v.called(n); ok {
		return v.repair(result, want)
	}
	all := v.operands(n)
	switch x := n.Expr().(type) {
	case *syntax.Unary:
		if x.Op == syntax.Not && len(all) == 1 {
			return v.repair(all[0], !want)
		}
	case *syntax.Cond:
		if len(all) > 1 && v.repair(all[len(all)-1], want) {
			return true
		}
		return len(all) > 0 && v.repair(all[0], isFalse(all[0]))
	case *syntax.Binary:
		switch x.Op {
		case syntax.And, syntax.Or:
			return v.logical(x.Op, all, want)
		}
		if len(all) == 1 { // the other operand was not evaluated, because this one has no value
			return v.assign(all[0], value.String("text"))
		}
		switch x.Op {
		case syntax.In:
			return len(all) == 2 && v.within(all[0], all[1], want)
		default:
			return len(all) == 2 && v.compare(x.Op, all[0], all[1], want)
		}
	case *syntax.Is:
		sample := sampleOf(x.Type.Text)
		if !want && len(all) == 1 {
			sample = otherType(all[0].Result())
		}
		return sample != nil && len(all) == 1 && v.assign(all[0], sample)
	case *syntax.Method:
		return v.method(x, all, want)
	case *syntax.Call:
		if (x.Name.Text == "exists" || x.Name.Text == "existsAfter") && len(all) == 1 {
			return v.exist(all[0], want)
		}
		if x.Name.Text == "debug" && len(all) == 1 {
			return v.repair(all[0], want)
		}
	}
	return v.assign(n, value.Bool(want))
}

// operands returns the operands of an expression: those that were evaluated, and literals that were not, because an
// operand before them has no value.
func (v *solver) operands(n node) []node {
	all := n.children()
	rest := syntax.Children(n.Expr())
	switch x := n.Expr().(type) {
	case *syntax.Binary:
		if x.Op == syntax.And || x.Op == syntax.Or {
			return all
		}
	case *syntax.Method:
	default:
		return all
	}
	for len(all) > 0 && len(all) < len(rest) {
		literal := rules.Literal(rest[len(all)])
		if literal == nil {
			break
		}
		all = append(all, node{literal, nil})
	}
	return all
}

// isFalse reports whether an expression is false.
func isFalse(n node) bool { return n.Result() == value.Bool(false) }

// logical repairs the operands of a conjunction or a disjunction.
func (v *solver) logical(op syntax.Op, all []node, want bool) bool {
	wrong := slices.DeleteFunc(slices.Clone(all), func(n node) bool {
		return n.Result() == value.Bool(want)
	})
	if len(wrong) == 0 {
		return false
	}
	if (op == syntax.And) == want {
		return v.repair(wrong[0], want) // all operands count
	}
	for i := range wrong {
		if v.repair(wrong[(i+v.pick)%len(wrong)], want) {
			return true
		}
	}
	return false
}

// within repairs x in list.
func (v *solver) within(x, list node, want bool) bool {
	if !want {
		return v.assign(x, value.String("other"))
	}
	var items []value.Value
	switch l := list.Result().(type) {
	case value.Array:
		items = l
	case *eval.Set:
		items = l.Items()
	case value.Map:
		for _, key := range value.SortedKeys(l) {
			items = append(items, value.String(key))
		}
	}
	for i := range items {
		if v.assign(x, items[(i+v.pick)%len(items)]) {
			return true
		}
	}
	item, ok := plainValue(x.Result())
	if m, isMethod := list.Expr().(*syntax.Method); isMethod && m.Name.Text == "keys" {
		if key, text := item.(value.String); text && len(list.Children) > 0 {
			return v.key(list.children()[0], string(key))
		}
	}
	if _, isMap := list.Result().(value.Map); isMap && ok {
		if key, text := item.(value.String); text {
			return v.key(list, string(key))
		}
	}
	return ok && v.assign(list, append(value.Array(slices.Clone(items)), item))
}

// key adds a member to a map.
func (v *solver) key(m node, key string) bool {
	at, ok := v.locate(m)
	return ok && v.set(at.member(key), value.String("text"))
}

// plainValue returns a value that a document may have. It returns false for other values of rules.
func plainValue(x eval.Value) (value.Value, bool) {
	switch x.(type) {
	case value.Null, value.Bool, value.Int, value.Double, value.String, value.Bytes, value.Timestamp, value.GeoPoint, value.Array, value.Map:
		return x, true
	}
	return nil, false
}

// compare repairs a comparison.
func (v *solver) compare(op syntax.Op, x, y node, want bool) bool {
	switch op {
	case syntax.Equal, syntax.NotEqual:
		if (op == syntax.Equal) == want {
			return v.equate(x, y)
		}
		return v.differ(x, y) || v.differ(y, x)
	case syntax.Less, syntax.LessEqual, syntax.Greater, syntax.GreaterEqual:
		below := (op == syntax.Less || op == syntax.LessEqual) == want
		return v.order(x, y, below) || v.order(y, x, !below)
	}
	return false
}

// equate makes two expressions equal: the first one that can be changed takes the other's value.
func (v *solver) equate(x, y node) bool {
	if to, ok := plainValue(y.Result()); ok && v.assign(x, to) {
		return true
	}
	if to, ok := plainValue(x.Result()); ok && v.assign(y, to) {
		return true
	}
	sample := value.String("text")
	return v.assign(y, sample) && v.assign(x, sample)
}

// differ gives x another value than y's.
func (v *solver) differ(x, y node) bool {
	switch y.Result().(type) {
	case value.Null:
		if _, is := y.Expr().(*syntax.NullLit); !is {
			return false
		}
		return v.assign(x, value.String("text"))
	case value.String:
		return v.assign(x, value.String("other"))
	}
	if other, ok := plainValue(y.Result()); ok {
		return v.assign(x, otherType(other))
	}
	return false
}

// order gives x a value below or above y's.
func (v *solver) order(x, y node, below bool) bool {
	step := int64(1)
	if below {
		step = -1
	}
	switch to := y.Result().(type) {
	case value.Int:
		return v.assign(x, to+value.Int(step))
	case value.Double:
		return v.assign(x, to+value.Double(step))
	case value.Timestamp:
		to.Seconds += step
		return v.assign(x, to)
	}
	return false
}

// method repairs a call of a method.
func (v *solver) method(x *syntax.Method, all []node, want bool) bool {
	name := x.Name.Text
	if len(all) != 2 {
		return v.assignSelf(x, all, want)
	}
	receiver, arg := all[0], all[1]
	if name == "matches" {
		pattern, ok := arg.Result().(value.String)
		sample := matching(string(pattern))
		return ok && want && sample != nil && v.assign(receiver, sample)
	}
	list, ok := arg.Result().(value.Array)
	if set, is := arg.Result().(*eval.Set); is {
		list, ok = set.Items(), true
	}
	if !ok {
		return v.assignSelf(x, all, want)
	}
	switch name {
	case "hasAll", "hasAny":
		if !want {
			return v.withoutKeys(receiver, func(key string) bool { return slices.Contains(list, eval.Value(value.String(key))) })
		}
		return v.withKeys(receiver, list, name == "hasAny")
	case "hasOnly":
		return want && v.withoutKeys(receiver, func(key string) bool { return !slices.Contains(list, eval.Value(value.String(key))) })
	}
	return false
}

// assignSelf repairs a method without a case of its own, such as get(key, default).
func (v *solver) assignSelf(x *syntax.Method, all []node, want bool) bool {
	if x.Name.Text != "get" || len(all) == 0 {
		return false
	}
	at, ok := v.locateMethod(x, all)
	return ok && v.set(at, value.Bool(want))
}

// keysOf returns the node whose keys a node has, the map or the difference. diff is set for a difference, and ok is
// false for other nodes.
func keysOf(n node) (of node, diff bool, ok bool) {
	m, is := n.Expr().(*syntax.Method)
	if !is || len(n.Children) == 0 {
		return node{}, false, false
	}
	switch m.Name.Text {
	case "keys":
		return n.children()[0], false, true
	case "affectedKeys", "changedKeys", "addedKeys":
		inner := n.children()[0]
		if d, is := inner.Expr().(*syntax.Method); is && d.Name.Text == "diff" && len(inner.Children) == 2 {
			return inner, true, true
		}
	case "toSet":
		return keysOf(n.children()[0])
	}
	return node{}, false, false
}

// withKeys adds items to a list, or members to a map: all of them, or one.
func (v *solver) withKeys(n node, list value.Array, one bool) bool {
	of, diff, ok := keysOf(n)
	if !ok {
		return v.assign(n, list)
	}
	if diff {
		of = of.children()[0]
	}
	at, ok := v.locate(of)
	if !ok {
		return false
	}
	changed := false
	for _, item := range list {
		key, text := item.(value.String)
		if !text || !diff && v.has(at.member(string(key))) {
			continue
		}
		// The difference of an update needs another value than before; its rule names it later.
		sample := value.String("text")
		if diff {
			sample = "changed"
		}
		changed = v.put(at.member(string(key)), sample, diff) || changed
		if one && changed {
			return true
		}
	}
	return changed
}

// withoutKeys removes members from a map, or takes back changes of a difference.
func (v *solver) withoutKeys(n node, unwanted func(key string) bool) bool {
	of, diff, ok := keysOf(n)
	if !ok {
		return false
	}
	if diff {
		of = of.children()[0]
	}
	at, ok := v.locate(of)
	if !ok || at.base != afterData {
		return false
	}
	changed := false
	fields := v.world.after
	for _, key := range value.SortedKeys(fields) {
		if !unwanted(key) || len(at.path) > 0 {
			continue
		}
		old, had := v.world.before[key]
		switch {
		case !diff && !had, diff && !had:
			v.world.after = v.world.after.Delete(value.FieldPath{key})
		case !diff:
			v.world.after = v.world.after.Delete(value.FieldPath{key})
			v.world.before = v.world.before.Delete(value.FieldPath{key})
		case !value.Identical(old, fields[key]):
			v.world.after = v.world.after.Set(value.FieldPath{key}, old)
		default:
			continue
		}
		changed = true
	}
	return changed
}

// exist creates or removes the document at a path.
func (v *solver) exist(path node, want bool) bool {
	name, ok := documentOf(path.Result())
	if !ok {
		return v.signIn()
	}
	_, has := v.world.docs[name]
	switch {
	case want && !has:
		v.world.docs[name] = value.Map{}
		return true
	case !want && has:
		delete(v.world.docs, name)
		return true
	}
	return false
}

// signIn signs the user in, if nobody is: a path without a value may have the user's id.
func (v *solver) signIn() bool {
	if v.world.uid != "" {
		return false
	}
	v.world.uid, v.world.claims = user, claimsOf(user, "password", true)
	return true
}

// documentOf returns the path of a document in the database. It returns false for other values.
func documentOf(v eval.Value) (string, bool) {
	p, ok := v.(*eval.Path)
	if !ok {
		return "", false
	}
	parts := strings.Split(strings.TrimPrefix(p.String(), "/"), "/")
	if len(parts) < 5 || len(parts)%2 == 0 {
		return "", false
	}
	return strings.Join(parts[3:], "/"), true
}

// kindOf returns the kind of the declaration of a name.
func (v *solver) kindOf(x *syntax.Ident) check.Name { return v.ruleset.Name(x) }

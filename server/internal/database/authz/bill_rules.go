package authz

import (
	"slices"

	"clave/server/internal/model/resource"
	"clave/server/internal/observe/usage"
	"clave/server/internal/rules"
)

// ruled is what the rules have decided about a call.
type ruled struct {
	// path is that of the document; empty for queries and in pipelines, whose decisions by one rule are added up.
	path    string
	rule    usage.Rule
	lookups int64
	denied  int64
}

// ruleOf returns the rule that decided: the statement that allowed, or the last one that was evaluated.
func ruleOf(d *rules.Decision) usage.Rule {
	if len(d.Statements) == 0 {
		return usage.Rule{Match: usage.NoRule}
	}
	s := &d.Statements[len(d.Statements)-1]
	return usage.Rule{Line: s.Line, Match: s.Match()}
}

// decided notes a decision about a document, or with an empty path about a query. The documents that have been looked
// up since the decision before are its lookups.
func (b *bill) decided(path string, d *rules.Decision) {
	if b == nil || !b.detailed {
		return
	}
	r := ruled{path: path, rule: ruleOf(d), lookups: b.unattributed()}
	if !d.Allowed {
		r.denied = 1
	}
	if b.row.Call == "pipeline" {
		r.path = ""
	}
	b.last, b.attributed = r.rule, b.attributed+r.lookups
	if r.path == "" {
		i := slices.IndexFunc(b.decisions, func(o ruled) bool { return o.path == "" && o.rule == r.rule })
		if i >= 0 {
			b.decisions[i].lookups += r.lookups
			b.decisions[i].denied += r.denied
			return
		}
	}
	b.decisions = append(b.decisions, r)
}

// restart forgets the decisions, because the call is decided again. Its lookups remain.
func (b *bill) restart() {
	if b != nil {
		b.decisions, b.attributed, b.last = b.decisions[:0], 0, usage.Rule{}
	}
}

// unattributed returns the number of lookups that belong to no decision.
func (b *bill) unattributed() int64 { return int64(len(b.lookups)) - b.attributed }

// whole returns the counts of a call that has one row, without what it has read, and completes the row's key by the
// rule.
func (b *bill) whole() usage.Counts {
	c := usage.Counts{Calls: 1, Lookups: int64(len(b.lookups))}
	for i := range b.decisions {
		c.Denials += b.decisions[i].denied
	}
	b.row.Rule = b.last
	return c
}

// eachOf counts a call about documents, of which name returns the path of each: what the rules have looked up and
// denied, and then, by add, each of the first n documents. Neighbors of one collection and rule are added at once.
func (b *bill) eachOf(first resource.Document, n int, name func(i int) resource.Document, add func(i int, c *usage.Counts)) {
	x := documentCounts{bill: b, collection: parentOf(first)}
	if len(b.decisions) > 0 {
		x.collection, x.rule = parentOf(resource.Document{Path: b.decisions[0].path}), b.decisions[0].rule
	}
	x.counts = usage.Counts{Calls: 1, Lookups: b.unattributed()}
	for i := range b.decisions {
		d := &b.decisions[i]
		if d.lookups+d.denied > 0 {
			c := x.of(parentOf(resource.Document{Path: d.path}), d.rule)
			c.Lookups, c.Denials = c.Lookups+d.lookups, c.Denials+d.denied
		}
	}
	for i := range n {
		d := name(i)
		add(i, x.of(parentOf(d), x.ruleFor(d.Path)))
	}
	x.flush()
}

// documentCounts adds up the counts of neighboring documents of one collection and rule.
type documentCounts struct {
	bill       *bill
	collection string
	rule       usage.Rule
	counts     usage.Counts
	// next is the index of the decision that is expected for the next document.
	next int
}

// ruleFor returns the rule that decided about a document.
func (x *documentCounts) ruleFor(path string) usage.Rule {
	all := x.bill.decisions
	for range all {
		if x.next >= len(all) {
			x.next = 0
		}
		d := &all[x.next]
		x.next++
		if d.path == path {
			return d.rule
		}
	}
	return usage.Rule{}
}

// of returns the counts of a collection and a rule.
func (x *documentCounts) of(collection string, rule usage.Rule) *usage.Counts {
	if collection != x.collection || rule != x.rule {
		x.flush()
		x.collection, x.rule, x.counts = collection, rule, usage.Counts{}
	}
	return &x.counts
}

// flush adds the counts to their row.
func (x *documentCounts) flush() {
	if x.counts == (usage.Counts{}) {
		return
	}
	row := x.bill.row
	row.Rule = x.rule
	x.bill.usage.AddTo(x.bill.project, row, x.collection, &x.counts)
}

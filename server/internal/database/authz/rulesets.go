package authz

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"clave/server/internal/auth/token"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// RulesetsOptions configure Rulesets. The zero value is for production.
type RulesetsOptions struct {
	// Open allows everything in databases without ruleset. It is for development only; without it only privileged
	// callers have access to them.
	Open bool
	// Detail adds the denying rule to denials, as the official emulator does. It is for development only: the text
	// quotes data that the rules read.
	Detail bool
	// Explain adds to denials of Detail, as a last line, the reason in one sentence with the values that decided.
	Explain bool
	// Debug receives the calls of debug() in rules; nil receives nothing. It is for development only, like Detail.
	Debug func(db resource.Database, line int, value string)
	// Served reports whether a database is served to clients. One that is not has no rules but its own, so that a copy
	// of a database is closed until the configuration names it. If it is nil, all are.
	Served func(resource.Database) bool
	// Cover counts the values of each expression of the rules, and keeps the latest decisions for the request monitor.
	// It costs time and memory.
	Cover bool
}

// Rulesets holds the rulesets in force: of a database, of a project, or of all. It is safe for concurrent use.
type Rulesets struct {
	o       RulesetsOptions
	monitor *Monitor
	denials Denials
	mu      struct {
		sync.RWMutex
		all       *rules.Ruleset
		projects  map[string]*rules.Ruleset
		databases map[resource.Database]*rules.Ruleset
		// sums holds the checksums of the texts in force, by scope.
		sums map[resource.Database][sha256.Size]byte
		// digest is a checksum of sums; empty if they have changed since it was computed.
		digest string
		// within runs each replacement; nil runs it as it is.
		within func(replace func())
		// changed holds the functions that are called after a ruleset was replaced, without the lock.
		changed []func()
	}
}

// NewRulesets returns Rulesets without rules.
func NewRulesets(o RulesetsOptions) *Rulesets {
	b := &Rulesets{o: o, monitor: newMonitor()}
	b.mu.projects = make(map[string]*rules.Ruleset)
	b.mu.databases = make(map[resource.Database]*rules.Ruleset)
	b.mu.sums = make(map[resource.Database][sha256.Size]byte)
	b.mu.digest = digestOf(b.mu.sums)
	return b
}

// Replace compiles rules and puts them in force for one database of a project. An empty database means all databases of
// the project without rules of their own, and with an empty project all projects. Replace returns all issues of the
// text; if one of them is an error, nothing changes.
func (b *Rulesets) Replace(project, database, source string) []rules.Issue {
	ruleset, issues := rules.Compile(source)
	if ruleset == nil {
		return issues
	}
	if b.o.Cover {
		ruleset.Cover()
	}
	b.mu.RLock()
	within := b.mu.within
	b.mu.RUnlock()
	replace := func() { b.put(project, database, sha256.Sum256([]byte(source)), ruleset) }
	if within != nil {
		within(replace)
	} else {
		replace()
	}
	b.tell()
	return issues
}

// Remove removes the rules of one database, which no client uses any more.
func (b *Rulesets) Remove(project, database string) {
	db := resource.Database{Project: project, ID: database}
	b.mu.Lock()
	delete(b.mu.databases, db)
	delete(b.mu.sums, db)
	b.mu.digest = digestOf(b.mu.sums)
	b.mu.Unlock()
	b.tell()
}

// tell calls the functions of onChange.
func (b *Rulesets) tell() {
	b.mu.RLock()
	changed := slices.Clone(b.mu.changed)
	b.mu.RUnlock()
	for _, f := range changed {
		f()
	}
}

// put puts a ruleset in force.
func (b *Rulesets) put(project, database string, sum [sha256.Size]byte, ruleset *rules.Ruleset) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.sums[resource.Database{Project: project, ID: database}] = sum
	b.mu.digest = ""
	switch {
	case project == "":
		b.mu.all = ruleset
	case database == "":
		b.mu.projects[project] = ruleset
	default:
		b.mu.databases[resource.Database{Project: project, ID: database}] = ruleset
	}
}

// Within registers a function that runs each further replacement: it calls replace once, before it returns.
func (b *Rulesets) Within(run func(replace func())) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.within = run
}

// Digest identifies the rules in force: nodes with the same rules have the same digest.
func (b *Rulesets) Digest() string {
	b.mu.RLock()
	digest := b.mu.digest
	b.mu.RUnlock()
	if digest != "" {
		return digest
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.digest = digestOf(b.mu.sums)
	return b.mu.digest
}

// forget removes the rules of a project, and its recorded decisions and denials.
func (b *Rulesets) forget(project string) {
	of := func(db resource.Database) bool { return db.Project == project }
	b.mu.Lock()
	delete(b.mu.projects, project)
	maps.DeleteFunc(b.mu.databases, func(db resource.Database, _ *rules.Ruleset) bool { return of(db) })
	maps.DeleteFunc(b.mu.sums, func(db resource.Database, _ [sha256.Size]byte) bool { return of(db) })
	b.mu.digest = ""
	b.mu.Unlock()
	b.monitor.forget(of)
	b.denials.forget(of)
}

// digestOf returns a checksum of checksums by scope.
func digestOf(sums map[resource.Database][sha256.Size]byte) string {
	all := sha256.New()
	for _, scope := range sortedDatabases(maps.Keys(sums)) {
		sum := sums[scope]
		fmt.Fprintf(all, "%q %q %x\n", scope.Project, scope.ID, sum)
	}
	return hex.EncodeToString(all.Sum(nil))
}

// sortedDatabases returns databases in order.
func sortedDatabases(all iter.Seq[resource.Database]) []resource.Database {
	return slices.SortedFunc(all, func(x, y resource.Database) int {
		return resource.CompareDocuments(resource.Document{DB: x}, resource.Document{DB: y})
	})
}

// onChange registers a function that is called after each replacement.
func (b *Rulesets) onChange(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.changed = append(b.mu.changed, f)
}

// of returns the ruleset in force for a database, or nil.
func (b *Rulesets) of(db resource.Database) *rules.Ruleset {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if r := b.mu.databases[db]; r != nil {
		return r
	}
	if b.o.Served != nil && !b.o.Served(db) {
		return nil
	}
	if r := b.mu.projects[db.Project]; r != nil {
		return r
	}
	return b.mu.all
}

// Coverage returns the coverage report of a project's rules as JSON, in the official emulator's form; ok is false when
// the project has no rules.
func (b *Rulesets) Coverage(project string) (report []byte, ok bool) {
	r := b.of(resource.Database{Project: project, ID: resource.DefaultDatabase})
	if r == nil {
		return nil, false
	}
	return r.CoverageJSON(), true
}

// CoverageHTML returns the coverage report of a project's rules as a page.
func (b *Rulesets) CoverageHTML(project string) (page []byte, ok bool) {
	r := b.of(resource.Database{Project: project, ID: resource.DefaultDatabase})
	if r == nil {
		return nil, false
	}
	return r.CoverageHTML(), true
}

// Ruleset returns the rules in force for a database, or nil, and their scope: "database", "project" or "all".
func (b *Rulesets) Ruleset(db resource.Database) (r *rules.Ruleset, scope string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if r := b.mu.databases[db]; r != nil {
		return r, "database"
	}
	if b.o.Served != nil && !b.o.Served(db) {
		return nil, "database"
	}
	if r := b.mu.projects[db.Project]; r != nil {
		return r, "project"
	}
	return b.mu.all, "all"
}

// Open reports whether everything is allowed in databases without rules.
func (b *Rulesets) Open() bool { return b.o.Open }

// Monitor returns the request monitor.
func (b *Rulesets) Monitor() *Monitor { return b.monitor }

// Denials returns the latest denials.
func (b *Rulesets) Denials() *Denials { return &b.denials }

// Databases returns the databases that have rules of their own.
func (b *Rulesets) Databases() []resource.Database {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return sortedDatabases(maps.Keys(b.mu.databases))
}

// applies reports whether rules apply to a caller in a database.
func (az *Authorizer) applies(c token.Caller, db resource.Database) bool {
	if c.Privileged {
		return false
	}
	return !az.rules.o.Open || az.rules.of(db) != nil
}

// concerned reports whether a call needs an access: because rules apply to the caller, or because the request monitor,
// which shows privileged calls too, has watchers. Privileged calls are not kept for later watchers, so that they cost
// nothing without watchers, and the console's own calls are not shown.
func (az *Authorizer) concerned(c token.Caller, db resource.Database) bool {
	return az.applies(c, db) || c.Privileged && c.Journal == nil && az.rules.o.Cover && az.rules.monitor.watched() && az.rules.of(db) != nil
}

package projectfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
	"clave/server/internal/store/release"
)

// LoadRules reads the rules files and puts them in force. It returns an error if one has errors.
func (p *Project) LoadRules(rulesets *authz.Rulesets) error {
	for _, d := range p.Databases {
		if d.RulesFile == "" {
			continue
		}
		issues, err := p.load(rulesets, d)
		if err != nil {
			return err
		}
		if rules.HasErrors(issues) {
			return rulesError(d.RulesFile, issues)
		}
	}
	return nil
}

// PutInForce puts the rules of released files in force. It returns an error if some have errors.
func (p *Project) PutInForce(rulesets *authz.Rulesets, files release.Files) error {
	for id, d := range files {
		if d.Rules == nil {
			continue
		}
		if issues := p.replace(rulesets, id, d.Rules.Text); rules.HasErrors(issues) {
			return rulesError(d.Rules.Name, issues)
		}
	}
	return nil
}

// Follow puts the rules of a whole release in force, and removes those of databases of which it has none, such as one
// that was deleted.
func (p *Project) Follow(rulesets *authz.Rulesets, files release.Files) error {
	for _, db := range rulesets.Databases() {
		if db.Project == p.ID && files[db.ID].Rules == nil {
			p.RemoveRules(rulesets, db.ID)
		}
	}
	return p.PutInForce(rulesets, files)
}

// RemoveRules removes the rules of a database that was made while the server ran.
func (p *Project) RemoveRules(rulesets *authz.Rulesets, id string) { rulesets.Remove(p.ID, id) }

// ReloadRules reloads a rules file and reports the result, in production to log too. Rules with errors leave the old
// ones in force.
func (p *Project) ReloadRules(rulesets *authz.Rulesets, d release.Paths, log *slog.Logger) {
	if d.RulesFile == "" {
		return
	}
	issues, err := p.load(rulesets, d)
	if p.Production {
		log = log.With("file", d.RulesFile, "database", d.ID)
	} else {
		log = slog.New(slog.DiscardHandler)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !p.Production:
		return // between an editor's steps; the new file causes another event
	case err != nil:
		fmt.Fprintf(p.Notices, "Rules not changed: %s\n", fault.FromError(err).Message)
		log.Error("rules were not changed", "error", err)
	case rules.HasErrors(issues):
		lines := issueLines(d.RulesFile, issues)
		fmt.Fprintf(p.Notices, "Rules not changed:\n%s\n", lines)
		log.Error("rules were not changed", "error", lines)
	default:
		fmt.Fprintf(p.Notices, "Rules reloaded: %s\n", d.RulesFile)
		log.Info("rules reloaded")
	}
}

// load reads one rules file and puts it in force if it has no errors.
func (p *Project) load(rulesets *authz.Rulesets, d release.Paths) ([]rules.Issue, error) {
	f, err := read(d.RulesFile, remedyRules)
	if err != nil {
		return nil, err
	}
	return p.replace(rulesets, d.ID, f.Text), nil
}

// replace puts the rules of a database in force if they have no errors.
func (p *Project) replace(rulesets *authz.Rulesets, id, source string) []rules.Issue {
	if id == resource.DefaultDatabase {
		return rulesets.Replace("", "", source)
	}
	return rulesets.Replace(p.ID, id, source)
}

// rulesError returns the error for invalid rules.
func rulesError(file string, issues []rules.Issue) *fault.Error {
	return fault.E(fault.InvalidArgument, "%s\nCorrect the rules; clave rules check %s shows warnings too.", issueLines(file, issues), file)
}

// issueLines returns the issues, one a line, as file:line:column text.
func issueLines(file string, issues []rules.Issue) string {
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", file, issue.Span.Line, issue.Span.Column, issue.Text)
	}
	return strings.Join(lines, "\n")
}

// Check returns all errors in files, in the form in which a server reports them at its start, and remarks on members of
// indexes without an effect.
func Check(files release.Files) (remarks []string, err error) {
	var wrong []string
	for _, id := range slices.Sorted(maps.Keys(files)) {
		d := files[id]
		if d.Rules != nil {
			issues := authz.NewRulesets(authz.RulesetsOptions{}).Replace("", "", d.Rules.Text)
			if rules.HasErrors(issues) {
				wrong = append(wrong, rulesError(d.Rules.Name, issues).Message)
			}
		}
		if d.Indexes != nil {
			_, lines, err := parseIndexes(d.Indexes)
			if err != nil {
				wrong = append(wrong, fault.FromError(err).Message)
			}
			remarks = append(remarks, lines...)
		}
	}
	if len(wrong) > 0 {
		return remarks, fault.E(fault.InvalidArgument, "%s", strings.Join(wrong, "\n"))
	}
	return remarks, nil
}

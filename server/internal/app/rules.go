package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"clave/server/internal/app/config"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/process"
	"clave/server/internal/database/authz"
	"clave/server/internal/model/resource"
	"clave/server/internal/rules"
)

// quietPeriod is the time for which a rules file must be unchanged before it is reloaded, because editors write in
// several steps.
const quietPeriod = 50 * time.Millisecond

// loadRules compiles the rules files. In start mode the files are watched, databases without rules are open, and
// denials name the denying rule. In production they are reloaded only at SIGHUP, so that half-written rules do not come
// into force.
func (a *App) loadRules() (*authz.Rulesets, error) {
	development := !a.config.Production()
	if a.config.File == "" && !a.config.NoHub {
		fmt.Fprintln(a.o.Notices, "No firebase.json in this folder or above: rules are open to all, and there is no site")
	}
	rulesets := authz.NewRulesets(authz.RulesetsOptions{Open: development, Detail: development, Cover: development})
	if a.config.Store != "" {
		return rulesets, nil // the release of the store counts (openReleases)
	}
	watched := make(map[string]config.Database)
	for _, d := range a.config.Databases {
		if d.RulesFile == "" {
			continue
		}
		issues, err := a.loadRulesFile(rulesets, d)
		if err != nil {
			return nil, err
		}
		if rules.HasErrors(issues) {
			return nil, rulesError(d.RulesFile, issues)
		}
		watched[filepath.Clean(d.RulesFile)] = d
	}
	switch {
	case len(watched) == 0:
	case development:
		a.watchRules(watched, func(_ context.Context, d config.Database) { a.reloadRulesFile(rulesets, d) })
	default:
		a.run("reload", func(ctx context.Context) error {
			return process.Hangups(ctx, func() {
				for _, d := range a.config.Databases {
					a.reloadRulesFile(rulesets, d)
				}
			})
		})
	}
	return rulesets, nil
}

// loadRulesFile reads one rules file and puts it in force if it has no errors.
func (a *App) loadRulesFile(rulesets *authz.Rulesets, d config.Database) ([]rules.Issue, error) {
	f, err := readFile(d.RulesFile, remedyRules)
	if err != nil {
		return nil, err
	}
	return a.replaceRules(rulesets, d.ID, f.Text), nil
}

// remedyRules is the remedy for a rules file that can't be read.
const remedyRules = "Correct firestore.rules in firebase.json."

// replaceRules puts the rules of a database in force if they have no errors.
func (a *App) replaceRules(rulesets *authz.Rulesets, id, source string) []rules.Issue {
	if id == resource.DefaultDatabase {
		return rulesets.Replace("", "", source)
	}
	return rulesets.Replace(a.config.Project, id, source)
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

// watchRules reloads rules files when they change. For invalid rules it reports the errors and keeps the old ones. It
// watches folders, because editors replace files.
func (a *App) watchRules(files map[string]config.Database, reload func(context.Context, config.Database)) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		a.o.Log.Warn("rules files are not watched", "error", err)
		return
	}
	a.onClose(watcher.Close)
	for file := range files {
		if err := watcher.Add(filepath.Dir(file)); err != nil {
			a.o.Log.Warn("a rules file is not watched", "file", file, "error", err)
		}
	}
	a.run("rules watch", func(ctx context.Context) error {
		return a.followRules(ctx, watcher, files, reload)
	})
}

// followRules handles the watcher's events until ctx is done.
func (a *App) followRules(ctx context.Context, watcher *fsnotify.Watcher, files map[string]config.Database, reload func(context.Context, config.Database)) error {
	dirty := make(map[string]bool)
	var quiet <-chan time.Time
	stop := func() {}
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err, ok := <-watcher.Errors:
			if !ok {
				return nil
			}
			a.o.Log.Warn("watching rules files", "error", err)
		case event, ok := <-watcher.Events:
			if !ok {
				return nil
			}
			if name := filepath.Clean(event.Name); files[name].RulesFile != "" && !event.Has(fsnotify.Chmod) {
				// Every event restarts the quiet period, so an editor that writes in steps causes one reload.
				dirty[name] = true
				stop()
				quiet, stop = a.o.Clock.After(quietPeriod)
			}
		case <-quiet:
			for name := range dirty {
				reload(ctx, files[name])
			}
			clear(dirty)
		}
	}
}

// reloadRulesFile reloads a rules file and reports the result, in production in the log too.
func (a *App) reloadRulesFile(rulesets *authz.Rulesets, d config.Database) {
	issues, err := a.loadRulesFile(rulesets, d)
	switch {
	case errors.Is(err, os.ErrNotExist) && !a.config.Production():
		return // between an editor's steps; the new file causes another event
	case err != nil:
		fmt.Fprintf(a.o.Notices, "Rules not changed: %s\n", fault.FromError(err).Message)
		a.logReload("rules were not changed", d, err)
	case rules.HasErrors(issues):
		lines := issueLines(d.RulesFile, issues)
		fmt.Fprintf(a.o.Notices, "Rules not changed:\n%s\n", lines)
		a.logReload("rules were not changed", d, errors.New(lines))
	default:
		fmt.Fprintf(a.o.Notices, "Rules reloaded: %s\n", d.RulesFile)
		a.logReload("rules reloaded", d, nil)
	}
}

// logReload logs, in production, the result of reloading a rules file. err is nil if its rules are in force.
func (a *App) logReload(message string, d config.Database, err error) {
	switch {
	case !a.config.Production():
	case err != nil:
		a.o.Log.Error(message, "file", d.RulesFile, "database", d.ID, "error", err)
	default:
		a.o.Log.Info(message, "file", d.RulesFile, "database", d.ID)
	}
}

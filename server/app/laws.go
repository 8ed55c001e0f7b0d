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

	"clave/server/config"
	"clave/server/fault"
	"clave/server/guard"
	"clave/server/process"
	"clave/server/resource"
)

// settle is how long a rules file must be quiet before it is read again: editors write in several steps.
const settle = 50 * time.Millisecond

// readLaws compiles the rules files. In start mode they are watched, databases without rules are open, and refusals say
// which rule refused. In production they are read again when the program is asked to by SIGHUP: who puts rules in force does so
// on purpose, and not while they are being written.
func (a *App) readLaws() (*guard.Rulebook, error) {
	development := !a.config.Production()
	if a.config.File == "" && !a.config.NoHub {
		fmt.Fprintln(a.o.Notices, "No firebase.json in this folder or above: rules are open to all, and there is no site")
	}
	book := guard.NewRulebook(guard.RulebookOptions{Open: development, Detail: development, Cover: development})
	watched := make(map[string]config.Database)
	for _, d := range a.config.Databases {
		if d.RulesFile == "" {
			continue
		}
		issues, err := a.readLaw(book, d)
		if err != nil {
			return nil, err
		}
		if guard.HasErrors(issues) {
			return nil, fault.E(fault.InvalidArgument, "%s\nCorrect the rules; clave rules check %s shows warnings too.", issueLines(d.RulesFile, issues), d.RulesFile)
		}
		watched[filepath.Clean(d.RulesFile)] = d
	}
	switch {
	case len(watched) == 0:
	case development:
		if err := a.watchLaws(book, watched); err != nil {
			return nil, err
		}
	default:
		a.run("reload", func(ctx context.Context) error {
			return process.Hangups(ctx, func() {
				for _, d := range a.config.Databases {
					a.reloadLaw(book, d)
				}
			})
		})
	}
	return book, nil
}

// readLaw reads one rules file and puts it in force if it has no errors.
func (a *App) readLaw(book *guard.Rulebook, d config.Database) ([]guard.Issue, error) {
	source, err := os.ReadFile(d.RulesFile)
	if err != nil {
		return nil, fault.Because(err, fault.FailedPrecondition, "%s: cannot be read: %v. Correct firestore.rules in firebase.json.", d.RulesFile, err)
	}
	if d.ID == resource.DefaultDatabase {
		return book.Replace("", "", string(source)), nil
	}
	return book.Replace(a.config.Project, d.ID, string(source)), nil
}

// issueLines returns the issues, one a line, as file:line:column text.
func issueLines(file string, issues []guard.Issue) string {
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", file, issue.Span.Line, issue.Span.Column, issue.Text)
	}
	return strings.Join(lines, "\n")
}

// watchLaws reads rules files again when they change. A broken edit keeps the old rules and says so. Folders are watched,
// because editors replace files.
func (a *App) watchLaws(book *guard.Rulebook, files map[string]config.Database) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		a.o.Log.Warn("rules files are not watched", "error", err)
		return nil
	}
	a.onClose(watcher.Close)
	for file := range files {
		if err := watcher.Add(filepath.Dir(file)); err != nil {
			a.o.Log.Warn("a rules file is not watched", "file", file, "error", err)
		}
	}
	a.run("rules watch", func(ctx context.Context) error {
		return a.followLaws(ctx, watcher, book, files)
	})
	return nil
}

// followLaws handles the watcher's events until ctx is done.
func (a *App) followLaws(ctx context.Context, watcher *fsnotify.Watcher, book *guard.Rulebook, files map[string]config.Database) error {
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
				dirty[name] = true
				stop()
				quiet, stop = a.o.Clock.After(settle)
			}
		case <-quiet:
			for name := range dirty {
				a.reloadLaw(book, files[name])
			}
			clear(dirty)
		}
	}
}

// reloadLaw reads a rules file again and tells what came of it.
func (a *App) reloadLaw(book *guard.Rulebook, d config.Database) {
	issues, err := a.readLaw(book, d)
	switch {
	case errors.Is(err, os.ErrNotExist) && !a.config.Production():
		return // between an editor's steps; the new file comes with an event of its own
	case err != nil:
		fmt.Fprintf(a.o.Notices, "Rules kept as they were: %s\n", fault.Of(err).Message)
	case guard.HasErrors(issues):
		fmt.Fprintf(a.o.Notices, "Rules kept as they were:\n%s\n", issueLines(d.RulesFile, issues))
	default:
		fmt.Fprintf(a.o.Notices, "Rules reloaded: %s\n", d.RulesFile)
	}
}

// Package logs keeps the latest lines of the program's log for the console.
package logs

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// maxLines is the maximum number of lines that are kept, and maxText the maximum length of an attribute's text.
const (
	maxLines = 2000
	maxText  = 4000
)

// Line is a line of the log.
type Line struct {
	// N numbers the lines from 1.
	N       int64             `json:"n"`
	Time    time.Time         `json:"time"`
	Level   string            `json:"level"`
	Message string            `json:"message"`
	Attrs   map[string]string `json:"attrs"`
	level   slog.Level
}

// Ring keeps the latest lines. It is safe for concurrent use.
type Ring struct {
	mu    sync.Mutex
	lines []Line // guarded by mu
	count int64  // guarded by mu
}

// add keeps a line.
func (r *Ring) add(l Line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	l.N = r.count
	if len(r.lines) == maxLines {
		r.lines = r.lines[1:]
	}
	r.lines = append(r.lines, l)
}

// Read returns the lines after a number that have at least the given level and contain a text, oldest first, and the
// number of the last line.
func (r *Ring) Read(after int64, level slog.Level, text string) (lines []Line, last int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines = []Line{}
	for _, l := range r.lines {
		if l.N > after && l.level >= level && l.has(text) {
			lines = append(lines, l)
		}
	}
	return lines, r.count
}

// has reports whether a line contains a text.
func (l *Line) has(text string) bool {
	text = strings.ToLower(text)
	if strings.Contains(strings.ToLower(l.Message), text) {
		return true
	}
	for key, value := range l.Attrs {
		if strings.Contains(strings.ToLower(key+"="+value), text) {
			return true
		}
	}
	return false
}

// handler forwards records and keeps them.
type handler struct {
	next  slog.Handler
	ring  *Ring
	attrs []slog.Attr
	group string
}

// Handler returns a handler that passes records to next, if next is enabled for them, and keeps records of level Info
// and above in ring.
func Handler(next slog.Handler, ring *Ring) slog.Handler { return &handler{next: next, ring: ring} }

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelInfo {
		line := Line{Time: r.Time.UTC(), Level: r.Level.String(), Message: r.Message, Attrs: make(map[string]string), level: r.Level}
		add := func(a slog.Attr) bool {
			text := a.Value.Resolve().String()
			line.Attrs[h.group+a.Key] = text[:min(len(text), maxText)]
			return true
		}
		for _, a := range h.attrs {
			add(a)
		}
		r.Attrs(add)
		h.ring.add(line)
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.next, out.attrs = h.next.WithAttrs(attrs), append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return &out
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	out := *h
	out.next, out.group = h.next.WithGroup(name), h.group+name+"."
	return &out
}

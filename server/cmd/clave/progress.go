package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"clave/server/internal/base/clock"
)

// isTerminal reports whether a writer is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progressPrinter prints how far a command has come, with the rate and the remaining time, about once a second.
type progressPrinter struct {
	w    io.Writer
	unit string
	// began is when the first call came, at first units, and last when a line was printed.
	began, last time.Time
	first       int64
	clock       clock.Clock
}

// newProgress returns a function that prints progress in units, such as documents. It prints nothing unless w is a
// terminal or always is set.
func newProgress(w io.Writer, always bool, unit string) func(done, all int64) {
	if !always && !isTerminal(w) {
		return func(_, _ int64) {}
	}
	p := &progressPrinter{w: w, unit: unit, clock: clock.System()}
	return p.print
}

// print prints a line unless the last one is less than a second old. all is 0 if it is unknown.
func (p *progressPrinter) print(done, all int64) {
	now := p.clock.Now()
	if p.began.IsZero() {
		p.began, p.first = now, done
	} else if now.Sub(p.last) < time.Second {
		return
	}
	p.last = now
	fmt.Fprintln(p.w, p.line(done, all, now.Sub(p.began)))
}

// line returns the text of a line after a time.
func (p *progressPrinter) line(done, all int64, after time.Duration) string {
	text := fmt.Sprintf("%d %s", done, p.unit)
	if all > 0 {
		text = fmt.Sprintf("%d of %d %s (%d%%)", done, all, p.unit, min(done*100/all, 100))
	}
	rate := float64(done-p.first) / max(after.Seconds(), 1e-3)
	if rate < 1 {
		return text
	}
	text += fmt.Sprintf(", %.0f a second", rate)
	if all > done {
		left := time.Duration(float64(all-done) / rate * float64(time.Second))
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}
